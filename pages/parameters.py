from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from engine import counting  # noqa: E402
from engine.architectures import BY_ID  # noqa: E402
from ui import architecture, choice, page  # noqa: E402
from views import parameters as view  # noqa: E402
from views import tables  # noqa: E402

SHOWN = {
    "matrices": "By matrix", "double": "Double it", "compare": "Compare",
}  # fmt: skip

st.html(f"<style>{tables.CSS}{view.CSS}</style>")
page.head(
    "Parameters",
    "Count any model of this kind to the last number, and see which part holds how many, and why.",
)
dark = st.context.theme.type == "dark"


def workable(side, name, wanted):
    """The settings as they are, or, after a sentence, the nearest that a model can have."""
    found = counting.problems(wanted)
    if not found:
        return wanted
    works = counting.nearest(wanted)
    st.warning(page.literal(" ".join(found)) + " The count below is for the nearest settings that work.")
    st.button(
        "Use the nearest", key=f"nearest.{side}", on_click=architecture.choose, args=(side, name, works)
    )  # fmt: skip
    return works


def double(name, now):
    architecture.choose("a", name, counting.doubled(now))
    choice.put(show="double")


def changed_from(name, now):
    """The line below the controls: where the settings are from, and what was changed."""
    preset = BY_ID.get(name)
    differ = counting.differences(preset.architecture, now) if preset else {}
    source = f"{preset.source}." if preset else "Settings of your own; they began as Sprout's."
    if differ:
        names = ", ".join(counting.LETTERS.get(setting, setting) for setting in differ)
        source += f" Changed here: {names}."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(page.literal(source))
        if differ:
            st.button("Take back", key="reset", on_click=architecture.reset, args=("a",))
    return preset.title + (", changed" if differ else "") if preset else architecture.TITLES[name]


def by_matrix():
    st.html(view.rows_table(counted))


def doubling():
    st.html(view.doubling_table(counted))


def compare():
    other, wanted = architecture.chosen("b", "gpt2")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        architecture.preset_control("b", "Second model", other)
        architecture.more_controls("b", wanted, tuple(counting.LETTERS))
        as_shares = choice.bound(st.toggle, "As shares", "shares", choice.get("shares", False, choice.switch))
    second = counting.count_parameters(workable("b", other, wanted))
    other_title = architecture.TITLES[other]
    named = {title: counted, other_title + (" (second)" if other_title == title else ""): second}
    st.plotly_chart(view.bars(named, dark, as_shares), key="bars", config={"displayModeBar": False},
                    alt=" ".join(f"{t}: {view.in_words(c)}" for t, c in named.items()))  # fmt: skip
    st.html(view.comparison_table(named))


name, wanted = architecture.chosen("a", "sprout")
with page.controls():
    architecture.preset_control("a", "Model", name)
    for setting in ("n_layer", "d_model", "d_ff", "n_head", "vocab_size"):
        architecture.number_control("a", setting, wanted, 118)
    architecture.more_controls("a", wanted)
    works = counting.nearest(wanted)
    too_wide = bool(counting.problems(counting.doubled(works)))
    st.button("Double d and F", key="double", on_click=double, args=(name, works), disabled=too_wide)
title = changed_from(name, wanted)
with page.figure():
    counted = counting.count_parameters(workable("a", name, wanted))
    st.html(view.figures(counted))
    left, right = st.columns([5, 6], gap="medium")
    with left:
        st.plotly_chart(view.treemap(counted, dark), key="treemap", config={"displayModeBar": False},
                        alt=view.in_words(counted))  # fmt: skip
    with right:
        st.html(view.parts_table(counted))
page.notice(*view.notice(counted))

show = choice.get("show", "matrices", choice.one_of(*SHOWN))
choice.bound(
    st.segmented_control, "Look closer", "show", show, options=list(SHOWN), format_func=SHOWN.__getitem__,
    required=True,
)  # fmt: skip
with page.figure():
    {"matrices": by_matrix, "double": doubling, "compare": compare}[show]()

page.source("embedding", "queries", "attention_output", "w1", "w3", "w2", "rms_norm", "tie")
page.questions([])
page.take_away(csv=view.as_csv(counted), name="parameters")
