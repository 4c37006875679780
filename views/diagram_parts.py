"""What each part of a model says about itself on the diagram, as its architecture has it.

B batch · T tokens · d stream width · H heads · K key/value heads · D head width · F feed-forward width
V vocabulary · L blocks · P longest text
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class How:
    """What an architecture leaves open.

    activation: the function in the feed-forward layer, None for one that is not known.  scaled_start: whether
    the last matrix of each half starts out smaller.  functions: whether the file that runs is functions over
    a table of weights.  marker: whether a marker stands before every text.  parallel: whether both parts of a
    block read the same stream.  rotated: how many numbers of a head RoPE turns, None for all.
    """

    activation: str | None = "silu"
    scaled_start: bool = False
    functions: bool = False
    marker: bool = True
    parallel: bool = False
    rotated: int | None = None


OURS = How()

_VASWANI = "Vaswani et al. 2017, Attention Is All You Need"
_RMS = "Zhang and Sennrich 2019, Root Mean Square Layer Normalization"
_SHAZEER = "Shazeer 2020, GLU Variants Improve Transformer"
_EXPERTS = "Shazeer et al. 2017, Outrageously Large Neural Networks"
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
        ("q", "q.bias", "q_down", "q_down.bias", "q_down_norm"), _VASWANI,
    ),
    "keys": (
        "Keys", "For each head, what this token can be found by.", "k = x̂ W_k", "(T, d) → (K, T, D)",
        ("k", "k.bias", "kv_down", "kv_down.bias", "kv_down_norm", "k_rotated", "k_rotated.bias"), _VASWANI,
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
        "weights = softmax(q kᵀ / √D);  gathered = weights · v", "(H, T, D) → (H, T, T) → (T, H·D)",
        ("sinks",), _VASWANI,
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
        ("w3", "w3.bias"), _SHAZEER,
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
    "norm1_after": (
        "Norm 1, after", "Brings what attention adds to root mean square 1, then scales each number by a "
        "learned gain.", "x̂ = x / √(mean(x²) + ε) · g", "(T, d) → (T, d)",
        ("norm1_after", "norm1_after.bias"), _RMS,
    ),
    "norm2_after": (
        "Norm 2, after", "Brings what the feed-forward layer adds to root mean square 1, then scales each "
        "number by a learned gain.", "x̂ = x / √(mean(x²) + ε) · g", "(T, d) → (T, d)",
        ("norm2_after", "norm2_after.bias"), _RMS,
    ),
    "router": (
        "Router", "Scores every expert for each token; the best ones get it.", "s = x̂ W_r",
        "(T, d) → (T, E)", ("router", "router.bias"), _EXPERTS,
    ),
    "experts": (
        "Experts", "Feed-forward layers of their own. A token passes those that the router chose for it, and "
        "their results are added, weighted by the scores.", "Σ w_e · FFN_e(x̂), over the chosen experts",
        "(T, d) → (T, d)", tuple(
            f"{where}{row}{bias}" for where in ("experts.", "shared.") for row in ("w1", "w3", "w2")
            for bias in ("", ".bias")
        ), _EXPERTS,
    ),
    "final_norm": (
        "Final norm", "Norms the stream once more, however long the additions have made it.",
        "x̂ = x / √(mean(x²) + ε) · g", "(T, d) → (T, d)", ("final_norm", "final_norm.bias"), _RMS,
    ),
    "output": (
        "Output layer", "Compares the vector with every row of the embedding: one score, a logit, for each "
        "possible next token.", "logits = x̂ Eᵀ", "(T, d) → (T, V)", ("output.matrix", "output.bias"), _TIE,
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

_LAYER_NORM = {
    "duty": "Takes the mean away, divides by the standard deviation, then scales and shifts each number by a "
    "learned gain and bias.",
    "formula": "(x − mean(x)) / √(var(x) + ε) · g + b",
    "paper": "Ba et al. 2016, Layer Normalization",
}
_NO_SHIFT = {
    "duty": "Takes the mean away, divides by the standard deviation, then scales each number by a learned "
    "gain.",
    "formula": "(x − mean(x)) / √(var(x) + ε) · g",
}
_BARE = {
    "duty": "Takes the mean away and divides by the standard deviation; nothing in it is learned.",
    "formula": "(x − mean(x)) / √(var(x) + ε)",
    "paper": "Ba et al. 2016, Layer Normalization",
}
_ACTIVATIONS = "Nair and Hinton 2010 (ReLU); Hendrycks and Gimpel 2016 (GELU)"
_GELU = "Hendrycks and Gimpel 2016, Gaussian Error Linear Units"
_PLAIN = {
    "feed_forward": {
        "duty": "Works on each token by itself: widens the vector, bends it, and brings it back.",
        "formula": "f(x̂ W₁) W₂", "paper": _VASWANI,
    },
    "w1": {"title": "W₁: in", "duty": "Widens the vector to F numbers.", "paper": _VASWANI},
    "gate": {
        "title": "Activation", "duty": "Bends each of the F numbers by itself: one far below 0 comes out "
        "near 0.",
        "formula": "h = f(a)", "paper": _ACTIVATIONS,
    },
    "w2": {"paper": _VASWANI},
}  # fmt: skip
_PLAIN_GELU = {
    "feed_forward": {
        "formula": "GELU(x̂ W₁) W₂", "paper": _GELU,
    },
    "gate": {
        "title": "GELU", "duty": "Keeps large numbers and takes negative ones to between −0.17 and 0.",
        "formula": "GELU(a) = a · Φ(a)", "paper": _GELU,
    },
}  # fmt: skip
_UNKNOWN_GATE = {
    "feed_forward": {"formula": "(f(x̂ W₁) ⊙ x̂ W₃) W₂"},
    "gate": {
        "title": "Gate", "duty": "Makes a gate of each score: a score far below 0 makes one near 0, "
        "nearly shut.",
        "formula": "g = f(a)", "paper": _SHAZEER,
    },
    "product": {"formula": "h = f(a) ⊙ b"},
}  # fmt: skip
_FOUR_NORMS = {
    "block": {
        "duty": "Mixes between tokens (attention), then works on each token by itself (feed-forward). "
        "Each half reads a normed copy of the stream and adds its result, normed too.",
        "formula": "x ← x + Norm(Attn(Norm(x)));  x ← x + Norm(FFN(Norm(x)))",
    },
    "addition1": {"formula": "x ← x + Norm(Attn(Norm(x)))"},
    "addition2": {"formula": "x ← x + Norm(FFN(Norm(x)))"},
}
_ONE_NORM = {
    "block": {
        "duty": "Mixes between tokens (attention) and works on each token by itself (feed-forward). Both "
        "read the same normed copy of the stream, and their results are added together.",
        "formula": "x̂ = Norm(x);  x ← x + Attn(x̂) + FFN(x̂)",
    },
    "norm1": {"title": "Norm"},
    "addition1": {"formula": "x ← x + Attn(x̂)"},
    "addition2": {"formula": "x ← x + FFN(x̂)"},
}
_PARALLEL = {
    "block": {
        "duty": "Mixes between tokens (attention) and works on each token by itself (feed-forward). Both "
        "read the stream as it came into the block, each through a norm of its own, and both results are "
        "added.",
        "formula": "x ← x + Attn(Norm₁(x)) + FFN(Norm₂(x))",
        "paper": "Wang and Komatsuzaki 2021, GPT-J",
    },
    "addition1": {
        "duty": "Adds what attention found to the stream, together with what the feed-forward layer made.",
        "formula": "x ← x + Attn(Norm₁(x)) + FFN(Norm₂(x))",
    },
    "addition2": {
        "duty": "Adds what the feed-forward layer made, in the same sum as what attention found.",
        "formula": "x ← x + Attn(Norm₁(x)) + FFN(Norm₂(x))",
    },
}
_UNTIED = {
    "output": {
        "duty": "Compares the vector with every row of a matrix of its own: one score, a logit, for each "
        "possible next token.",
        "formula": "logits = x̂ W_outᵀ",
    }
}
# Where a file of functions does the same in another way, and what it calls the three matrices.
_FUNCTIONS = {
    "blocks": {
        "duty": "The same functions, each time with weights of their own, picked from the file by the "
        "block's number.",
        "formula": "x ← block(x, weights of block l)",
    },
    "attention": {"formula": "softmax(q kᵀ / √D + mask) v, then the output matrix"},
    "w1": {"title": "W₁: gate matrix"},
    "w3": {"title": "W₃: up matrix"},
    "w2": {"title": "W₂: down matrix"},
    "loss": {
        "duty": "Turns the logits into probabilities; the surprise at each token that really came next is "
        "what the model was trained to reduce.",
    },
}
_ANY_START = {
    "blocks": {
        "duty": "The same code, each time with weights of its own.", "formula": "x ← block(x)", "paper": "",
    }
}  # fmt: skip
_NO_MARKER = {"tokens": {"duty": "Cuts the text into pieces and gives each piece its number."}}
_BIASES = {
    "queries": ("qkv_bias", "q = x̂ W_q + b_q"),
    "keys": ("qkv_bias", "k = x̂ W_k + b_k"),
    "values": ("qkv_bias", "v = x̂ W_v + b_v"),
    "attention_output": ("projection_bias", "added = gathered W_o + b_o"),
    "w1": ("feed_forward_bias", "a = x̂ W₁ + b₁"),
    "w3": ("feed_forward_bias", "b = x̂ W₃ + b₃"),
    "w2": ("feed_forward_bias", "added = h W₂ + b₂"),
}


def _norms(said):
    return dict.fromkeys(("norm1", "norm2", "norm1_after", "norm2_after", "final_norm"), said)


def _variants(a, how):
    """Where a model's parts are not those of _PARTS -> [{part: what it says instead}], the last one wins."""
    plain, unknown = not a.gated, how.activation is None
    cases = (
        (a.norm == "layer", _norms(_LAYER_NORM)),
        (a.norm == "layer" and not a.norm_bias, _norms(_NO_SHIFT)),
        (a.norm == "bare", _norms(_BARE)),
        (plain, _PLAIN),
        (plain and how.activation == "GELU", _PLAIN_GELU),
        (a.gated and unknown, _UNKNOWN_GATE),
        (a.block_norms == "four", _FOUR_NORMS),
        (a.block_norms == "one", _ONE_NORM),
        (how.parallel, _PARALLEL),
        (not a.tied, _UNTIED),
        (not how.scaled_start, _ANY_START),
        (how.functions, _FUNCTIONS),
        (not how.marker, _NO_MARKER),
    )
    return [changes for true, changes in cases if true]


def told(part_id, a, how):
    """What a part says: {"title", "duty", "formula", "letters", "rows", "paper"}."""
    fields = ("title", "duty", "formula", "letters", "rows", "paper")
    said = dict(zip(fields, _PARTS[part_id], strict=True))
    for changes in _variants(a, how):
        said |= changes.get(part_id, {})
    bias, formula = _BIASES.get(part_id, (None, None))
    if bias and getattr(a, bias):
        said["formula"] = formula
    if part_id == "feed_forward" and a.feed_forward_bias:
        said["formula"] = said["formula"].replace("W₁", "W₁ + b₁").replace("W₂", "W₂ + b₂")
        said["formula"] = said["formula"].replace("x̂ W₃", "(x̂ W₃ + b₃)")
    if part_id == "rope" and how.rotated is not None and how.rotated < a.width_of_head:
        R, D = how.rotated, a.width_of_head
        said["duty"] += f" Of the {D} numbers of a head it turns the first {R}; the others know no position."
        said["formula"] = said["formula"].replace("2i/D", f"2i/{R}")
    if part_id == "output" and a.output_bias:
        said["formula"] += " + b"
    return said
