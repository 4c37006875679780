"""Source text as rows: nothing is lost, and each piece is what it is said to be."""

import pytest

from engine import source
from views import listing


@pytest.mark.parametrize("file", ["engine/model.py", "engine/store.py", "engine/tokenizer.py"])
def test_the_pieces_make_up_the_file(file):
    text = source.text_of(file)
    shown = "\n".join("".join(piece for _, piece in row) for row in listing.rows(text)) + "\n"
    assert shown == text


def test_words_comments_and_texts_are_told_apart():
    text = 'def f(x):\n    """Two\n    lines."""\n    return "a # b" if x else 0  # why\n'
    first, second, third, fourth = listing.rows(text)
    assert first == [["k", "def"], ["", " "], ["d", "f"], ["", "(x):"]]
    assert second[-1] == ["t", '"""Two']
    assert third == [["t", '    lines."""']]
    assert ["t", '"a # b"'] in fourth
    assert fourth[-1] == ["c", "# why"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (((117, 117),), "line 117"),
        (((65, 89),), "lines 65–89"),
        (((1, 2), (5, 5)), "lines 1–2 and 5"),
        (((1, 1), (3, 4), (9, 9)), "lines 1, 3–4 and 9"),
    ],
)
def test_lines_are_said_in_words(lines, said):
    assert listing.span(lines) == said
