"""A file in Markdown on a page that has headings of its own."""

import re

_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r" {0,3}(```|~~~)")


def beneath(text, level):
    """The text with its headings so many levels lower, the lowest at 6; code blocks are left alone."""
    lines, fence = [], None
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if found and fence in (None, found[1]):
            fence = None if fence else found[1]
        elif not fence and (heading := _HEADING.match(line)):
            line = "#" * min(level, 7 - len(heading[0])) + line
        lines.append(line)
    return "".join(lines)
