"""What is said of a tiny model's training is so, for any training."""

import numpy as np
import pytest

from engine.tiny_training import Look
from views import tiny_training as tiny_training_view


def run(copied, L=2, H=2, seed=0, step=20):
    rng = np.random.default_rng(seed)
    return [Look(step * n, 4.0, p, rng.random((L, H)), rng.random((L, H))) for n, p in enumerate(copied)]


JUMP = run([0.01, 0.02, 0.03, 0.6, 0.9, 0.95])
FLAT = run([0.01, 0.02, 0.03, 0.05, 0.05, 0.05], L=1)


def test_a_jump_is_where_copying_rose_most_and_only_where_the_model_copies():
    assert tiny_training_view.jump(JUMP) == 60
    assert tiny_training_view.jump(FLAT) is None
    assert tiny_training_view.jump(JUMP[:1]) is None
    assert [tiny_training_view.third(JUMP, steps) for steps in (60, 100, 120, 300)] == [
        "third",
        "second",
        "second",
        "first",
    ]
    assert tiny_training_view.third(FLAT, 100) == "never"


@pytest.mark.parametrize(
    ("guess", "words"), [("second", "as you guessed"), ("never", "you guessed not at all")]
)
def test_a_guess_is_judged_by_what_came(guess, words):
    said = tiny_training_view.judged({"2 blocks": JUMP}, {"2 blocks": guess}, 120, over=False)
    assert said == [f"With 2 blocks: copying rose most by step 60, in the second third, {words}."]


def test_that_a_model_does_not_copy_is_said_only_when_its_training_is_over():
    assert tiny_training_view.judged({"1 block": FLAT}, {"1 block": "never"}, 100, over=False) == []
    said = tiny_training_view.judged({"1 block": FLAT}, {"1 block": "never"}, 100, over=True)
    assert said == ["With 1 block: it does not copy (at most 5.0 %), as you guessed."]
    assert tiny_training_view.judged({"1 block": FLAT}, {"1 block": None}, 100, over=True) == []


@pytest.mark.parametrize("seed", range(12))
def test_every_sentence_is_so(seed):
    rng = np.random.default_rng(seed)
    made = run(np.sort(rng.random(int(rng.integers(1, 9)))), L=int(rng.integers(1, 4)), seed=seed)
    said = " ".join(tiny_training_view.sentences({"2 blocks": made}))
    assert f"After {made[-1].step} step" in said
    induction = made[-1].induction
    block, head = np.argwhere(induction == induction.max())[0]
    looks = f"Block {block + 1}, head {head + 1} looks most at what followed the last time ("
    assert (looks in said) == (tiny_training_view.jump(made) is not None)
    assert "induction head is" not in said  # a score is measured, and may be low
    if tiny_training_view.jump(made) is not None and block:
        before = made[-1].previous[:block]
        b, h = np.argwhere(before == before.max())[0] + 1
        assert f"block {b}, head {h} looks most" in said


def test_the_axes_stand_still_while_it_trains():
    some, all_of_it = (tiny_training_view.curve({"2 blocks": JUMP[:n]}, 100) for n in (2, 6))
    assert some.layout.xaxis == all_of_it.layout.xaxis
    assert some.layout.yaxis == all_of_it.layout.yaxis
    assert list(all_of_it.data[0].y) == [one.copied for one in JUMP]


def test_the_table_holds_both_models():
    made = tiny_training_view.columns({"2 blocks": JUMP, "1 block": FLAT})
    assert {len(column) for column in made.values()} == {12}
    assert made["induction, block 2 head 1"][6:] == [None] * 6


def test_every_head_has_its_cell_and_an_induction_head_its_frame():
    one = Look(20, 4.0, 0.9, np.full((2, 2), 0.1), np.array([[0.0, 0.1], [0.2, 0.9]]))
    shown = tiny_training_view.heads("2 blocks", one)
    assert shown.count("before: 10 %") == 4
    assert shown.count("class=framed") == 1
    quiet = Look(20, 4.0, 0.9, np.full((2, 2), 0.1), np.full((2, 2), 0.1))
    assert "class=framed" not in tiny_training_view.heads("2 blocks", quiet)
