"""The models side by side: sizes, scores and training curves."""

import math
from itertools import cycle, pairwise

from engine import families
from engine.counting import count_parameters
from views import marks, numbers, tables

ELSEWHERE = (
    "The model you chose above, as a folder that Hugging Face's libraries open (`AutoModelForCausalLM`, "
    "`AutoTokenizer`): one with QK-norm as a Qwen3, one without as a Llama. And, where it can be written "
    "here, as one GGUF file for llama.cpp. Tests hold the folder to the same ids and the same scores. In a "
    "terminal: `python -m engine.export NAME --to FOLDER --gguf`."
)
# Reported for the first gpt-1 and gpt-4, trained elsewhere on a corpus and a vocabulary of their own.
ORIGINALS = {"gpt-1": 2.87, "gpt-4": 2.26}
MAIN_TEXTS = {"stories": "tinystories", "products": "products"}  # what a headline score is measured on
_MARKS = (marks.ATTENTION, marks.FEED_FORWARD, marks.EMBEDDING, marks.NORM)  # of the curves, in order
_DASHES = ("solid", "dash", "dot", "dashdot")


def main_score(record):
    """The headline held-out score of a record, or None."""
    if record.results is None:
        return None
    return record.results["held_out"].get(MAIN_TEXTS.get(families.texts_of(record.name)))


def table(records):
    """Rows for the comparison, one dict a model; a missing measurement is a dash."""
    rows = []
    for record in records:
        a, score, seen = record.architecture, main_score(record), record.manifest.get("tokens_seen")
        own = record.results["own_texts"] if record.results else None
        copying = (record.results or {}).get("copying")
        rows.append(
            {
                "model": families.title(record.name),
                "parameters": numbers.whole(_size(record)) if a else "–",
                "blocks × width": f"{a.n_layer} × {a.d_model}" if a else "–",
                "tokens seen": numbers.short(seen) if seen else "–",
                "held out, nats a token": _nats(score),
                "perplexity": _perplexity(score),
                "our own texts, nats a token": _nats(own),
                "copies a new name": numbers.percent(copying["second"]) if copying else "–",
            }
        )
    return rows


def html(records):
    """The comparison as a table."""
    rows = table(records)
    head = list(rows[0])
    cells = [list(row.values()) for row in rows]
    made = tables.table("The models side by side", head, cells, numeric=range(1, len(head)))
    return f"<style>{tables.CSS}</style>{made}"


def columns(records):
    """The same as numbers in full, {heading: values}; a missing measurement is None."""
    settings = [record.architecture for record in records]
    results = [record.results or {} for record in records]
    copying = [one.get("copying") for one in results]
    return {
        "model": [families.title(record.name) for record in records],
        "parameters": [_size(record) if record.architecture else None for record in records],
        "blocks": [a and a.n_layer for a in settings],
        "width": [a and a.d_model for a in settings],
        "tokens seen": [record.manifest.get("tokens_seen") for record in records],
        "held out, nats a token": [score and score["nats"] for score in map(main_score, records)],
        "our own texts, nats a token": [one["own_texts"]["nats"] if one else None for one in results],
        "copies a new name, share": [one and one["second"] for one in copying],
    }


def _size(record):
    return count_parameters(record.architecture).total


def _nats(score):
    return f"{score['nats']:.3f}" if score else "–"


def _perplexity(score):
    return f"{math.exp(score['nats']):.1f}" if score else "–"  # the kept one is rounded already


def _reads(record, texts):
    """Whether a model was trained on texts of this kind."""
    return families.texts_of(record.name) == texts


def comparison(records):
    """What to notice, chosen by the scores: the best of the story models against the worst."""
    scored = [(main_score(r)["nats"], r) for r in records if _reads(r, "stories") and main_score(r)]
    if len(scored) < 2:
        one = "One story model has" if scored else "No story model has"
        return f"{one} been measured; with {'a second one' if scored else 'two'} you can compare."
    (low, best), (high, worst) = (pick(scored, key=lambda pair: pair[0]) for pick in (min, max))
    if low == high:
        return f"All story models need {low:.2f} nats a token."
    return (
        f"Of the story models {families.title(best.name)} needs the fewest nats a token, and "
        f"{families.title(worst.name)} the most. In perplexity, as if choosing among so many equally likely "
        f"tokens: {numbers.perplexity_of(low)} against {numbers.perplexity_of(high)}. " + _sizes(best, worst)
    ).rstrip()


