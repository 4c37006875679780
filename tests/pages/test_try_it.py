"""What each question's “Try it” promises is there where its link lands: the tab, the control, the model."""

import json
from collections import ChainMap

import pytest
from streamlit.testing.v1 import AppTest

from engine import presets
from engine.counting.published import BY_ID
from views import questions

ALL = {one.id: one for one in questions.all_questions()}


class Landed:
    """A page as a reader finds it who followed a link."""

    def __init__(self, root, one, before=()):
        self.at = at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
        for name, value in before:  # chosen on an earlier visit
            at.session_state[f"chosen.{name}"] = value
        for name, value in one.query.items():
            at.query_params[name] = value
        at.run()
        at.switch_page(f"pages/{one.page}.py").run()
        assert not at.exception
        assert not at.error

    def value(self, label):
        """What a control with this label shows; fails where there is none."""
        kinds = ("selectbox", "slider", "number_input", "toggle", "select_slider", "text_area")
        return next(w.value for kind in kinds for w in getattr(self.at, kind) if w.label == label)

    def tab(self):
        return self.at.get("button_group")[0].value

    def closer(self):
        return next(b.value for b in self.at.get("button_group") if b.label == "Look closer")

    def button(self, label):
        return any(button.label == label for button in self.at.button)

    def parts(self):
        """All that the components were given, and all that is told in words or as HTML."""
        given = [json.loads(one.proto.json or one.proto.mixed.json) for one in self.at.get("bidi_component")]
        return ChainMap(*given)

    def words(self):
        told = [one.value for kind in ("markdown", "caption") for one in getattr(self.at, kind)]
        told += [one.proto.body for one in self.at.get("html")]
        return " ".join(told)

    def expanders(self):
        return [one.label for one in self.at.expander]


def sprout_on_the_counter(page, tab, model="sprout"):
    assert (page.value("Model"), page.closer()) == (model, tab)
    as_published = BY_ID[model].architecture
    assert (page.value("Feed-forward F"), page.value("Blocks L")) == (as_published.d_ff, as_published.n_layer)
    return page.value("Output tied to the embedding")


# What a reader needs there, in the order of the questions.
PROMISED = {
    "rope-both-moved": lambda p: (p.tab(), p.value("Query's position"), p.value("Key's position"),
                                  p.value("Move both")) == ("distance", 100, 90, True),
    "rope-base": lambda p: p.tab() == "wavelengths" and p.value("Base"),
    "rope-values": lambda p: p.parts()["start"]["part"] == "rope"
    and "rotate" in p.parts()["parts"]["rope"]["text"],
    "rope-learned": lambda p: sprout_on_the_counter(p, "matrices") and "queries, W<sub>q</sub>" in p.words(),
    "rope-twice-as-fast": lambda p: (p.tab(), p.value("Query's position"), p.value("Key's position"))
    == ("hands", 6, 0),
    "norm-ten-times": lambda p: p.tab() == "epsilon"
    and p.value("Size of your vector, as a power of ten") == 0,
    "norm-holds": lambda p: p.tab() == "size"
    and {"root mean square before", "after", "largest mean after RMSNorm"} <= set(p.at.table[0].value),
    "gate-minus-three": lambda p: p.tab() == "curve"
    and next(s for s in p.at.slider if s.label == "a").min <= -3,
    "gate-width": lambda p: sprout_on_the_counter(p, "compare")
    and p.value("Second model") == "sprout"
    and [one.value for one in p.at.number_input if one.label == "Feed-forward F"] == [1024, 1024]
    and p.value("Gated feed-forward (three matrices)"),
    "double-width": lambda p: sprout_on_the_counter(p, "double"),
    "untie": lambda p: sprout_on_the_counter(p, "matrices", "gpt-1")
    and p.value("Output tied to the embedding"),
    "more-heads": lambda p: sprout_on_the_counter(p, "matrices") and p.value("Heads H") == 6,
    "stream-skipped": lambda p: p.value("Left out") == "block" and "Block" in p.parts()["where"],
    "worse-than-guessing": lambda p: (p.value("Model"), p.value("Left out")) == ("store", "block")
    and p.button("Measure"),
    "head-off": lambda p: p.value("Text") == "name" and p.button("Draw another head at random"),
    "which-errors": lambda p: p.button("Measure"),
    "seen-in-file": lambda p: p.button("Measure") and p.value("RoPE base"),
    "one-block": lambda p: p.value("Text") == "name"
    and all(presets.TITLES[name] in p.words() for name in presets.FAMILY),
    "thirty-one-back": lambda p: len(p.parts()["cells"]) > 1,
    "second-zor": lambda p: p.value("Text") == "name" and "·Z" in p.parts()["pieces"],
    "two-nats": lambda p: p.words().count("nats a token, perplexity") == len(presets.FAMILY),
    "embedding-row": lambda p: p.parts()["grids"][0]["rows"][0] == "embedding",
    "graded-row": lambda p: "Confidence by row" in p.expanders(),
    "new-distances": lambda p: p.button("Measure"),
    "last-token": lambda p: "No token sees the future" in p.words() and p.button("Run the checks"),
    "almost-equal": lambda p: p.value("Model") == "store" and p.button("Run the checks"),
    "start-small": lambda p: p.parts()["start"]["part"] == "blocks"
    and "2 * self.settings.n_layer" in p.parts()["parts"]["blocks"]["text"],
    "no-unknown": lambda p: p.value("The text itself") == "🦊" and len(p.parts()["grids"][0]["tokens"]) > 2,
    "compare-losses": lambda p: "side by side" in p.words() and "no rival" in p.words(),
    "silent-head": lambda p: p.value("Model") == "gpt-4" and p.parts()["pieces"][69] == "·Pl"
    and any(button.label.startswith("Open head") for button in p.at.button),
    "where-the-name-is": lambda p: (p.value("Model"), p.value("Two texts")) == ("sprout", "made-up")
    and p.button("Measure") and "·Z" in [one["second"] for one in p.parts()["columns"]],
}  # fmt: skip
ELSEWHERE = [
    ("model", "store"), ("rope", "numpy"), ("rms", "order"), ("gate", "width"), ("count", "time"),
    ("rows", "within"), ("text", "own"), ("own", ""), ("a", "gpt2"), ("left_out", "heads"), ("over", "one"),
    ("part", "w2"), ("product", "own"), ("own_product", "x"), ("a.F", "77"), ("a.L", "3"), ("a.tied", "0"),
    ("b.F", "99"), ("row", "0"), ("candidate", "7"), ("against", "9"), ("writer", "a1.1"),
    ("pair", "own"), ("put_in", "head"), ("guess_in", "1.1"),
    ("look", "x"), ("answer", "7"), ("other_answer", "8"),
]  # fmt: skip


def test_every_question_promises_something_that_is_checked():
    assert list(PROMISED) == list(ALL)


@pytest.mark.parametrize("name", ALL)
def test_what_try_it_promises_is_there(root, name):
    assert PROMISED[name](Landed(root, ALL[name]))


@pytest.mark.parametrize("name", ALL)
def test_it_is_there_whatever_was_chosen_before(root, name):
    assert PROMISED[name](Landed(root, ALL[name], ELSEWHERE))
