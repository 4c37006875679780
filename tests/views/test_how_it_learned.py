"""What is said of a training is so, for any stages."""

import re
from dataclasses import replace

import numpy as np
import pytest

from engine import heads, stages
from tests import made_stages
from views import how_it_learned
from views.numbers import percent


def kinds_of_stages():
    """Many trainings that never were: random, flat, falling, with a jump, of one stage, with ties."""
    rng = np.random.default_rng(0)
    for seed in range(25):
        yield made_stages.some(S=int(rng.integers(1, 9)), L=int(rng.integers(1, 5)), seed=seed)
    for second in (
        np.zeros(5),
        np.linspace(0.9, 0.1, 5),
        [0, 0.01, 0.02, 0.9, 0.95],  # a jump
        [0, 0.9, 0.9, 0.9, 0.9],  # in the first stretch
        [0, 0.25, 0.5, 0.75, 1],  # the same rise everywhere
        [0, 0, 0.9, 0.02, 0.01],  # and gone again
        [0.5, 0.2, 0.2, 0.24, 0.2],
    ):
        yield made_stages.some(second=second)
        yield made_stages.some(second=second, first=np.zeros(5))
    yield made_stages.some(held_out=[9, 9, 9, 9, 9])
    yield made_stages.some(held_out=[5, 6, 7, 8, 9], second=np.zeros(5), induction=np.zeros((5, 2, 3)))
    yield made_stages.some(induction=np.full((5, 2, 3), 0.99999), second=np.ones(5))
    yield made_stages.some(S=2)
    yield made_stages.some(tokens=[0, 19_999_900, 19_999_950, 20_000_100, 20_000_120])
    yield resumed()


def resumed():
    """A training that was taken up again with its rates raised: the loss rises and falls once more."""
    about = made_stages.some().about
    command = "python -m training train gpt-4 --tokens {} --watch"
    about = about | {"command": stages.THEN.join((command.format(11_000_000), command.format(20_500_000)))}
    made = made_stages.some(
        tokens=[0, 3_000_000, 11_002_198, 12_002_312, 20_502_970],
        held_out=[9, 3, 2.018, 2.2, 1.97],
        second=[0, 0.67, 0.92, 0.9, 0.93],
    )
    return replace(made, about=about)


@pytest.mark.parametrize("found", list(kinds_of_stages()), ids=lambda s: f"{len(s)} stages")
def test_every_sentence_is_so(found):
    said = " ".join(how_it_learned.sentences(found))
    if len(found) < 2:
        assert said.startswith("One stage was kept")
        return
    rises = np.diff(found.second)
    grew = (found.second - np.minimum.accumulate(found.second)).max() >= how_it_learned.LEAST
    assert grew == ("Copying a made-up name rises most" in said) != ("does not rise by 5 percentage" in said)
    scores = found.induction.max((1, 2))
    if grew:
        at, alone = int(rises.argmax()), np.count_nonzero(rises == rises.max()) == 1
        first = "" if alone else "in several stretches alike, first "
        assert f"name rises most {first}{how_it_learned.between(found, at)}: from" in said
        moved = np.sign(found.held_out[at + 1] - found.held_out[at])
        there = "In the stretch of copying" if alone else "In the first of those stretches"
        assert f"{there} the held-out loss { {-1: 'fell', 0: 'stayed', 1: 'rose'}[moved] }" in said
        assert ("It falls again" in said) == (found.second.max() - found.second[-1] >= how_it_learned.LEAST)
        assert ("there is nothing to copy" in said) == (found.first[at + 1] > found.second[at + 1] / 2)
        steps = np.diff(scores)
        then, told = int(steps.argmax()), "strongest induction score rises most" in said
        if told and alone and np.count_nonzero(steps == steps.max()) == 1:
            when = "in the same stretch" if then == at else "before that" if then < at else "after that"
            assert re.search(rf": {when}[.;]", said)
            ends = [percent(float(score)) for score in scores[at : at + 2]]
            assert (f"it goes from {' to '.join(ends)}" in said) == (then != at)
        else:
            assert not re.search("in the same stretch|before that|after that", said)
    assert how_it_learned.seen(found.tokens[found.bigram.argmin()]) in said
    assert "nan" not in said