def _sizes(best, worst):
    """Whether size or training goes with the better score; nothing where the records do not say."""
    if not (best.settings and worst.settings):
        return ""
    sizes = [_size(best), _size(worst)]
    if sizes[0] > sizes[1]:
        return "The larger model is the better one here."
    seen = [record.manifest.get("tokens_seen") for record in (best, worst)]
    said = "The better one here is not the larger one"
    if not all(seen) or seen[0] / sizes[0] <= seen[1] / sizes[1]:
        return f"{said}."
    each = [numbers.figure(tokens / size) for tokens, size in zip(seen, sizes, strict=True)]
    return f"{said}: it saw {each[0]} tokens of text for each parameter, the other {each[1]}."


def others(records):
    """What keeps the rows from being compared with each other, where there is such a row."""
    said = []
    stories = [record for record in records if _reads(record, "stories") and record.log]
    if stories:
        said.append(
            "The curves of the story models were logged on some of the held-out stories, the table counts "
            "all of them."
        )
    apart = [families.title(record.name) for record in records if _reads(record, "products")]
    if len(records) > len(apart):
        said += [
            f"{title} reads other texts with other tokens, so its loss is no rival to theirs."
            for title in apart
        ]
    return " ".join(said)


def on_the_way(records):
    """What the logs say happened in training, beside learning: blocks added, and larger steps again; a
    list of sentences.
    """
    said = []
    for record in records:
        title, pairs = families.title(record.name), list(pairwise(record.log))
        grown = [(b["blocks"], b["tokens"]) for a, b in pairs if b["blocks"] > a["blocks"]]
        if grown:
            then = ", then ".join(f"{blocks:.0f} by {numbers.short(seen)} tokens" for blocks, seen in grown)
            began = numbers.counted(int(record.log[0]["blocks"]), "block")
            said.append(f"{title} began with {began} and had {then}.")
        said += _taken_up(title, record.log, pairs)
    return said


def _taken_up(title, log, pairs):
    """Where a training went on with larger steps than before, and what the loss did there."""
    again = [(before, after) for before, after in pairs if after["rate"] > before["rate"] + 0.1]
    if not again:
        return []
    each = [
        f"{numbers.short(before['tokens'])} (loss {before['held_out_nats']:.3f}, at the next measurement "
        f"{after['held_out_nats']:.3f})"
        for before, after in again
    ]
    return [
        f"The training of {title} was taken up again with larger steps after so many tokens: "
        f"{', '.join(each)}; in the end the loss was {log[-1]['held_out_nats']:.3f}."
    ]


def measured_again(record, nats, tokens):
    """A model's score on our own texts, measured now, beside what its card says of them."""
    said = (
        f"{families.title(record.name)} needs {nats:.3f} nats a token over the "
        f"{numbers.counted(tokens, 'token')} of our own texts"
    )
    if not record.results:
        return f"{said}."
    stated = record.results["own_texts"]["nats"]
    return f"{said}; its card says {stated:.3f}."


def originals():
    """The quoted scores of the first models, in the same form."""
    stood = ", ".join(f"{name} at {n:.2f} (perplexity {math.exp(n):.2g})" for name, n in ORIGINALS.items())
    return (
        f"Quoted for comparison: the first models, with a corpus and a vocabulary of their own, put {stood}."
    )


def curves(records, dark=False):
    """Held-out nats against tokens seen, a line a model, as a Plotly figure."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for record, pair, dash in zip(records, cycle(_MARKS), cycle(_DASHES), strict=False):
        title = families.title(record.name)
        figure.add_scatter(
            x=[row["tokens"] for row in record.log],
            y=[row["held_out_nats"] for row in record.log],
            name=title,
            showlegend=bool(record.log),
            mode="lines+markers",
            marker={"size": 4},
            line={"color": pair[dark], "dash": dash, "width": 2.5},
            hovertemplate=title + "<br>%{x:.3s} tokens seen<br>%{y:.3f} nats a token<extra></extra>",
        )
    figure.update_layout(
        xaxis_title="tokens seen in training",
        yaxis_title="held-out loss, nats a token",
        legend={"orientation": "h", "y": 1.12},
        margin={"l": 60, "r": 10, "t": 30, "b": 50},
        height=420,
        hovermode="closest",
    )
    return figure


def curve_columns(records):
    """The training logs as columns, one row a measurement."""
    rows = [(record.name, row) for record in records for row in record.log]
    columns = {"model": [name for name, _ in rows]}
    for field, kind in (("tokens", int), ("blocks", int), ("train_nats", float), ("held_out_nats", float)):
        columns[field] = [kind(row[field]) for _, row in rows]
    return columns
