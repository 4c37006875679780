"""Merges done one by one, in the order they were learned, give the very tokens of the tokenizer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import models

import engine
from engine import merges
from engine.errors import LacksError
from engine.tokenizer import Tokenizer

OURS = {name: engine.load(name).tokenizer for name in ("gpt-1", "store")}


@pytest.mark.parametrize("name", OURS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=60))
def test_all_merges_give_the_tokenizer_s_own_tokens(name, text):
    tokenizer = OURS[name]
    found = merges.learned(tokenizer, text)
    last = [i for word in found.cut(len(found.merges)) for i in word]
    assert last == tokenizer.encode(text, start=False)


@pytest.mark.parametrize("name", OURS)
def test_every_step_joins_one_pair_wherever_it_stands(name):
    tokenizer = OURS[name]
    text = "The dog found the ball, and then the other dog found it too: 🦊!"
    found = merges.learned(tokenizer, text)
    whole = b"".join(tokenizer.piece(i) for word in found.words for i in word)
    assert whole == text.encode()
    before = found.cut(0)
    assert before == list(found.words)
    for step, merge in enumerate(found.merges, start=1):
        after = found.cut(step)
        assert b"".join(tokenizer.piece(i) for word in after for i in word) == whole
        assert sum(map(len, before)) - sum(map(len, after)) == merge.count
        assert tokenizer.piece(merge.made) == tokenizer.piece(merge.left) + tokenizer.piece(merge.right)
        before = after
    ranks = [merge.rank for merge in found.merges]
    assert ranks == sorted(set(ranks))
    assert 1 <= ranks[0] <= ranks[-1] <= found.total


def test_each_step_is_what_a_tokenizer_with_these_merges_alone_would_give():
    tokenizer = OURS["gpt-1"]
    pieces, _, pairs = tokenizer.vocabulary()
    text = "Once upon a time there was a little girl named Lily."
    found = merges.learned(tokenizer, text)
    for step in (1, len(found.merges) // 2, len(found.merges) - 1):
        known = pairs[: found.merges[step - 1].rank]
        model = models.BPE(vocab={piece: i for i, piece in enumerate(pieces)}, merges=known)
        shorter = Library(model)
        shorter.pre_tokenizer = tokenizer._library.pre_tokenizer
        assert [i for word in found.cut(step) for i in word] == shorter.encode(text).ids


def test_a_piece_knows_its_merge():
    tokenizer = OURS["gpt-1"]
    made = merges.rank_of(tokenizer)
    found = merges.learned(tokenizer, "a sunny day")
    assert all(made[merge.made] == merge.rank for merge in found.merges)
    assert tokenizer.marker_id not in made


def test_the_store_s_separator_stays_whole():
    tokenizer = OURS["store"]
    found = merges.learned(tokenizer, "Blue Bag\nA bag <|separator|>")
    assert (tokenizer.separator_id,) in found.words
    assert found.cut(len(found.merges)).count((tokenizer.separator_id,)) == 1


def test_pieces_that_are_not_merged_are_told():
    words = Tokenizer.__new__(Tokenizer)
    words._library = Library(models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    words.separator_id = None
    with pytest.raises(LacksError, match="merge"):
        merges.learned(words, "a")


def test_a_word_without_end_is_refused():
    with pytest.raises(LacksError, match="too long"):
        merges.learned(OURS["gpt-1"], "a" * (merges.LONGEST + 1))
