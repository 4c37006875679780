"""The models side by side: sizes, scores and training curves."""

import math

from engine import presets
from engine.counting import count_parameters
from views import marks, numbers

# Reported for the first gpt-1 and gpt-4, trained elsewhere on a corpus and a vocabulary of their own.
ORIGINALS = {"gpt-1": 2.87, "gpt-4": 2.26}
MAIN_TEXTS = {"store": "products"}  # what a model's headline score is measured on; else tinystories


def main_score(record):
    """The headline held-out score of a record, or None."""
    if record.results is None:
        return None
    return record.results["held_out"].get(MAIN_TEXTS.get(record.name, "tinystories"))


def table(records):
    """Rows for the comparison, one dict a model; a missing measurement is a dash."""
    rows = []
    for record in records:
        s, score = record.settings, main_score(record)
        own = record.results["own_texts"] if record.results else None
        copying = (record.results or {}).get("copying")
        rows.append(
            {
                "model": presets.TITLES[record.name],
                "parameters": numbers.whole(count_parameters(s).total),
                "blocks × width": f"{s['n_layer']} × {s['d_model']}",
                "tokens seen": numbers.short(record.manifest["tokens_seen"]),
                "held out, nats a token": _nats(score),
                "perplexity": _perplexity(score),
                "our own texts, nats a token": _nats(own),
                "copies a new name": numbers.percent(copying["second"]) if copying else "–",
            }
        )
    return rows


def _nats(score):
    return f"{score['nats']:.3f}" if score else "–"


def _perplexity(score):
    return f"{math.exp(score['nats']):.1f}" if score else "–"  # the kept one is rounded already


def comparison(records):
    """What to notice, chosen by the scores: the best of the story models against the worst."""
    scored = [(main_score(r)["nats"], r) for r in records if r.name != "store" and main_score(r)]
    if len(scored) < 2:
        return "One story model has been measured; with a second one you can compare."
    scored.sort(key=lambda pair: pair[0])
    (low, best), (high, worst) = scored[0], scored[-1]
    sizes = [count_parameters(r.settings).total for r in (best, worst)]
    larger = sizes[0] > sizes[1]
    return (
        f"{presets.TITLES[best.name]} needs {low:.2f} nats a token and {presets.TITLES[worst.name]} "
        f"{high:.2f}. In perplexity, which is e to that power: {math.exp(low):.1f} against "
        f"{math.exp(high):.1f}, as if choosing among so many equally likely tokens. "
        + (
            "The larger model is the better one here."
            if larger
            else "The better one here is not the larger one: it was trained for longer, for its size."
        )
    )


def on_the_way(records):
    """What the logs say happened in training, beside learning: blocks added, and larger steps again."""
    said, again = [], []
    for record in records:
        title, pairs = presets.TITLES[record.name], list(zip(record.log, record.log[1:], strict=False))
        grown = [(b["blocks"], b["tokens"]) for a, b in pairs if b["blocks"] > a["blocks"]]
        if grown:
            then = ", then ".join(f"{blocks:.0f} by {numbers.short(seen)} tokens" for blocks, seen in grown)
            said.append(f"{title} began with {record.log[0]['blocks']:.0f} blocks and had {then}.")
        if any(b["rate"] > a["rate"] + 0.1 for a, b in pairs):
            again.append(title)
    if again:
        names = " and ".join(again)
        said.append(
            f"The training of {names} was taken up again with larger steps, where the curve jumps up: they "
            "cost a little before they pay."
        )
    return " ".join(said)


def originals():
    """The quoted scores of the first models, in the same form."""
    stood = ", ".join(f"{name} at {n:.2f} (perplexity {math.exp(n):.2g})" for name, n in ORIGINALS.items())
    return (
        f"Quoted for comparison: the first models, with a corpus and a vocabulary of their own, put {stood}."
    )


def curves(records, dark=False):
    """Held-out nats against tokens seen, a line a model, as a Plotly figure."""
    import plotly.graph_objects as go

    colours = (marks.ATTENTION, marks.FEED_FORWARD, marks.EMBEDDING, marks.NORM)
    dashes = ("solid", "dash", "dot", "dashdot")
    figure = go.Figure()
    for record, pair, dash in zip(records, colours, dashes, strict=False):
        title = presets.TITLES[record.name]
        figure.add_scatter(
            x=[row["tokens"] for row in record.log],
            y=[row["held_out_nats"] for row in record.log],
            name=title, mode="lines+markers", marker={"size": 4},
            line={"color": pair[dark], "dash": dash, "width": 2.5},
            hovertemplate=title + "<br>%{x:.3s} tokens seen<br>%{y:.3f} nats a token<extra></extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis_title="tokens seen in training", yaxis_title="held-out loss, nats a token",
        legend={"orientation": "h", "y": 1.12}, margin={"l": 60, "r": 10, "t": 30, "b": 50}, height=420,
        hovermode="closest",
    )  # fmt: skip
    return figure


def curve_columns(records):
    """The training logs as columns, one row a measurement."""
    rows = [(record.name, row) for record in records for row in record.log]
    columns = {"model": [name for name, _ in rows]}
    for field, kind in (("tokens", int), ("blocks", int), ("train_nats", float), ("held_out_nats", float)):
        columns[field] = [kind(row[field]) for _, row in rows]
    return columns
