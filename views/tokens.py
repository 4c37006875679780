"""How a text is cut into tokens: chips, tables and sentences."""

from html import escape

from views import marks, tables
from views.numbers import counted, figure, form, whole

MOST = 400  # pieces drawn
RARE = 6  # pieces in the table
CSS = (
    """
.cut { display: flex; flex-wrap: wrap; gap: 3px; margin: .3rem 0; }
.cut span { padding: .1rem .35rem; border: 1px solid color-mix(in srgb, currentColor 30%, transparent);
  border-radius: 4px; font-family: var(--st-code-font, monospace); font-size: .95rem; white-space: pre;
  text-align: center; line-height: 1.35; }
.cut span.new { outline: 3px solid var(--mark-accent); outline-offset: -1px; }
.cut small { display: block; font-size: .68rem; font-variant-numeric: tabular-nums; }
.cut span[style] { forced-color-adjust: none; print-color-adjust: exact; }
"""
    + tables.CSS
)
QUESTIONS = [
    (
        "Why not one token for each word?",
        "Then every word that was not in the list would be unknown, and every list is too short: names, "
        "typing errors, other languages. Bytes know no unknown text, but make it long. Merging what often "
        "stands together gives common words one piece and spells the others out.",
    ),
    (
        "Type a word once with and once without a space before it. Are its pieces the same?",
        "Mostly not: in the pieces used here a space belongs to the word that follows it, so “ dog” and "
        "“dog” are other rows of the embedding. What they have in common, the model has to learn.",
    ),
]


def chips(words, label, merge=None, rank_of=None, total=1):
    """The pieces in a row, as HTML.

    words: lists of ids; label: id -> text; merge: the engine Merge that was done last, whose pieces are
    framed; rank_of: {id: its merge}, then pieces are coloured by it and told with their id.
    """
    ids = [i for word in words for i in word]
    made = [_chip(i, label, merge, rank_of, total) for i in ids[:MOST]]
    more = len(ids) - MOST
    left = f"<p>{whole(more)} more {form(more, 'is', 'are')} not drawn.</p>" if more > 0 else ""
    return f'<div class="cut">{"".join(made)}</div>{left}'


def _chip(i, label, merge, rank_of, total):
    kind = ' class="new"' if merge and i == merge.made else ""
    text = escape(label(i))
    if rank_of is None:
        return f"<span{kind}>{text}</span>"
    share = rank_of.get(i, 0) / max(total, 1)
    ink = "#fff" if share >= marks.INK_FLIPS else "#000"
    return (
        f'<span style="background: {marks.ramp(share)}; color: {ink}">{text}<small>{whole(i)}</small></span>'
    )


def merge_said(learned, step, label):
    """What the slider has come to.  step: how many of the text's merges are done."""
    if not step:
        pieces = sum(map(len, learned.words))
        return f"Before any merge: {counted(pieces, 'letter or byte', 'letters and bytes')}."
    merge = learned.merges[step - 1]
    pair, times = f"{label(merge.left)} + {label(merge.right)}", counted(merge.count, "time")
    pieces = sum(map(len, learned.cut(step)))
    return (
        f"Merge {whole(merge.rank)} of {whole(learned.total)}: {pair} → {label(merge.made)}, {times} here. "
        f"{counted(pieces, 'piece')} {form(pieces, 'is', 'are')} left."
    )


def sentences(size, ids, learned, label):
    """What to notice.  size: bytes of the text; ids: its tokens without the marker."""
    if not ids:
        return ["An empty text has no pieces but the marker that stands before every text, if there is one."]
    become, each = form(size, "becomes", "become"), figure(size / len(ids), 2)
    said = [f"{counted(size, 'byte')} {become} {counted(len(ids), 'token')}: {each} a token."]
    if learned.merges:
        last = learned.merges[-1]
        said.append(
            f"The merge that was learned last of those used here makes {label(last.made)}: number "
            f"{whole(last.rank)} of {whole(learned.total)}."
        )
        said.append(
            "Learning BPE joins the most frequent pair, again and again, so the later a piece was made, the "
            "rarer its pair was in the text the pieces were learned from."
        )
    return said


def rare(ids, rank_of, met, label, texts):
    """The pieces of a text that were learned last, as an HTML table; "" where no piece was merged.

    met: {id: how often it stands in our own texts}; texts: how many these are.
    """
    latest = sorted({i for i in ids if i in rank_of}, key=lambda i: -rank_of[i])[:RARE]
    rows = [(label(i), whole(i), whole(rank_of[i]), whole(met.get(i, 0))) for i in latest]
    head = ("piece", "its id", "made by merge", f"times in our {texts} texts")
    return tables.table("The rarest pieces here: those learned last", head, rows, (1, 2, 3)) if rows else ""


def beside(title, other, pieces, tokens):
    """What another vocabulary makes of the same text.  pieces: how many it has; tokens: (ours, its)."""
    mine, theirs = tokens
    return (
        f"The vocabulary of {other} has {whole(pieces)} pieces; in it the same text is "
        f"{counted(theirs, 'token')}, in that of {title} {whole(mine)}."
    )
