"""The model on one page: what is drawn, and what each part says about itself.

B batch · T tokens · d stream width · H heads · K key/value heads · D head width · F feed-forward width
V vocabulary · L blocks · P longest text
"""

import re

from engine import counting
from engine.counting.published import BY_ID
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
PLAIN_ROWS = ((("w1", 0, 2),), (("gate", 0, 2),), (("w2", 0, 2),))
MARKS = {
    "tokens": "norm", "embedding": "embedding", "positions": "embedding", "output": "embedding",
    "loss": "norm", "tie": "tie", "stream": "stream", "block": "stream", "blocks": "stream",
    "norm1": "norm", "norm2": "norm", "final_norm": "norm", "qk_norm": "norm", "feed_forward": "feed-forward",
    "w1": "feed-forward", "w2": "feed-forward", "w3": "feed-forward", "gate": "feed-forward",
    "product": "feed-forward", "addition1": "stream", "addition2": "stream",
}  # fmt: skip

IDS = (
    "tokens", "embedding", "positions", "stream", "block", "blocks", "norm1", "attention", "queries", "keys",
    "values", "qk_norm", "rope", "causal_softmax", "attention_output", "addition1", "norm2", "feed_forward",
    "w1", "gate", "w3", "product", "w2", "addition2", "final_norm", "output", "tie", "loss",
)  # fmt: skip

_VASWANI = "Vaswani et al. 2017, Attention Is All You Need"
_RMS = "Zhang and Sennrich 2019, Root Mean Square Layer Normalization"
_SHAZEER = "Shazeer 2020, GLU Variants Improve Transformer"
_HE = "He et al. 2015, Deep Residual Learning"
_TIE = "Press and Wolf 2017, Using the Output Embedding to Improve Language Models"

