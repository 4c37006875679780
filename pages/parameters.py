from ui import shell

shell.guard()

import streamlit as st

from engine import counting, families, timing, weights
from engine.counting import config_json, costs, tensors
from engine.counting.published import BY_ID
from engine.errors import ReaderError
from ui import cache, choice, config_field, fold, kept, model_settings, page, plot
from views import costs as costs_view
from views import parameters as parameters_view
from views import parameters_words, tables
from views import timing as timing_view

SHOWN = {
    "matrices": "By matrix", "double": "Double it", "compare": "Compare", "cost": "Cost",
    "files": "Our files", "config": "A config.json", "time": "Time",
}  # fmt: skip
BARE = {"displayModeBar": False}
FIRST = ("n_layer", "d_model", "d_ff", "n_head", "vocab_size")  # the settings that are always in view
BOTH = (*FIRST, *model_settings.SELDOM)
EXAMPLE = """{
  "architectures": ["LlamaForCausalLM"],
  "model_type": "llama",
  "hidden_act": "silu",
  "hidden_size": 960,
  "intermediate_size": 2560,
  "max_position_embeddings": 8192,
  "num_attention_heads": 15,
  "num_hidden_layers": 32,
  "num_key_value_heads": 5,
  "rms_norm_eps": 1e-05,
  "rope_interleaved": false,
  "rope_theta": 100000,
  "tie_word_embeddings": true,
  "vocab_size": 49152
}
"""  # SmolLM2-360M's, the lines that matter
RULES = """
**6 N**: about 2 operations for each parameter forward and 4 backward (Kaplan et al. 2020, who leave the
embedding out of N; here N is all parameters). **20 tokens for each parameter** is what Hoffmann et al. 2022
found to give the lowest loss for a given amount of arithmetic; models that are used a lot are trained on far
more. With experts, N is what works for one token; both rules were found for models without. **Activations**
are those of the code shown on this page, exact for our family; attention weights are never whole in memory
(Dao et al. 2022). The tables leave out norms, softmax and RoPE, which are small beside the matrices.
"""


def workable(side, name, wanted):
    """The settings as they are, or, after a sentence, the nearest that a model can have."""
    found = counting.problems(wanted)
    if not found:
        return wanted
    works = counting.nearest(wanted)
    st.warning(page.literal(" ".join(found)) + " The count below is for the nearest settings that work.")
    st.button(
        "Use the nearest", key=f"nearest.{side}", on_click=model_settings.choose, args=(side, name, works)
    )
    return works


def double(name, now):
    model_settings.choose("a", name, counting.doubled(now))
    choice.put(count="double")


def controls():
    """The settings -> (the preset's name, the settings as they were chosen)."""
    name, wanted = model_settings.chosen("a", model_settings.usual())
    with page.controls():
        model_settings.preset_control("a", "Model", name)
        for setting in FIRST:
            model_settings.number_control("a", setting, wanted, 118)
        model_settings.more_controls("a", wanted)
        works = counting.nearest(wanted)
        too_wide = bool(counting.problems(counting.doubled(works)))
        st.button("Double d and F", key="double", on_click=double, args=(name, works), disabled=too_wide)
    return name, wanted


def changed_from(name, now):
    """The line below the controls, where the settings are from and what was changed -> the model's title."""
    differ = counting.differences(model_settings.published(name), now) if name != model_settings.OWN else {}
    source = origin(name)
    if differ:
        names = ", ".join(model_settings.called(setting) for setting in differ)
        source += f" Changed here: {names}."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(page.literal(source))
        if differ:
            st.button("Take back", key="reset", on_click=model_settings.reset, args=("a",))
    return model_settings.titles()[name] + (", changed" if differ else "")


def origin(name):
    """Where the settings of this name are from."""
    if name in BY_ID:
        return f"{BY_ID[name].source}."
    if name == model_settings.OWN:
        return "Settings of your own; they began as Sprout's."
    return "Settings of a model that was opened here."


def overview(counted, dark):
    """The few numbers that matter most, the whole model as one area, and its parts."""
    st.html(parameters_view.figures(counted))
    left, right = st.columns([5, 6], gap="medium")
    with left:
        st.plotly_chart(
            parameters_view.treemap(counted, dark),
            key="treemap",
            config=BARE,
            alt=parameters_words.in_words(counted),
        )
    with right:
        st.html(parameters_view.parts_table(counted))


def by_matrix(counted, _title, _dark):
    asked = choice.get("count", None, choice.one_of(*SHOWN)) is not None
    says = f"Every matrix and vector, in the order of the forward pass: {len(counted.rows)} rows"
    with fold.on_a_phone("rows", says, opened=asked):
        st.html(parameters_view.rows_table(counted))


def doubling(counted, _title, _dark):
    st.html(parameters_view.doubling_table(counted))


def compare(counted, title, dark):
    other, wanted = model_settings.chosen("b", "gpt2")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model_settings.preset_control("b", "Second model", other)
        model_settings.more_controls("b", wanted, BOTH)
        as_shares = choice.bound(
            st.toggle, "As shares", "b.shares", choice.get("b.shares", False, choice.switch)
        )
    second = counting.count_parameters(workable("b", other, wanted))
    other_title = model_settings.titles()[other]
    named = {title: counted, other_title + (" (second)" if other_title == title else ""): second}
    st.plotly_chart(
        parameters_view.bars(named, dark, as_shares),
        key="bars",
        config=BARE,
        alt=" ".join(f"{t}: {parameters_words.in_words(c)}" for t, c in named.items()),
    )
    st.html(parameters_view.comparison_table(named))


