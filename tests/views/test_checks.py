"""What the page of the checks says holds for any outcomes."""

import re
import sys

import numpy
from hypothesis import given
from hypothesis import strategies as st

from engine import checks, weights
from engine.checks import Outcome
from engine.families.checkpoints import shelf
from tests import checkpoints, tiny
from tests.views.claims import stated
from views import checks as checks_view
from views import opened as opened_view

WANTED = list(checks_view.WHAT)
PASSED = st.dictionaries(st.sampled_from(WANTED), st.sampled_from([True, False, None]))


@given(PASSED)
def test_how_many_hold_is_counted(passed):
    outcomes = {name: Outcome(one, "counted", {"expected": 12, "stored": 11}) for name, one in passed.items()}
    said = checks_view.sentence(WANTED, outcomes)
    ran = [one for one in passed.values() if one is not None]
    assert stated("{} of {} check", said) == ([sum(ran), len(ran)] if ran else None)
    assert ("No check has run" in said) == (not ran)
    for words, kind in (("Not so: ", False), ("Could not be run: ", None)):
        named = said.partition(words)[2].partition(". Could")[0].removesuffix(".")
        assert set(filter(None, named.split(", "))) == set(
            ", ".join(name for name, one in passed.items() if one is kind).split(", ")
        ) - {""}
    html = checks_view.html("A model", WANTED, outcomes)
    for kind, word in (("yes", "holds"), ("no", "does not hold"), ("open", "not run")):
        expected = {"yes": True, "no": False, "open": None}[kind]
        count = sum(passed.get(name) is expected for name in WANTED)
        assert html.count(f'<li class="{kind}">') == html.count(f"</b>: {word}<") == count


def test_every_check_of_every_family_is_explained():
    for kind in ("sprout", "store"):
        assert set(checks.all_checks(tiny.model(kind))) <= set(WANTED)
    assert weights.available()


def test_every_outcome_is_told_in_one_sentence_with_its_numbers():
    for name in ("gpt-1", "store"):
        model = weights.load(name)
        for check in checks.all_checks(model).values():
            outcome = check(model)
            said = checks_view.told(outcome)
            assert said.endswith((".", "`."))
            for fact in {"stored", "logits", "different", "last"} & {*outcome.facts}:
                assert f"{outcome.facts[fact]:,}" in said
    assert checks_view.told(checks.not_run("No such thing.")) == "No such thing."


def test_the_versions_are_those_that_run():
    said = checks_view.versions(checks.versions())
    assert f"Python {'.'.join(map(str, sys.version_info[:3]))}" in said
    assert f"NumPy {numpy.__version__}" in said
    assert re.search(r"PyTorch \d+\.\d+.*Streamlit \d+\.\d+", said)
    assert "transformers not installed" in checks_view.versions({"transformers": None})


def test_opened_models_stand_with_their_own_limit(tmp_path):
    home = checkpoints.write("llama", tmp_path / "one")
    made = shelf.Shelf(2 * 10**6, "float32", tmp_path / "made")
    offer = made.put(home, ())
    assert opened_view.in_memory(made).startswith(
        "Opened models: none is in memory now, of 2 MB that they may"
    )
    offer.opened()
    said = opened_view.in_memory(made)
    assert said.startswith(f"Opened models: one: {shelf.size(offer.bytes)}, of 2 MB that they may")
    assert "(SPROUT_MODELS_MB)" in said


def test_the_memory_is_told_with_the_budget_and_what_is_in_work_only_if_there_is_some():
    assert checks_view.memory(123_400_000, 0, 600_000_000) == (
        "Kept for all readers: 123 MB of models and results, of 600 MB that the server may use for them."
    )
    assert "and 50.0 MB in work," in checks_view.memory(0, 50_000_000, 600_000_000)
