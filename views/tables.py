"""Tables as HTML: read by a screen reader, scrolled sideways on a phone, every cell escaped."""

import re
from html import escape

_MATRIX = re.compile(r", W(\w)$")
CSS = """
.table { overflow-x: auto; margin: 0 0 1rem; }
.table table { border-collapse: collapse; width: 100%; }
.table caption { text-align: left; font-weight: 600; padding: 0 0 0.4rem; }
.table th, .table td { padding: 0.35rem 0.6rem; text-align: left; vertical-align: top;
  border: 0; border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.table th { font-weight: 600; }
.table .n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.table .sub { display: block; opacity: 0.78; font-size: 0.88em; }
.table tfoot th, .table tfoot td { border-top: 2px solid currentColor; border-bottom: 0; font-weight: 600; }
.table sub { line-height: 0; }
.table .dot { display: inline-block; width: 0.7em; height: 0.7em; margin-right: 0.45em; border-radius: 2px; }
.table th[scope=row] { min-width: 7.6rem; }
.table td:has(.sub) { min-width: 8.5rem; }
@media (max-width: 640px) { .table th, .table td { padding: 0.35rem; }
  .table th[scope=row] { min-width: 6.6rem; }
  .table .n:has(.sub) { min-width: 5.4rem; } .table .n .sub { white-space: normal; } }
.table .dot { forced-color-adjust: none; print-color-adjust: exact; }
@media print { .table { overflow: visible; }  .table tfoot { display: table-row-group; } }
"""


def table(caption, head, rows, numeric=(), foot=None, marks=(), quoted=()):
    """HTML of a table.

    head: column titles; rows: lists of cells, the first being the row's name; a cell is a text, or
    a pair of texts, the second set smaller below; numeric: columns set to the right; foot: a last
    row; marks: the name of a mark for each row's dot, or None; quoted: columns that repeat what a file says.
    """
    titles = "".join(f'<th scope="col"{_kind(i in numeric)}>{escape(t)}</th>' for i, t in enumerate(head))
    marks = list(marks) or [None] * len(rows)
    body = "".join(_row(row, numeric, mark, quoted) for row, mark in zip(rows, marks, strict=True))
    last = f"<tfoot>{_row(foot, numeric)}</tfoot>" if foot else ""
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{titles}</tr></thead><tbody>{body}</tbody>{last}"
        "</table></div>"
    )


def _row(cells, numeric, mark=None, quoted=()):
    dot = f'<span class="dot" style="background: var(--mark-{mark})"></span>' if mark else ""
    texts = [f"<code>{_text(c)}</code>" if i in quoted else _text(c) for i, c in enumerate(cells)]
    rest = "".join(f"<td{_kind(i in numeric)}>{text}</td>" for i, text in enumerate(texts[1:], start=1))
    return f'<tr><th scope="row">{dot}{lowered(texts[0])}</th>{rest}</tr>'


def lowered(title):
    """A matrix's name with its letter set low: "queries, Wq" -> "queries, W<sub>q</sub>"."""
    return _MATRIX.sub(r", W<sub>\1</sub>", title)


def _kind(is_number):
    return ' class="n"' if is_number else ""


def _text(cell):
    if isinstance(cell, tuple):
        return f'{escape(cell[0])}<span class="sub">{escape(cell[1])}</span>'
    return escape(cell)
