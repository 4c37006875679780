"""Headings of a file that a page shows below headings of its own."""

from engine import weights
from views.markdown import beneath


def test_headings_go_down_together_and_not_below_the_sixth():
    assert beneath("# a\n## b\n###### c\n#d\n", 2) == "### a\n#### b\n###### c\n#d\n"
    assert beneath("##### a", 4) == "###### a"


def test_what_stands_in_a_block_of_code_is_no_heading():
    text = "# a\n```\n# b\n~~~\n# c\n```\n# d"
    assert beneath(text, 1) == "## a\n```\n# b\n~~~\n# c\n```\n## d"


def test_nothing_but_headings_changes():
    for name in weights.available():
        text = (weights.FOLDER / name / "card.md").read_text(encoding="utf-8")
        before, after = text.splitlines(), beneath(text, 2).splitlines()
        changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        assert changed
        assert all(b == f"##{a}" for a, b in changed)