def whole_number(label, name, default, high, **options):
    value = choice.get(name, default, choice.number(1, high))
    limits = {"min_value": 1, "max_value": high, "step": 1}
    choice.bound(st.number_input, label, name, value, **limits, **options)
    return value


def what_it_runs(context):
    """The controls of the costs -> (tokens in a text, texts at a time, bits, operations a second)."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tokens = whole_number("Tokens in a text T", "cost.T", context, 100_000_000)
        texts = whole_number("Texts at a time B", "cost.B", 1, 1_000_000)
        bits = choice.get("cost.bits", 16, choice.one_of(4, 8, 16, 32))
        choice.bound(st.selectbox, "Bits of the cache", "cost.bits", bits, options=(32, 16, 8, 4))
        speed = choice.get("cost.speed", 0.1, choice.number(1e-6, 1e9, float))
        choice.bound(
            st.number_input,
            "Speed, 10¹² operations a second",
            "cost.speed",
            speed,
            min_value=1e-6,
            max_value=1e9,
            step=0.1,
            format="%g",
            help="What your device reaches, not what its maker promises. Two cores of a laptop: about 0.1.",
        )
    return tokens, texts, bits, speed * 1e12


def cost(counted, _title, _dark):
    a = counted.architecture
    tokens, texts, bits, speed = what_it_runs(a.context)
    st.html(costs_view.memory_table(a, tokens, texts, bits))
    st.html(costs_view.arithmetic_table(a, tokens))
    st.html(costs_view.training_table(a, tokens, speed))
    page.notice(*costs_view.cost_notice(a, tokens))
    with st.expander("Where these rules are from"):
        st.markdown(RULES)


def files(_counted, _title, _dark):
    name = model_control("count.file", weights.shipped())
    checks = tensors.reconcile(name)
    st.html(parameters_view.checks_table(checks))
    path = f"weights/{name}/model.safetensors"
    equal = all(one.agrees for one in checks)
    page.notice(
        f"`{path}` lists its tensors with their shapes at its beginning; only that list is read here. "
        + ("Every one is explained by the formula, and none is missing." if equal else "**They differ.**"),
        "The tied output matrix is not there a second time: it is the embedding.",
    )


def model_control(choice_name, names):
    """Which of these models -> its name."""
    if not names:
        raise weights.WeightsError("No weights are here. Restore the folder with `git checkout -- weights`.")
    usual = "sprout" if "sprout" in names else names[0]
    name = choice.get(choice_name, usual, choice.one_of(*names))
    return choice.bound(
        st.selectbox, "Model", choice_name, name, options=names, format_func=families.title, width=300
    )


def config(_counted, _title, _dark):
    text = config_field.control(EXAMPLE)
    try:
        reading = config_json.read(text)
    except ReaderError as error:
        st.error(page.literal(str(error)))
        return
    read = counting.count_parameters(reading.architecture)
    st.html(parameters_view.figures(read))
    st.button(
        "Take these settings",
        key="take",
        on_click=model_settings.choose,
        args=("a", model_settings.OWN, reading.architecture),
        help="They replace those above.",
    )
    st.html(parameters_view.lines_table(reading))
    for sentence in reading.assumed:
        st.caption(page.literal(sentence))
    st.html(parameters_view.parts_table(read))
    page.notice(*parameters_words.about_lines(reading))


@kept.result()
def timed(key, tokens, again, _model):
    """One length, measured once for these weights until the reader measures again."""
    return timing.measure(_model, tokens)


@st.fragment
def time(_counted, _title, dark):
    with page.figure():
        where_the_time_goes(dark)


def where_the_time_goes(dark):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = cache.model(model_control("count.timed", families.available()))
        again = st.session_state.setdefault("measured", 0)
        if st.button("Measure on this computer", key="measure"):
            again = st.session_state["measured"] = again + 1
    if not again:
        st.caption(timing_view.beforehand(timing.lengths(model)))
        return
    found = measured(model, again)
    shares = [costs.arithmetic(model.architecture, one.tokens).shares for one in found]
    growth = timing_view.growth(found)
    st.plotly_chart(timing_view.shares_figure(found, shares, dark), key="shares", config=BARE, alt=growth)
    st.html(timing_view.times_table(found, shares))
    page.notice(growth, timing_view.WHY)


def measured(model, again):
    """All lengths of a model, with a bar that says how far they are -> [Timed]."""
    found, bar, lengths = [], st.progress(0.0), timing.lengths(model)
    for number, tokens in enumerate(lengths, start=1):
        found.append(timed(cache.key(model), tokens, again, model))
        bar.progress(number / len(lengths), f"{tokens} tokens")
    bar.empty()
    return found


SECTIONS = dict(zip(SHOWN, (by_matrix, doubling, compare, cost, files, config, time), strict=True))

st.html(f"<style>{tables.CSS}{parameters_view.CSS}</style>")
page.head(
    "Parameters",
    "Count any model of this kind to the last number, and see which part holds how many, and why.",
)
dark = plot.dark()
name, wanted = controls()
title = changed_from(name, wanted)
with page.figure():
    counted = counting.count_parameters(workable("a", name, wanted))
    overview(counted, dark)
page.notice(*parameters_words.notice(counted))
show = choice.get("count", "matrices", choice.one_of(*SHOWN))
choice.bound(
    st.segmented_control,
    "Look closer",
    "count",
    show,
    options=list(SHOWN),
    format_func=SHOWN.__getitem__,
    required=True,
)
with page.figure():
    SECTIONS[show](counted, title, dark)
page.source("rows", "total", system="counting")
page.questions(parameters_words.questions(counted))
page.take_away(csv=parameters_view.as_csv(counted), name="parameters")
