"""A figure for every head of a model, as a table of blocks and heads, in HTML."""

from dataclasses import dataclass
from html import escape

CSS = """
.heads { overflow-x: auto; padding: 3px; }
.heads table { border-collapse: separate; border-spacing: 4px; }
.heads th { font-weight: 400; font-size: .85rem; color: var(--mark-norm); white-space: nowrap; border: 0;
  text-align: left; padding: 0 .5rem 0 0; }
.heads thead th { text-align: center; padding: 0; }
.heads thead td { border: 0; padding: 0; width: 0; }
.heads tbody td { min-width: 5.6rem; height: 2.9rem; vertical-align: top; padding: .25rem .4rem;
  border-radius: 4px; font-size: .9rem; line-height: 1.3;
  border: 1px solid color-mix(in srgb, var(--mark-norm) 45%, transparent); }
.heads td.framed { outline: 3px solid var(--mark-accent); outline-offset: -2px; }
.heads small { float: right; font-size: .78rem; line-height: 1.5; color: var(--mark-norm); }
.heads i { display: block; height: .5rem; border-radius: 2px; background: var(--mark-attention); }
@media (max-width: 640px) {
  .heads table { border-spacing: 2px; }
  .heads th { font-size: .72rem; padding: 0 .2rem 0 0; }
  .heads tbody td { min-width: 2.65rem; padding: .15rem .2rem; font-size: .82rem; }
  .heads small { float: none; display: block; font-size: .65rem; white-space: nowrap; }
}
.heads i { forced-color-adjust: none; print-color-adjust: exact; }
@media print { .heads { overflow: visible; } .heads tbody td { min-width: 0; } }
.heads-key { font-size: .85rem; color: var(--mark-norm); margin: .2rem 0 1rem; }
"""


@dataclass(frozen=True)
class Cell:
    """One head's: a figure, a smaller one beside it, a bar from 0 to 1, and whether it is framed."""

    figure: str = "–"
    small: str = ""
    bar: float = 0.0
    framed: bool = False


def html(caption, rows, key):
    """rows: lists of cells, a row a block, the first being block 1; key: what figures and bars mean."""
    top = "".join(f'<th scope="col">head {n}</th>' for n in range(1, 1 + len(rows[0])))
    body = "".join(
        f'<tr><th scope="row">block {n}</th>{"".join(map(_cell, row))}</tr>'
        for n, row in enumerate(rows, start=1)
    )
    return (
        f'<style>{CSS}</style><div class="heads" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table><thead><tr><td></td>{top}</tr></thead><tbody>{body}</tbody></table></div>"
        f'<p class="heads-key">{escape(key)}</p>'
    )


def _cell(cell):
    framed = " class=framed" if cell.framed else ""
    return (
        f"<td{framed}>{escape(cell.figure)}<small>{escape(cell.small)}</small>"
        f'<i style="width: {100 * cell.bar:.1f}%"></i></td>'
    )
