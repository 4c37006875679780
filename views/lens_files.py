"""The logit lens to take away: all its models as a table, and as a Plotly figure."""

import csv
import io
from dataclasses import dataclass

import numpy as np

from engine import lens as lens_readings
from engine.families import Model
from views import marks, plots
from views.numbers import exact

HEADS, ROW = 160, 46  # pixels above a grid's first row, and of each row


@dataclass(frozen=True)
class Read:
    """One model's lens on one text.  within: whether the rows within the blocks are there.

    followed (R, T): probabilities of the token that is followed, follow its id; None where none is.
    """

    title: str
    model: Model
    ids: list
    lens: lens_readings.Lens
    within: bool = False
    follow: int | None = None
    followed: np.ndarray | None = None

    @property
    def rows(self):
        return lens_readings.row_names(self.model.architecture.n_layer, self.within)

    def label(self, i):
        return self.model.tokenizer.label(int(i))


def table(reads):
    """All grids as CSV, one line a cell: tokens by id and by label, probabilities in full, units named.

    What there is none of is left empty: a next token at the end of the text, a token to follow.
    """
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    k = reads[0].lens.ids.shape[-1]
    candidates = [f"{what}_{n}" for n in range(1, k + 1) for what in ("id", "token", "probability")]
    write.writerow((
        "model", "row", "position", "input_id", "input_token", *candidates, "next_id", "next_token",
        "next_probability", "next_rank", "entropy_nats", "kl_to_output_nats",
        "followed_id", "followed_token", "followed_probability",
    ))  # fmt: skip
    for one in reads:
        write.writerows(_lines(one))
    return out.getvalue()


def _lines(one):
    lens = one.lens
    for r, name in enumerate(one.rows):
        for t, token in enumerate(one.ids):
            best = zip(lens.ids[r, t], lens.probabilities[r, t], strict=True)
            cells = [value for i, p in best for value in (int(i), one.label(i), float(p))]
            measured = (float(lens.entropy[r, t]), float(lens.divergence[r, t]))
            here = (one.title, name, t, int(token), one.label(token))
            yield (*here, *cells, *_real(one, r, t), *measured, *_followed(one, r, t))


def _real(one, r, t):
    """The token that really comes next, its probability and its rank."""
    following = int(one.lens.next_ids[t])
    if following < 0:
        return ("",) * 4
    p, rank = one.lens.next_probability[r, t], one.lens.next_rank[r, t]
    return following, one.label(following), float(p), int(rank)


def _followed(one, r, t):
    if one.followed is None:
        return ("",) * 3
    return one.follow, one.label(one.follow), float(one.followed[r, t])


def figure(reads):
    """The grids, one below the other, as a Plotly figure: Plotly's own JSON as a dict.

    Columns are places, never labels, so that equal words stay apart.
    """
    counts = [len(one.rows) for one in reads]
    high = sum(HEADS + ROW * count for count in counts)
    layout = {
        "title": {
            "text": f"Logit lens of {' and '.join(_titles(reads))}: the top candidate, its probability"
        },
        "width": max(700, 62 * max(len(one.ids) for one in reads) + 200),
        "height": high,
    }
    used = 0
    for number, (one, count) in enumerate(zip(reads, counts, strict=True), start=1):
        top, used = used + HEADS, used + HEADS + ROW * count
        layout |= _axes(one, "" if number == 1 else str(number), [1 - used / high, 1 - top / high])
    return {
        "data": [_heatmap(one, "" if n == 1 else str(n)) for n, one in enumerate(reads, start=1)],
        "layout": layout,
    }


def _titles(reads):
    return " and ".join(plots.escape(one.title) for one in reads)


def _axes(one, number, domain):
    """Where one grid stands: its columns named above it, its rows from the embedding down."""
    columns = list(range(len(one.ids)))
    heads = [f"{t} {plots.escape(one.label(i))}" for t, i in enumerate(one.ids)]
    x = {"tickvals": columns, "ticktext": heads, "side": "top", "anchor": f"y{number}"}
    y = {"tickvals": list(range(len(one.rows))), "ticktext": list(one.rows), "autorange": "reversed"}
    title = {"text": plots.escape(one.title)}
    return {
        f"xaxis{number}": {**x, "title": title},
        f"yaxis{number}": {**y, "anchor": f"x{number}", "domain": domain},
    }


def _heatmap(one, number):
    rows, columns = range(len(one.rows)), range(len(one.ids))
    return {
        "type": "heatmap",
        "name": plots.escape(one.title),
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
        "zmin": 0,
        "zmax": 1,
        "xgap": 1,
        "ygap": 1,
        "showscale": not number,
        "z": one.lens.probabilities[:, :, 0].tolist(),
        "text": [[plots.escape(one.label(one.lens.ids[r, t, 0])) for t in columns] for r in rows],
        "hovertext": [[_hover(one, r, t) for t in columns] for r in rows],
        "texttemplate": "%{text}",
        "hovertemplate": "%{hovertext}<extra></extra>",
        "colorscale": marks.scale(),
    }


def _hover(one, r, t):
    lines = (
        f"{plots.escape(one.label(i))} (id {int(i)}): {exact(float(p))}"
        for i, p in zip(one.lens.ids[r, t], one.lens.probabilities[r, t], strict=True)
    )
    return "<br>".join((f"<b>{one.rows[r]}, position {t}</b>", *lines))
