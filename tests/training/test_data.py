"""From documents to rows and batches: nothing lost, nothing twice, and the same again after a break."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import measures
from tests import tiny
from training.data import Batches, Stories, pack, padded, train_tokenizer

SIZE = 16


@settings(deadline=None)
@given(st.lists(st.integers(1, SIZE), max_size=60))
def test_packing_keeps_every_id_once_and_every_piece_whole(lengths):
    ends = np.cumsum([0, *lengths])
    pieces = [list(range(start, end)) for start, end in pairwise(ends)]
    rows = pack(pieces, SIZE)
    assert sorted(i for row in rows for i in row) == list(range(ends[-1]))
    assert all(0 < len(row) <= SIZE for row in rows)
    starts, last = set(ends[:-1].tolist()), set((ends[1:] - 1).tolist())
    for row in rows:
        assert row[0] in starts
        assert row[-1] in last
        assert all(b == a + 1 or (a in last and b in starts) for a, b in pairwise(row))


def test_packing_leaves_little_room():
    lengths = np.random.default_rng(0).integers(20, 300, 500)
    rows = pack([[0] * n for n in lengths], 513)
    assert lengths.sum() / (len(rows) * 513) > 0.95


def test_a_row_is_filled_up_with_what_does_not_count():
    ids, counted = padded([[5, 6], [7, 8, 9]], 4, filler=1)
    assert ids.tolist() == [[5, 6, 1, 1], [7, 8, 9, 1]]
    assert counted.tolist() == [[True, True, False, False], [True, True, True, False]]


# rows of stories


def stories(length=40, **more):
    return Stories(list(measures.own_stories()), tiny.stories_tokenizer(), length, seed=3, **more)


def test_every_row_starts_with_the_marker():
    ids, counted = stories().rows(0)
    assert ids.shape[1] == counted.shape[1] == 41
    assert (ids[:, 0] == tiny.stories_tokenizer().marker_id).all()
    assert counted[:, 0].all()
    assert (np.diff(counted.astype(int), axis=1) <= 0).all()  # what is filled up is at the end


def test_every_token_of_every_story_is_in_a_row_once():
    source = stories(renamed=0, roll_calls=0)
    tokenizer = source.tokenizer
    ids, counted = source.rows(0)
    marker = tokenizer.marker_id
    there = np.bincount(ids[counted & (ids != marker)], minlength=tiny.PIECES)
    encoded = [tokenizer.encode(text, start=False) for text in source.texts]
    assert np.array_equal(there, np.bincount([i for row in encoded for i in row], minlength=tiny.PIECES))
    chunks = sum(-(-len(row) // 40) for row in encoded)
    assert (ids[counted] == marker).sum() == chunks
    whole = tokenizer.decode(ids[counted])
    assert len(whole) == sum(map(len, source.texts))
    rows = [row[mask] for row, mask in zip(ids, counted, strict=True)]
    of_one_text = [tokenizer.decode(row) for row in rows if (row == marker).sum() == 1]
    assert len(of_one_text) > 40
    assert all(any(part in text for text in source.texts) for part in of_one_text)


def test_an_epoch_is_the_same_again_and_the_next_is_another():
    once, again = stories().rows(1), stories().rows(1)
    assert all(np.array_equal(a, b) for a, b in zip(once, again, strict=True))
    other = stories().rows(2)[0]
    assert not np.array_equal(once[0][:20], other[:20])


# batches


class Numbered:
    """Eleven rows an epoch; every row tells its epoch and its number."""

    def rows(self, epoch):
        ids = np.array([[1000 * epoch + row] * 4 for row in range(11)], dtype=np.uint16)
        counted = np.ones((11, 4), dtype=bool)
        counted[3, 2:] = False
        return ids, counted


def numbers(batches, n):
    return [next(batches)[0][:, 0].tolist() for _ in range(n)]


def test_batches_walk_through_epoch_after_epoch():
    assert numbers(Batches(Numbered(), 4), 4) == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [1000, 1001, 1002, 1003],
        [1004, 1005, 1006, 1007],
    ]


@pytest.mark.parametrize("done", range(7))
def test_a_walk_that_was_stopped_goes_on_in_the_same_order(done):
    whole = numbers(Batches(Numbered(), 4), 7)
    walk = Batches(Numbered(), 4)
    before = numbers(walk, done)
    assert before + numbers(Batches(Numbered(), 4, walk.epoch, walk.place), 7 - done) == whole


@pytest.mark.parametrize("world", [1, 2, 4])
def test_the_shares_of_all_processes_are_the_batch(world):
    alone = Batches(Numbered(), 4)
    shared = [Batches(Numbered(), 4, rank=rank, world=world) for rank in range(world)]
    for _ in range(5):
        ids, counted, total = next(alone)
        parts = [next(one) for one in shared]
        assert sorted(row for part in parts for row in part[0].tolist()) == sorted(ids.tolist())
        assert {part[2] for part in parts} == {total}
        assert sum(part[1][:, 1:].sum().item() for part in parts) == total == counted[:, 1:].sum().item()
        assert {len(part[0]) for part in parts} == {4 // world}


def test_a_batch_that_can_not_be_shared_is_refused():
    with pytest.raises(ValueError, match="A batch of 4 rows can't be shared by 3 processes"):
        Batches(Numbered(), 4, world=3)


def test_a_batch_is_what_torch_wants():
    ids, counted, total = next(Batches(Numbered(), 4))
    assert (ids.dtype, counted.dtype, type(total)) == (torch.int64, torch.bool, int)
    assert total == 3 * 3 + 1  # the first column predicts nothing


# tokenizers


def test_a_tokenizer_has_the_pieces_it_was_asked_for_markers_first():
    tokenizer = train_tokenizer(measures.own_stories(), 300, ("<|a|>", "<|end|>"))
    assert len(tokenizer) == 300
    assert [tokenizer.label(i) for i in (0, 1)] == ["<|a|>", "<|end|>"]


def test_a_text_too_poor_for_so_many_pieces_is_refused():
    with pytest.raises(ValueError, match=r"The corpus gives \d+ pieces, not 400"):
        train_tokenizer(["aa bb"], 400)


def test_pieces_do_not_run_across_words_or_digits():
    tokenizer = train_tokenizer([*measures.own_stories(), "in 2024 " * 500], 600)
    pieces = [tokenizer.piece(i) for i in range(len(tokenizer))]
    assert {b" the", b"2", b"0"} <= set(pieces)
    assert not [piece for piece in pieces if len(piece.split()) > 1]
    assert not [piece for piece in pieces if len(piece.strip()) > 1 and piece.strip().isdigit()]
