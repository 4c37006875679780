"""The model on one page: what is drawn, and what each part says about itself.

B batch · T tokens · d stream width · H heads · K key/value heads · D head width · F feed-forward width
V vocabulary · L blocks · P longest text
"""

import re

from engine import counting
from views.diagram_parts import OURS, told
from views.numbers import counted, whole

# From top to bottom.  A block's two halves: norm, part, addition; a part opens into rows of (id, first
# column, columns it covers).
ATTENTION_ROWS = (
    (("queries", 0, 1), ("keys", 1, 1), ("values", 2, 1)),
    (("qk_norm", 0, 2),),
    (("rope", 0, 2),),
    (("causal_softmax", 0, 3),),
    (("attention_output", 0, 3),),
)
FEED_FORWARD_ROWS = ((("w1", 0, 1), ("w3", 1, 1)), (("gate", 0, 1),), (("product", 0, 2),), (("w2", 0, 2),))
EXPERT_ROWS = ((("router", 0, 2),), (("experts", 0, 2),))
PLAIN_ROWS = ((("w1", 0, 2),), (("gate", 0, 2),), (("w2", 0, 2),))
MARKS = {
    "tokens": "norm", "embedding": "embedding", "positions": "embedding", "output": "embedding",
    "loss": "norm", "tie": "tie", "stream": "stream", "block": "stream", "blocks": "stream",
    "norm1": "norm", "norm2": "norm", "final_norm": "norm", "qk_norm": "norm", "feed_forward": "feed-forward",
    "w1": "feed-forward", "w2": "feed-forward", "w3": "feed-forward", "gate": "feed-forward",
    "product": "feed-forward", "router": "feed-forward", "experts": "feed-forward", "norm1_after": "norm",
    "norm2_after": "norm", "addition1": "stream", "addition2": "stream",
}  # fmt: skip

IDS = (
    "tokens", "embedding", "positions", "stream", "block", "blocks", "norm1", "attention", "queries", "keys",
    "values", "qk_norm", "rope", "causal_softmax", "attention_output", "addition1", "norm2", "feed_forward",
    "w1", "gate", "w3", "product", "w2", "router", "experts", "addition2", "norm1_after", "norm2_after",
    "final_norm", "output", "tie", "loss",
)  # fmt: skip


def picture(a, parallel=False):
    """What is drawn for an architecture: the parts in their places, as plain data for the component.

    parallel: whether both parts of a block read the stream as it came in, each through its own norm.
    """
    inner = EXPERT_ROWS if a.n_expert else FEED_FORWARD_ROWS if a.gated else PLAIN_ROWS
    second = "norm1" if a.block_norms == "one" else "norm2"
    halves = [
        {"norm": "norm1", "part": "attention", "add": "addition1", "columns": 3, "rows": _attention(a)},
        {"norm": second, "part": "feed_forward", "add": "addition2", "columns": 2, "rows": _listed(inner)},
    ]
    if a.block_norms == "four":
        halves = [half | {"after": f"{half['norm']}_after"} for half in halves]
    return {
        "above": ["tokens", "embedding"] + (["positions"] if a.positions == "learned" else []),
        "halves": halves,
        "below": [*(["final_norm"] if a.final_norm else []), "output", "loss"],
        "tied": a.tied,
        "parallel": parallel,
    }


def _attention(a):
    absent = {
        *(() if a.qk_norm and not a.latent else ("qk_norm",)),
        *(() if a.positions == "rotary" else ("rope",)),
    }
    return _listed(row for row in ATTENTION_ROWS if row[0][0] not in absent)


def _listed(rows):
    return [[list(one) for one in row] for row in rows]


def not_drawn(a):
    """What the picture leaves out of an architecture -> sentences."""
    said = []
    if a.block_norms == "one":
        said.append(
            "Attention and the feed-forward layer read the same normed copy of the stream, and what both "
            "make is added together; the picture has them one after the other."
        )
    if a.latent:
        said.append(
            f"Keys and values are worked out from {counted(a.latent, 'number')} a token; the matrices on "
            "the way are counted with them and not drawn."
        )
    if a.n_windowed:
        said.append(
            f"In {a.n_windowed} of {counted(a.n_layer, 'block')} a token sees the last "
            f"{counted(a.window, 'token')} alone, itself one of them; the picture does not show it."
        )
    if a.n_expert and a.n_dense:
        said.append(
            f"{counted(a.n_dense, 'block')} of {a.n_layer} have one feed-forward layer and no experts."
        )
    if a.n_shared:
        said.append(f"Beside the chosen experts a token passes {counted(a.n_shared, 'shared one')}.")
    if a.sinks:
        said.append("Each head has a learned score that no token receives: it is part of the softmax.")
    return said


def drawn(a):
    """The ids of all parts drawn for an architecture, in the order of the pass."""
    what = picture(a)
    found = [*what["above"], "stream", "block", "blocks"]
    for half in what["halves"]:
        inside = [one[0] for row in half["rows"] for one in row]
        after = [half["after"]] if "after" in half else []
        found += [half["norm"], half["part"], *inside, *after, half["add"]]
    return list(dict.fromkeys([*found, *what["below"], *(["tie"] if a.tied else [])]))