# id: (name, duty, formula, shape in letters, rows of the count, paper)
_PARTS = {
    "tokens": (
        "Tokens", "Cuts the text into pieces and gives each piece its number. A marker that says "
        "“a text begins” goes first.", "text → i₀, i₁, …, i_T₋₁", "text → (T)", (),
        "Sennrich et al. 2016, Neural Machine Translation of Rare Words with Subword Units",
    ),
    "embedding": (
        "Embedding", "Looks up one row of a learned table for each token: the vector it starts with.",
        "x_t = E[i_t]", "(T) → (T, d)", ("embedding.matrix",), "Bengio et al. 2003, A Neural Probabilistic "
        "Language Model",
    ),
    "positions": (
        "Positions", "Adds a learned vector for each place in the text; there is no rotation later.",
        "x_t ← x_t + P[t]", "(T, d) → (T, d)", ("positions.matrix",), "Radford et al. 2019, GPT-2",
    ),
    "stream": (
        "Residual stream", "One vector for each token, of the same width from first to last. Every part "
        "reads it and adds to it; nothing is overwritten.",
        "x ← x + what each part adds", "(T, d) → (T, d)", (),
        "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits",
    ),
    "block": (
        "Block", "Mixes between tokens (attention), then works on each token by itself (feed-forward). "
        "Each half reads a normed copy of the stream and adds its result.",
        "x ← x + Attn(Norm(x));  x ← x + FFN(Norm(x))", "(T, d) → (T, d)", ("block",), _VASWANI,
    ),
    "blocks": (
        "L blocks", "The same code, each time with weights of its own. At the start of training the "
        "last matrix of each half is √(2L) times smaller than the others, so that what all halves add "
        "together does not grow with their number.",
        "σ = 0.02;  for the two output matrices σ = 0.02 / √(2L)", "(T, d) → (T, d)", ("blocks",),
        "Radford et al. 2019, GPT-2 (the scaled start)",
    ),
    "norm1": (
        "Norm 1", "Brings the vector to root mean square 1 before attention reads it, then scales each "
        "number by a learned gain. The stream itself stays as it is.", "x̂ = x / √(mean(x²) + ε) · g",
        "(T, d) → (T, d)", ("norm1", "norm1.bias"), _RMS + "; before each part: Xiong et al. 2020",
    ),
    "attention": (
        "Attention", "Lets each token gather from itself and the tokens before it, each head in its own way.",
        "softmax(q kᵀ / √D, only the past) v, then the output matrix", "(T, d) → (T, d)", ("attention",),
        _VASWANI,
    ),
    "queries": (
        "Queries", "For each head, what this token looks for.", "q = x̂ W_q", "(T, d) → (H, T, D)",
        ("q", "q.bias"), _VASWANI,
    ),
    "keys": (
        "Keys", "For each head, what this token can be found by.", "k = x̂ W_k", "(T, d) → (K, T, D)",
        ("k", "k.bias"), _VASWANI,
    ),
    "values": (
        "Values", "For each head, what this token hands over when it is found. Values are not rotated.",
        "v = x̂ W_v", "(T, d) → (K, T, D)", ("v", "v.bias"), _VASWANI,
    ),
    "qk_norm": (
        "QK-norm", "Brings every query and key to root mean square 1 and scales each number by a learned "
        "gain: however long they were, a score grows no further than the gains let it.",
        "q ← RMSNorm(q) · g_q;  k ← RMSNorm(k) · g_k", "(H, T, D) → (H, T, D)", ("q_norm", "k_norm"),
        "Henry et al. 2020, Query-Key Normalization for Transformers",
    ),
    "rope": (
        "Rotation (RoPE)", "Turns pairs of numbers of each query and key by angles that grow with the "
        "position. Of the two positions a score then knows only how far apart they are.",
        "pair i at position m turns by m · base^(−2i/D)", "(H, T, D) → (H, T, D)", (),
        "Su et al. 2021, RoFormer",
    ),
    "causal_softmax": (
        "Causal softmax", "Compares each query with the keys up to its own place, makes the scores positive "
        "shares that sum to 1, and mixes the values in these shares.",
        "weights = softmax(q kᵀ / √D);  gathered = weights · v", "(H, T, D) → (H, T, T) → (T, H·D)", (),
        _VASWANI,
    ),
    "attention_output": (
        "Output matrix", "Mixes what the heads gathered and brings it back to the stream's width.",
        "added = gathered W_o", "(T, H·D) → (T, d)", ("projection", "projection.bias"), _VASWANI,
    ),
    "addition1": (
        "Addition 1", "Adds what attention found to the stream. It replaces nothing, so a gradient can pass "
        "straight through.", "x ← x + Attn(Norm(x))", "(T, d) + (T, d) → (T, d)", (), _HE,
    ),
    "norm2": (
        "Norm 2", "The same as norm 1, with a gain of its own, before the feed-forward layer reads the "
        "stream.",
        "x̂ = x / √(mean(x²) + ε) · g", "(T, d) → (T, d)", ("norm2", "norm2.bias"),
        _RMS + "; before each part: Xiong et al. 2020",
    ),
    "feed_forward": (
        "Feed-forward", "Works on each token by itself: a wide layer in which gates weaken some values and "
        "let others through.", "(silu(x̂ W₁) ⊙ x̂ W₃) W₂", "(T, d) → (T, F) → (T, d)", ("feed_forward",),
        _SHAZEER,
    ),
    "w1": (
        "W₁: gate scores", "Scores how far each of the F gates should open.", "a = x̂ W₁", "(T, d) → (T, F)",
        ("w1", "w1.bias"), _SHAZEER,
    ),
    "gate": (
        "Gate (silu)", "Lets a large score through nearly as it is. A score near 0, or far below it, makes a "
        "gate near 0: nearly shut. Below 0 the gate is negative, down to −0.28, and turns the value’s sign.",
        "silu(a) = a / (1 + e⁻ᵃ)", "(T, F) → (T, F)", (),
        "Elfwing et al. 2017; Ramachandran et al. 2017 (Swish)",
    ),
    "w3": (
        "W₃: values", "Makes the F values that the gates let through.", "b = x̂ W₃", "(T, d) → (T, F)",
        ("w3",), _SHAZEER,
    ),
    "product": (
        "Product", "Multiplies each value by its gate.", "h = silu(a) ⊙ b", "(T, F) ⊙ (T, F) → (T, F)", (),
        _SHAZEER,
    ),
    "w2": (
        "W₂: back", "Brings the F numbers back to the stream's width.", "added = h W₂", "(T, F) → (T, d)",
        ("w2", "w2.bias"), _SHAZEER,
    ),
    "addition2": (
        "Addition 2", "Adds what the feed-forward layer made to the stream.", "x ← x + FFN(Norm(x))",
        "(T, d) + (T, d) → (T, d)", (), _HE,
    ),
    "final_norm": (
        "Final norm", "Norms the stream once more, however long the additions have made it.",
        "x̂ = x / √(mean(x²) + ε) · g", "(T, d) → (T, d)", ("final_norm", "final_norm.bias"), _RMS,
    ),
    "output": (
        "Output layer", "Compares the vector with every row of the embedding: one score, a logit, for each "
        "possible next token.", "logits = x̂ Eᵀ", "(T, d) → (T, V)", ("output.matrix",), _TIE,
    ),
    "tie": (
        "The tie", "One matrix does both jobs: its rows are what tokens start with, and what the last "
        "vector is compared with.", "W_out = E", "(V, d), used twice", ("tie",), _TIE,
    ),
    "loss": (
        "Softmax and loss", "Turns the logits into probabilities. In training, the surprise at the "
        "token that really came next is what all weights are moved to reduce.",
        "p = softmax(logits);  loss = mean of −ln p(next token)", "(T, V) → (T, V) → one number", (),
        "Bengio et al. 2003, A Neural Probabilistic Language Model",
    ),
}  # fmt: skip