@pytest.mark.parametrize("found", list(kinds_of_stages()), ids=lambda s: f"{len(s)} stages")
def test_where_the_loss_rises_is_told(found):
    said = how_it_learned.loss_rises(found)
    rises = np.diff(found.held_out)
    if not len(rises) or rises.max() < how_it_learned.BACK:
        assert said == ""
        return
    at = int(rises.argmax())
    assert f"{how_it_learned.between(found, at)}, from {found.held_out[at]:.3f} to" in said
    more, alike = int((rises >= how_it_learned.BACK).sum()) - 1, (rises == rises.max()).sum() > 1
    assert ("in several stretches alike" in said) == alike
    assert (f"in {more} more of {len(rises)} stretch" in said) == (more > 0 and not alike)


def test_where_a_training_was_taken_up_under_another_command_is_told():
    found = resumed()
    assert found.taken_up == {2}
    said = how_it_learned.loss_rises(found)
    assert "between 11 M and 12 M tokens, from 2.018 to 2.200 nats a token, where" in said
    assert said.endswith("taken up under another command.")
    assert [command.split()[-2] for command in found.commands] == ["11000000", "20500000"]


@pytest.mark.parametrize(
    ("tokens", "said"),
    [(0, "0"), (100, "100"), (10_000, "10 k"), (650_113, "650.11 k"), (11_002_198, "11 M"), (2.4e6, "2.4 M")],
)
def test_a_stage_is_named_without_idle_zeros(tokens, said):
    assert how_it_learned.seen(tokens) == said


def test_stages_too_near_for_the_short_way_of_writing_are_told_apart():
    found = made_stages.some(tokens=[0, 19_999_900, 19_999_950, 20_000_100, 20_000_120])
    assert how_it_learned.between(found, 1) == "between 19,999,900 and 19,999,950 tokens"


@pytest.mark.parametrize("found", list(kinds_of_stages()), ids=lambda s: f"{len(s)} stages")
def test_a_stage_is_told_as_it_is(found):
    for stage in range(len(found)):
        said = how_it_learned.here(found, stage)
        assert f"After {int(found.tokens[stage]):,} token" in said
        for kind, name in how_it_learned.KINDS.items():
            scores = getattr(found, kind)[stage]
            if scores.max() < how_it_learned.TIMES * heads.even():
                assert f"No head is {how_it_learned.ARTICLES[kind]} {name} head" in said
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
    found, same = (
        made_stages.some(induction=one, previous=one),
        made_stages.some(seed=1, induction=one, previous=one),
    )
    other = made_stages.some(seed=1, induction=one[:, ::-1], previous=one)
    assert how_it_learned.compared(found, same).count("in the same place") == 2
    assert "elsewhere, block 1, head 3 (50 %)" in how_it_learned.compared(found, other)
    none = made_stages.some(seed=2, induction=0 * one, previous=0 * one, second=np.zeros(5))
    assert how_it_learned.compared(found, none) == ""


def test_a_training_that_is_another_s_first_part_is_called_so():
    whole = made_stages.some(S=5)
    part = stages.together(whole.about, stages.apart(whole)[:3])
    last = how_it_learned.seen(whole.tokens[2])
    for one, other in ((whole, part), (part, whole)):
        said = how_it_learned.compared(one, other)
        assert said.startswith(f"Up to {last} tokens its stages are those of")
        assert "elsewhere" not in said


@pytest.mark.parametrize("found", list(kinds_of_stages())[:6], ids=lambda s: f"{len(s)} stages")
def test_every_stage_has_its_place_on_the_axis_and_the_mark_stands_at_the_chosen_one(found):
    places = how_it_learned.axis(found)
    assert (places > 0).all()
    assert (np.diff(places) > 0).all()
    for stage in range(len(found)):
        drawn = how_it_learned.curves(found, stage)
        assert drawn.layout.shapes[0].x0 == places[stage]
        assert all(len(trace.x) == len(found) for trace in drawn.data)
    by_name = {trace.name: trace for trace in drawn.data}
    np.testing.assert_allclose(by_name["new name, second mention"].y, found.second)
    np.testing.assert_allclose(by_name["held-out loss"].y, found.held_out)


def test_the_table_holds_every_head():
    found = made_stages.some()
    made = how_it_learned.columns(found)
    assert {len(values) for values in made.values()} == {len(found)}
    assert made["induction, block 2 head 3"] == found.induction[:, 1, 2].tolist()


def test_what_a_model_writes_is_shown_as_text():
    shown = how_it_learned.written("<b>a & b</b>", "<script>", ended=True)
    assert "<script>" not in shown
    assert "&lt;b&gt;a &amp; b&lt;/b&gt;" in shown
    assert re.search(r"the end", shown)
    assert "it ends here" in how_it_learned.written("a", "", ended=True)
