from ui import shell

shell.guard()

import time

import streamlit as st

from engine import families, stages, weights
from engine.errors import ReaderError
from engine.lens import row_keys
from ui import cache, choice, kept, lens_grid, page, plot, train_here
from views import how_it_learned
from views import lens_grid as grid_data

TICK = 0.9  # seconds a stage stays while it plays
STILL = """<style>@media (prefers-reduced-motion: reduce) { .st-key-play { display: none; } }</style>"""
WHY = """
Before its first step a model's weights are random and small. Only the token that stands there gets more than
the others, since it is compared with its own row: a little in a narrow model, more in a wide one. What
lowers the loss fastest comes first: how often each token occurs at all, then which follows which. Both can
be had from the last token alone, without attention. What needs other places comes later, and what needs
two steps of attention, one head that notes what stood before and another that looks for it (an **induction
head**, Olsson et al. 2022), came as a jump in the models they watched: half of it is of no use.

The distance to a plain table of pairs says when the model is nearest to the second of these: the table is
counted in the corpus, mixed with how often each token comes where a pair is rare.
"""


@kept.result("Reading the stages …")
def loaded(name, file, checksum):
    return stages.load(name, file)


def trainings():
    """Every training whose stages were kept, {address text: (model's name, file, checksum)}, and the faults.

    A training that can't be shown is told of in a sentence, and those of other models are shown.
    """
    found, faults = {}, []
    for name in weights.shipped():
        try:
            for file, checksum in stages.kept(name).items():
                loaded(name, file, checksum), cache.model(name)  # each has to be there
                found[name + file.removeprefix("stages").removesuffix(".npz")] = (name, file, checksum)
        except ReaderError as error:
            faults.append(str(error))
    return found, faults


def chosen_training(found):
    """The control of the trainings -> (Stages, model)."""
    readers = choice.chosen_model("")  # the model that was looked at on other pages
    theirs = [one for one in found if found[one][0] == readers]
    # Else the one that learned to copy best; of a model the weights' own.
    best = max(theirs or found, key=lambda one: loaded(*found[one]).second.max())
    usual = next(one for one in found if found[one][0] == found[best][0])
    key = choice.bound(
        st.selectbox,
        "Training",
        "training",
        choice.get("training", usual, choice.one_of(*found)),
        options=tuple(found),
        format_func=lambda one: titled(*found[one]),
    )
    kept, model = loaded(*found[key]), cache.model(found[key][0])
    shape = kept.previous.shape[1], kept.vocabulary <= model.architecture.vocab_size
    if shape != (model.architecture.n_layer, True) or kept.about["name"] != model.name:
        raise weights.WeightsError(f"These stages are not of {model.title}.")
    return kept, model


def titled(name, file, checksum):
    return f"{families.title(name)}: {how_it_learned.title(loaded(name, file, checksum), cache.model(name))}"


def chosen_text(kept):
    """Which of the texts that were measured -> its number."""
    names = [text["id"] for text in kept.about["texts"]]
    titles = {text["id"]: text["title"] for text in kept.about["texts"]}
    known = choice.get("text", names[0], lambda raw: raw[:80])
    shown = choice.bound(
        st.selectbox,
        "Text",
        "text",
        known if known in names else names[0],
        options=names,
        format_func=titles.__getitem__,
    )
    return names.index(shown)


def play_buttons():
    """Play and Pause."""
    playing = st.session_state.get("playing", False)
    label, icon = ("Pause", ":material/pause:") if playing else ("Play", ":material/play_arrow:")
    st.button(label, icon=icon, key="play", on_click=lambda: st.session_state.update(playing=not playing))
    return st.session_state.get("playing", False)


def stage_of(kept, playing):
    """The slider over the stages; while it plays it moves by itself -> the stage's number."""
    last = len(kept) - 1
    stage = min(choice.get("stage", last, choice.number(0, 10**4)), last)
    if playing and time.monotonic() - st.session_state.get("moved", 0.0) > 0.8 * TICK:
        stage = 0 if stage == last and not st.session_state.get("under way") else min(stage + 1, last)
        st.session_state.update({"moved": time.monotonic(), "under way": True})
        choice.put(stage=stage)
        if stage == last:
            st.session_state.update({"playing": False, "under way": False})
            st.rerun()
    if last == 0:
        return 0
    return choice.bound(
        st.select_slider,
        "Tokens read in training",
        "stage",
        stage,
        options=range(len(kept)),
        format_func=lambda one: how_it_learned.seen(kept.tokens[one]),
    )


def draw(kept, model, text, drawn, playing):
    """The slider and all that moves with it, in a fragment of its own."""

    @st.fragment(run_every=TICK if playing else None)
    def moving():
        stage = stage_of(kept, playing)
        ids, lens = kept.about["texts"][text]["ids"], kept.lens(stage, text)
        keys = row_keys(model.architecture.n_layer)
        start = lens_grid.start(keys, len(ids), grid_data.first_cell(lens, keys))
        lens_grid.show(grid_data.data([grid_data.grid(model, ids, lens)]), start, writers=False)
        more = kept.continuation(stage, text, drawn)
        ended = model.tokenizer.end_id in more
        st.html(how_it_learned.written(model.tokenizer.decode(ids), model.tokenizer.decode(more), ended))
        st.markdown(how_it_learned.here(kept, stage))
        made = how_it_learned.curves(kept, stage, plot.dark())
        st.plotly_chart(made, config={"displaylogo": False}, key="learned-curves")

    moving()


def stages_part():
    """The first half of the page."""
    found, faults = trainings()
    for fault in faults:
        st.warning(page.literal(fault))
    if not found and faults:
        return
    if not found:
        st.info(
            "No model here has kept the stages of its training. `training/README.md` tells how `--watch` "
            "keeps them; below you can train a small model yourself."
        )
        return
    with page.controls():
        kept, model = chosen_training(found)
        text = chosen_text(kept)
        how = choice.bound(
            st.segmented_control,
            "What it writes",
            "writes",
            choice.get("writes", "greedy", choice.one_of("greedy", "drawn")),
            options=("greedy", "drawn"),
            required=True,
        )
        playing = len(kept) > 1 and play_buttons()
    st.html(STILL)
    draw(kept, model, text, how == "drawn", playing)
    st.caption(how_it_learned.measured_when(kept))
    page.notice(*how_it_learned.sentences(kept), *others(found, kept, model))
    plot.table(how_it_learned.columns(kept), "stages")
    with st.expander("Why, and how it was measured"):
        st.markdown(WHY)
        st.markdown(how_it_learned.made_how(kept))
        st.code("\n".join(kept.commands), language="sh", wrap_lines=True)


def others(found, kept, model):
    """How another training of the same model compares, where one was kept."""
    same = [loaded(*one) for one in found.values() if one[0] == model.name]
    return [*filter(None, (how_it_learned.compared(kept, other) for other in same if other is not kept))]


page.head(
    "How it learned",
    "Move through a training and read the same text at every stage; then train a small model yourself.",
)
with page.figure():
    stages_part()
train_here.show()
page.take_away()