def cards(a, how=OURS):
    """What each drawn part of an architecture says: {id: {title, mark, label, duty, formula, shape, …}}.

    how: what the architecture leaves open.  shape: in letters and in the model's numbers.
    """
    table, numbers = counting.count_parameters(a), letters(a)
    found = {}
    for part_id in drawn(a):
        said = told(part_id, a, how)
        rows = said.pop("rows")
        found[part_id] = said | {
            "title": counted(a.n_layer, "block") if part_id == "blocks" else said["title"],
            "mark": MARKS.get(part_id, "attention"),
            "label": _label(part_id, a),
            "shape": fill(said["letters"], numbers),
            "key": key(said["letters"], said["formula"]),
            "parameters": _parameters(part_id, rows, table),
        }
    return found


def fill(shape, numbers):
    """ "(T, d) → (H, T, D)" -> "(T, 192) → (6, T, 32)"; products are worked out."""

    def number(found):
        product = 1
        for letter in found[0].split("·"):
            product *= numbers[letter]
        return whole(product)

    letters = "[" + "".join(numbers) + "]"
    return re.sub(rf"\b{letters}(?:·{letters})*\b", number, shape)


LETTERS = {
    "T": "tokens of the text", "d": "width of the stream", "H": "query heads",
    "K": "heads of keys and values",
    "D": "width of a head", "F": "width of the feed-forward layer", "V": "pieces of the vocabulary",
    "E": "experts", "q": "queries", "k": "keys", "v": "values",
}  # fmt: skip


def key(shape, formula):
    """What the letters of a shape stand for, and q, k and v of a formula."""
    used = {*re.findall(r"\b[TdHKDFVE]\b", shape), *re.findall(r"\b[qkv]\b", formula)}
    return " · ".join(f"{letter} {meant}" for letter, meant in LETTERS.items() if letter in used)


def letters(a):
    """The numbers that the letters stand for in an architecture."""
    return {
        "V": a.vocab_size,
        "d": a.d_model,
        "H": a.n_head,
        "K": a.kv_heads,
        "D": a.width_of_head,
        "F": a.d_ff,
        "L": a.n_layer,
    }


def _label(part_id, a):
    """The small line under a part's name in the picture."""
    d, vocabulary, wide = whole(a.d_model), whole(a.vocab_size), whole(a.d_ff)
    return {
        "tokens": "your text, in pieces",
        "embedding": f"{vocabulary} × {d}",
        "positions": f"{whole(a.context)} × {d}",
        "attention": f"{a.n_head} heads × {a.width_of_head}",
        "feed_forward": f"{d} → {wide} → {d}" if not a.n_expert else f"{a.n_active} of {a.n_expert} experts",
        "output": f"{d} → {vocabulary}",
        "final_norm": counting.NORMS[a.norm],
        "loss": "a probability for each token",
        "blocks": "each with its own weights",
    }.get(part_id, "")


def _parameters(part_id, rows, table):
    """A sentence: how many parameters the part has in this model."""
    a = table.architecture
    if part_id == "tie":
        return (
            f"None of its own: it saves {whole(table.tying_saves)}, since input and output share one matrix."
        )
    if part_id == "output" and a.tied and not a.output_bias:
        return f"None of its own: it uses the embedding’s {whole(table['embedding'].count)}."
    if part_id == "blocks":
        return f"{whole(table.blocks)} of the model’s {whole(table.total)}"
    if part_id in ("block", "attention", "feed_forward"):
        return _in_a_block(_each(part_id, table), a.n_layer)
    own = [row for row in table.rows if row.id in rows]
    each = sum(row.each for row in own)
    if not each:
        return "None"
    if not any(row.in_blocks for row in own):
        return f"{whole(each)} of the model’s {whole(table.total)}"
    return _in_a_block(each, own[0].copies)


def _each(part_id, table):
    """The parameters in one block.  QK-norm's gains are attention's, as on the page Parameters."""
    if part_id == "block":
        return table.per_block
    experts = part_id == "feed_forward" and table.architecture.n_expert
    return table["experts" if experts else part_id].per_block


def _in_a_block(each, blocks):
    return f"{whole(each)} in a block" + (f", {whole(each * blocks)} in all {blocks}" if blocks > 1 else "")


QUESTIONS = [
    (
        "Attention reads from other tokens. Does any other part?",
        "No. Norms, the feed-forward layer, the additions and the output work on each token by itself, "
        "with the same weights at every place. All that a token learns of others, it learns in attention.",
    ),
    (
        "Switch from gpt-1 to Sprout. Which parts change, and which stay the same?",
        "Not one line of the code changes, only the numbers in the settings: how many blocks, how wide, "
        "how many heads. The vocabulary stays too, so the embedding grows only with the width.",
    ),
    (
        "Two parts have no parameters of their own, and yet the model needs them. Which, and why?",
        "The rotation and the causal softmax, for example: one tells how far apart two tokens are, the "
        "other decides who is heard. Both are fixed rules; what is learned is what they are applied to.",
    ),
]
