"""What is said of a text's tokens is what was counted."""

import re
from html import unescape

import pytest

import engine
from engine import merges
from views import tokens

MODEL = engine.load("gpt-1")
TEXTS = ["", "a", "The dog found the ball.", "🦊🦊", "<b>$x$</b> <|end|>", "a\u202eb", "word " * 300]


def label(i):
    return MODEL.tokenizer.label(i)


@pytest.mark.parametrize("text", TEXTS)
def test_the_sentences_hold(text):
    ids = MODEL.tokenizer.encode(text, start=False)
    found = merges.learned(MODEL.tokenizer, text)
    said = " ".join(tokens.sentences(len(text.encode()), ids, found, label))
    if not ids:
        assert "no pieces" in said
        return
    size, count = re.search(r"([\d,]+) bytes? becomes? ([\d,]+) token", said).groups()
    assert (int(size.replace(",", "")), int(count.replace(",", ""))) == (len(text.encode()), len(ids))
    assert "1 tokens" not in said
    assert "1 bytes" not in said
    assert ("learned last" in said) == bool(found.merges)


@pytest.mark.parametrize("text", TEXTS)
def test_every_step_of_the_slider_is_told(text):
    found = merges.learned(MODEL.tokenizer, text)
    for step in range(len(found.merges) + 1):
        said = tokens.merge_said(found, step, label)
        left = sum(map(len, found.cut(step)))
        assert f"{left:,} " in said
        assert not re.search(r"\b1 (pieces|times)\b", said)
        if step:
            assert f"Merge {found.merges[step - 1].rank:,} of {found.total:,}" in said


@pytest.mark.parametrize("text", TEXTS)
def test_chips_show_every_piece_and_nothing_is_markup(text):
    ids = MODEL.tokenizer.encode(text)
    made = merges.rank_of(MODEL.tokenizer)
    html = tokens.chips([ids], label, rank_of=made, total=max(made.values()))
    shown = re.findall(r"<span[^>]*>(.*?)<small>", html)
    assert [unescape(one) for one in shown] == [label(i) for i in ids[: tokens.MOST]]
    assert ("not drawn" in html) == (len(ids) > tokens.MOST)


def test_the_rarest_are_those_learned_last():
    made = merges.rank_of(MODEL.tokenizer)
    ids = MODEL.tokenizer.encode("Her brown dog clapped on a sunny day")
    html = tokens.rare(ids, made, {}, label, 40)
    listed = [unescape(one) for one in re.findall(r'<th scope="row">(.*?)</th>', html)]
    wanted = sorted({i for i in ids if i in made}, key=lambda i: -made[i])[: tokens.RARE]
    assert listed == [label(i) for i in wanted]
    assert tokens.rare([MODEL.tokenizer.marker_id], made, {}, label, 40) == ""
