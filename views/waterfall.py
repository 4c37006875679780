"""A score as a waterfall: what each part wrote, as rows for the page, as a table and as a picture."""

from dataclasses import dataclass, replace
from html import escape

import numpy as np

from views import marks
from views.numbers import counted, figure

SUM, EMBEDDING, NORM_BIAS, OUTPUT_BIAS = "sum", "embedding", "norm-bias", "output-bias"
UNITS = 8  # units of a layer that have rows of their own
_SMALL = 0.005  # what is below it is rounded to nothing
_ROUNDING = 1e-5  # what is left of a part beside its own parts where it has no bias


@dataclass(frozen=True)
class Row:
    """One part: what it wrote, where the sum stood before, and what is lost without it, if that is known."""

    id: str  # "a3" attention of block 3, "a3.2" its head 2, "f3" the feed-forward layer, "f3.17" its unit 17
    name: str
    mark: str
    wrote: float
    before: float = 0.0
    inner: bool = False
    taps: bool = True
    lost: float | None = None


def signed(x):
    """A share as it is written: +6.12, −0.24, under ±0.01."""
    if x is None:
        return ""
    if abs(x) < _SMALL:
        return "0" if x == 0 else "under ±0.01"
    return f"{x:+,.2f}".replace("-", "−")


def rows(direct, opened="", lost=None):
    """All rows, from the embedding to the sum.

    direct: an engine.attribution.Direct; opened: the id of a part whose own parts have rows too, or of one
    of these; lost: {block: (H + 2,) array} as engine.patching.left_out gives them.
    """
    found, before = [], 0.0
    for row in _parts(direct, lost or {}):
        found.append(replace(row, before=before))
        if opened.partition(".")[0] == row.id:
            found += _within(direct, row.id, before, (lost or {}).get(_block(row.id)))
        before += row.wrote
    return [*found, Row(SUM, "the sum", "stream", direct.total, taps=False)]


def _parts(direct, lost):
    """What makes up the sum, in the order it is written."""
    found = [Row(EMBEDDING, "embedding", "embedding", direct.embedding)]
    for block, (attended, made) in enumerate(zip(direct.attention, direct.feed_forward, strict=True)):
        known = lost.get(block)
        name, ends = f"block {block + 1}", (None, None) if known is None else (known[0], known[-1])
        found.append(Row(f"a{block + 1}", f"{name}, attention", "attention", attended, lost=ends[0]))
        found.append(Row(f"f{block + 1}", f"{name}, feed-forward", "feed-forward", made, lost=ends[1]))
    for one, name, wrote in (
        (NORM_BIAS, "last norm's bias", direct.norm_bias),
        (OUTPUT_BIAS, "output's bias", direct.output_bias),
    ):
        if wrote:
            found.append(Row(one, name, "norm", wrote, taps=False))
    return found


def _block(part):
    """The block of a part's id, from 0; None for what belongs to none."""
    number = part[1:].partition(".")[0]
    return int(number) - 1 if number.isdigit() else None


def _within(direct, part, before, lost):
    """The heads of an attention, or the units of a feed-forward layer that wrote most, and what is left."""
    block = _block(part)
    if block is None:
        return []
    if part.startswith("a"):
        named = [(f"{part}.{h + 1}", f"head {h + 1}", share) for h, share in enumerate(direct.heads[block])]
        whole, mark = direct.attention[block], "attention"
    elif direct.units is None:
        return []
    else:
        shares = direct.units[block]
        most = np.argsort(-np.abs(shares), kind="stable")[:UNITS]
        named = [(f"{part}.{unit}", f"unit {unit}", shares[unit]) for unit in most]
        left = len(shares) - len(most)
        rest = float(np.delete(shares, most).sum())
        named += [("", f"the other {counted(left, 'unit')}", rest)] if left else []
        whole, mark = direct.feed_forward[block], "feed-forward"
    over = float(whole) - sum(share for *_, share in named)
    named += [("", "its bias", over)] if abs(over) > _ROUNDING * max(1.0, abs(whole)) else []
    return _stacked(named, mark, before, None if part.startswith("f") else lost)


def _stacked(named, mark, before, lost):
    """Rows below one another.  lost: of heads, as left_out gives it."""
    found = []
    for at, (one, name, share) in enumerate(named):
        known = lost[at + 1] if lost is not None and one else None
        found.append(Row(one, name, mark, float(share), before, True, bool(one), known))
        before += float(share)
    return found


def data(found, label):
    """Rows as the component takes them.  label: what the figure shows, in words."""
    edges = [0.0, *(row.before for row in found), *(row.before + row.wrote for row in found)]
    low, high = min(edges), max(edges)
    return {
        "label": label,
        "head": ["part", "wrote", "lost without it"],
        "ends": [low, high],
        "key": "Each bar begins where the one before ended; a striped bar takes away. Dashed: 0.",
        "rows": [_sent(row) for row in found],
    }


def _sent(row):
    known = "" if row.lost is None else f", lost without it {signed(row.lost)}"
    return {
        "id": row.id,
        "name": row.name,
        "mark": row.mark,
        "from": row.before,
        "to": row.before + row.wrote,
        "wrote": signed(row.wrote),
        "lost": signed(row.lost),
        "exact": f"{figure(row.wrote, 6)}",
        "said": f"{row.name}: wrote {signed(row.wrote)}{known}",
        "inner": row.inner,
        "taps": row.taps,
    }


def columns(found):
    """The rows as a table: {heading: values}."""
    return {
        "part": [("– " if row.inner else "") + row.name for row in found],
        "wrote": [row.wrote for row in found],
        "sum so far": [row.before + row.wrote for row in found],
        "lost without it": [row.lost for row in found],
    }


def picture(found, title):
    """The rows as an SVG that stands alone, on white."""
    high, width, left, right = 24, 900, 210, 100
    edges = [0.0, *(row.before for row in found), *(row.before + row.wrote for row in found)]
    low, span = min(edges), (max(edges) - min(edges)) or 1.0

    def x(value):
        return left + (width - left - right) * (value - low) / span

    bottom = 40 + high * len(found)
    parts = [
        f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="34" y2="{bottom}" stroke="#5f6673" stroke-dasharray="4"/>'
    ]
    for at, row in enumerate(found):
        y, ends = 40 + high * at, sorted((x(row.before), x(row.before + row.wrote)))
        shade = marks.BY_NAME[row.mark][0]
        fade = ' fill-opacity=".45"' if row.wrote < 0 else ""
        bar = f'width="{max(2.0, ends[1] - ends[0]):.1f}" height="{high - 7}" fill="{shade}"{fade}'
        parts += [
            f'<rect x="{ends[0]:.1f}" y="{y}" {bar}/>',
            f'<text x="{20 if row.inner else 8}" y="{y + 13}">{escape(row.name)}</text>',
            f'<text x="{width - 8}" y="{y + 13}" text-anchor="end">{signed(row.wrote)}</text>',
        ]
    look = f'viewBox="0 0 {width} {bottom + 8}" font-family="sans-serif" font-size="13"'
    head = f'<text x="8" y="22" font-weight="bold">{escape(_printable(title))}</text>'
    ground = '<rect width="100%" height="100%" fill="white"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {look}>{ground}{head}{"".join(parts)}</svg>'


def _printable(text):
    """Without the characters that XML can't hold."""
    return "".join(c if c.isprintable() else "·" for c in text).encode("utf-8", "replace").decode()
