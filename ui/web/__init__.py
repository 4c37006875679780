"""What runs in the browser: the components' scripts, styles and markup, each a file of its own."""

from pathlib import Path


def text(*names):
    """The text of files of this folder, one after the other, as a component takes it."""
    return "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in names)