# Where the store's file does the same in another way.
_STORE = {
    "blocks": (
        "The same functions, each time with weights of their own, picked from the file by the block's "
        "number.",
        "x ← block(x, weights of block l)",
    ),
    "attention": ("", "softmax(q kᵀ / √D + mask) v, then the output matrix"),
    "loss": (
        "Turns the logits into probabilities; the surprise at each token that really came next is what the "
        "model was trained to reduce.",
        "",
    ),
}
# Names that the store's file gives to the three matrices.
_STORE_NAMES = {"w1": "gate matrix", "w3": "up matrix", "w2": "down matrix"}


def picture(a):
    """What is drawn for an architecture: the parts in their places, as plain data for the component."""
    attention = [
        [list(one) for one in row]
        for row in ATTENTION_ROWS
        if not (row[0][0] == "qk_norm" and not a.qk_norm)
        and not (row[0][0] == "rope" and a.positions != "rotary")
    ]
    inner = FEED_FORWARD_ROWS if a.gated else PLAIN_ROWS
    above = ["tokens", "embedding"] + (["positions"] if a.positions == "learned" else [])
    return {
        "above": above,
        "halves": [
            {"norm": "norm1", "part": "attention", "add": "addition1", "columns": 3, "rows": attention},
            {
                "norm": "norm2",
                "part": "feed_forward",
                "add": "addition2",
                "columns": 2,
                "rows": [[list(one) for one in row] for row in inner],
            },
        ],
        "below": ["final_norm", "output", "loss"],
        "tied": a.tied,
    }


def drawn(a):
    """The ids of all parts drawn for an architecture, in the order of the pass."""
    what = picture(a)
    found = [*what["above"], "stream", "block", "blocks"]
    for half in what["halves"]:
        inside = [one[0] for row in half["rows"] for one in row]
        found += [half["norm"], half["part"], *inside, half["add"]]
    return [*found, *what["below"], *(["tie"] if a.tied else [])]


def cards(name):
    """What each drawn part of a model says: {id: {title, mark, label, duty, formula, shape, …}}.

    name: one of our models or a preset.  shape: in letters and in the model's numbers.
    """
    a = BY_ID[name].architecture
    table = counting.count_parameters(a)
    numbers = letters(a)
    found = {}
    for part_id in drawn(a):
        title, duty, formula, shape, rows, paper = _PARTS[part_id]
        if name == "store":
            other_duty, other_formula = _STORE.get(part_id, ("", ""))
            duty, formula = other_duty or duty, other_formula or formula
            title = f"{title.split(':')[0]}: {_STORE_NAMES[part_id]}" if part_id in _STORE_NAMES else title
        if part_id == "blocks":
            title = counted(a.n_layer, "block")
        found[part_id] = {
            "title": title,
            "mark": MARKS.get(part_id, "attention"),
            "label": _label(part_id, a),
            "duty": duty,
            "formula": formula,
            "letters": shape,
            "shape": fill(shape, numbers),
            "parameters": _parameters(part_id, rows, table),
            "paper": paper,
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
        "feed_forward": f"{d} → {wide} → {d}",
        "output": f"{d} → {vocabulary}",
        "final_norm": counting.NORMS[a.norm],
        "loss": "a probability for each token",
        "blocks": "each with its own weights",
    }.get(part_id, "")


def _parameters(part_id, rows, table):
    """A sentence: how many parameters the part has in this model."""
    a, layers = table.architecture, table.architecture.n_layer
    if part_id == "tie":
        return (
            f"None of its own: it saves {whole(table.tying_saves)}, since input and output share one matrix."
        )
    if part_id == "output" and a.tied:
        return f"None of its own: it uses the embedding’s {whole(table['embedding'].count)}."
    if part_id == "blocks":
        return f"{whole(table.blocks)} of the model’s {whole(table.total)}"
    if part_id == "block":
        each = table.per_block
    elif part_id == "attention":  # QK-norm's gains are attention's, as on the page Parameters
        each = table["attention"].per_block
    elif part_id == "feed_forward":
        each = table["feed_forward"].per_block
    else:
        each = sum(row.each for row in table.rows if row.id in rows)
        if not each:
            return "None"
        if not any(row.in_blocks for row in table.rows if row.id in rows):
            return f"{whole(each)} of the model’s {whole(table.total)}"
    return f"{whole(each)} in a block" + (f", {whole(each * layers)} in all {layers}" if layers > 1 else "")


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
