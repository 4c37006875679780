"""What is said of a training is so, for any stages."""

import re

import numpy as np
import pytest

from engine import heads
from tests import made_stages
from views import how_it_learned


def kinds_of_stages():
    """Many trainings that never were: random, flat, falling, with a jump, of one stage."""
    rng = np.random.default_rng(0)
    for seed in range(25):
        yield made_stages.some(S=int(rng.integers(1, 9)), L=int(rng.integers(1, 5)), seed=seed)
    for second in (
        np.zeros(5),
        np.linspace(0.9, 0.1, 5),
        [0, 0.01, 0.02, 0.9, 0.95],
        [0.5, 0.2, 0.2, 0.24, 0.2],
    ):
        yield made_stages.some(second=second)
    yield made_stages.some(held_out=[9, 9, 9, 9, 9])
    yield made_stages.some(held_out=[5, 6, 7, 8, 9], second=np.zeros(5), induction=np.zeros((5, 2, 3)))
    yield made_stages.some(induction=np.full((5, 2, 3), 0.99999), second=np.ones(5))


@pytest.mark.parametrize("stages", list(kinds_of_stages()), ids=lambda s: f"{len(s)} stages")
def test_every_sentence_is_so(stages):
    said = " ".join(how_it_learned.sentences(stages))
    if len(stages) < 2:
        assert said.startswith("One stage was kept")
        return
    rises = np.diff(stages.second)
    grew = (stages.second - np.minimum.accumulate(stages.second)).max() >= how_it_learned.LEAST
    assert grew == ("Copying a made-up name rises most" in said) != ("is not copied at any stage" in said)
    if grew:
        at = int(rises.argmax())
        assert f"rises most {how_it_learned.between(stages, at)}: from" in said
        moved = np.sign(stages.held_out[at + 1] - stages.held_out[at])
        assert {-1: "fell", 0: "stayed", 1: "rose"}[moved] in said
        scores = stages.induction.max((1, 2))
        if "strongest induction score rises most" in said:
            then = int(np.diff(scores).argmax())
            when = "in the same stretch" if then == at else "before that" if then < at else "after that"
            assert f": {when}." in said
    assert how_it_learned.seen(stages.tokens[stages.bigram.argmin()]) in said
    assert "nan" not in said


@pytest.mark.parametrize("stages", list(kinds_of_stages()), ids=lambda s: f"{len(s)} stages")
def test_a_stage_is_told_as_it_is(stages):
    for stage in range(len(stages)):
        said = how_it_learned.here(stages, stage)
        assert f"After {int(stages.tokens[stage]):,} tokens" in said
        for kind, name in how_it_learned.KINDS.items():
            scores = getattr(stages, kind)[stage]
            if scores.max() < how_it_learned.TIMES * heads.even():
                assert f"No head is {how_it_learned.ARTICLES[kind]} {name} head yet" in said
            else:
                block, head = np.argwhere(scores == scores.max())[0] + 1
                assert f"strongest {name} head is block {block}, head {head} (" in said


def test_a_place_is_counted_from_one():
    induction = np.zeros((5, 2, 3))
    induction[-1, 1, 2] = 0.5
    assert (
        how_it_learned.place(made_stages.some(induction=induction), "induction", -1)
        == "block 2, head 3 (50 %)"
    )


def test_two_trainings_are_compared_by_their_strongest_heads():
    one = np.zeros((5, 2, 3))
    one[-1, 1, 2] = 0.5
    stages, same = (
        made_stages.some(induction=one, previous=one),
        made_stages.some(seed=1, induction=one, previous=one),
    )
    other = made_stages.some(seed=1, induction=one[:, ::-1], previous=one)
    assert how_it_learned.compared(stages, same).count("in the same place") == 2
    assert "elsewhere, block 1, head 3 (50 %)" in how_it_learned.compared(stages, other)
    none = made_stages.some(induction=0 * one, previous=0 * one, second=np.zeros(5))
    assert how_it_learned.compared(stages, none) == ""


@pytest.mark.parametrize("stages", list(kinds_of_stages())[:6], ids=lambda s: f"{len(s)} stages")
def test_every_stage_has_its_place_on_the_axis_and_the_mark_stands_at_the_chosen_one(stages):
    places = how_it_learned.axis(stages)
    assert (places > 0).all()
    assert (np.diff(places) > 0).all()
    for stage in range(len(stages)):
        drawn = how_it_learned.curves(stages, stage)
        assert drawn.layout.shapes[0].x0 == places[stage]
        assert all(len(trace.x) == len(stages) for trace in drawn.data)
    by_name = {trace.name: trace for trace in drawn.data}
    np.testing.assert_allclose(by_name["new name, second mention"].y, stages.second)
    np.testing.assert_allclose(by_name["held-out loss"].y, stages.held_out)


def test_the_table_holds_every_head():
    stages = made_stages.some()
    made = how_it_learned.columns(stages)
    assert {len(values) for values in made.values()} == {len(stages)}
    assert made["induction, block 2 head 3"] == stages.induction[:, 1, 2].tolist()


def test_what_a_model_writes_is_shown_as_text():
    shown = how_it_learned.written("<b>a & b</b>", "<script>", ended=True)
    assert "<script>" not in shown
    assert "&lt;b&gt;a &amp; b&lt;/b&gt;" in shown
    assert re.search(r"the end", shown)
    assert "it ends here" in how_it_learned.written("a", "", ended=True)
