"""Whatever the text: no wrong plural, no number that is none, no markup of the reader's taken for ours."""

import itertools

import pytest

from tests.pages import odd_texts, prose
from tests.pages.reader import SHORT, Reader, page_names

# Views whose sentences are made from the reader's text, with what opens them.
VIEWS = [
    ("lens", {}), ("lens", {"rows": "within"}), ("stream", {}), ("stream", {"stream": "numbers"}),
    ("stream", {"stream": "direction"}), ("stream", {"stream": "models"}), ("rope", {"rope": "head"}),
    ("norm", {}), ("norm", {"rms": "mean"}), ("norm", {"rms": "epsilon"}), ("norm", {"rms": "order"}),
    ("gate", {"gate": "units"}), ("gate", {"gate": "shut"}), ("leave_out", {"over": "one"}), ("depth", {}),
    ("mismatch", {}), ("models", {}),
]  # fmt: skip
MODELS = ("gpt-1", "store", "gpt-4")
PART = 30  # texts a test


def opened(page, model, text, **more):
    own = {
        "text": "own",
        "own": text,
        "product": "own",
        "own_product": text,
        "prompt": text,
        "product_prompt": text,
    }
    return Reader(page, model=model, **own, **more)


def wrong(page, model, text, **more):
    """What is wrong with one view of one text, as lines."""
    reader = opened(page, model, text, **more)
    found = [*reader.trouble(), *prose.complaints(reader), *prose.unescaped(reader, "zq")]
    return [f"{page} {more} {model} {text[:60]!r}: {one}" for one in found]


@pytest.mark.parametrize("part", range(10))
def test_no_text_makes_a_sentence_wrong(part):
    turns = itertools.cycle(itertools.product(VIEWS, MODELS))
    texts = odd_texts.every(10 * PART)
    tried = list(zip(texts, turns, strict=False))[PART * part : PART * (part + 1)]
    found = [one for text, ((page, more), model) in tried for one in wrong(page, model, text, **more)]
    assert not found, "\n".join(found[:30])


@pytest.mark.parametrize(("page", "more"), VIEWS)
def test_the_oddest_texts_are_told_of_everywhere(page, more):
    hard = (
        "",
        "a",
        "!!! !!! !!!",
        "the old man and the old man",
        "<b>zq</b> $zq$ *zq* [zq](zq) :red[zq]",
        "<|end|>",
    )
    found = [one for text in hard for model in MODELS[:2] for one in wrong(page, model, text, **more)]
    assert not found, "\n".join(found[:30])


@pytest.mark.parametrize("page", page_names())
def test_every_tab_of_a_page_is_well_written(page):
    found, first = [], Reader(page, **SHORT)
    for control in first.controls():
        if control.kind == "button_group":
            for choice in control.choices:
                found += prose.complaints(Reader(page, **SHORT).choose((control, choice)))
    found += prose.complaints(first)
    assert not found, "\n".join(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("It reads 1 tokens.", True), ("1 nearly closed gates", True), ("the 1 columns", True),
        ("−0.0 % of it", True), ("It is nan.", True), ("about 1e+16 times", True),
        ("Two  spaces", True), ("An end. . Then", True), ("2 token", True), ("1,431 token here", True),
        ("It reads 1 token.", False), ("Block 1 tokens", False), ("0.1 tokens", False),
        ("1,001 tokens", False), ("of gpt-1 tokens", False), ("It is 100 %.", False),
        ("2 token-wise steps", False), ("An end … then", False),
    ],
)  # fmt: skip
def test_the_scanner_knows_wrong_from_right(sentence, wrong):
    assert bool(list(prose._kinds(sentence, "markdown"))) == wrong
