"""What GPT-2 and SmolLM2-360M do differently from the model on the diagram, part by part."""

from engine import counting, presets
from engine.counting.published import BY_ID
from views import diagram
from views.numbers import figure, whole

TITLES = {"gpt2": "GPT-2 small", "smollm2-360m": "SmolLM2-360M"}

# What an Architecture does not say: the base of the rotation, and the norms' ε.
_CONSTANTS = {
    "gpt2": (None, 1e-5),
    "smollm2-360m": (100_000, 1e-5),
    "store": (presets.STORE["rope_base"], 1e-5),
    **{name: (settings["rope_base"], 1e-6) for name, settings in presets.FAMILY.items()},
}

_BIAS = "It adds a learned bias; our matrices have none."
_LAYER_NORM = {
    "duty": "Takes the mean away, divides by the standard deviation, then scales and shifts each number by a "
    "learned gain and bias.",
    "formula": "(x − mean(x)) / √(var(x) + ε) · g + b",
    "paper": "Ba et al. 2016, Layer Normalization",
    "differs": "LayerNorm. RMSNorm leaves out the mean and the bias, and needs half the parameters.",
}
_GROUPED = (
    "Fifteen query heads share five keys and values, three to one, so this matrix is a third of the "
    "queries'. Our models have one for every query head. Loading such weights into code for one a head "
    "fails with a shape error: the kind of mismatch you want."
)
_OTHER = {
    "gpt2": {
        "positions": {
            "differs": "Ours add nothing here. They turn queries and keys in every block instead, so "
            "that scores depend on distance; GPT-2 has no vector for a place beyond the last it learned.",
        },
        "norm1": _LAYER_NORM,
        "norm2": _LAYER_NORM,
        "final_norm": _LAYER_NORM,
        "attention": {
            "differs": "Nothing is rotated and no query or key is normed: order was told by the "
            "positions added at the start. All matrices have biases.",
        },
        "queries": {"formula": "q = x̂ W_q + b_q", "differs": _BIAS},
        "keys": {"formula": "k = x̂ W_k + b_k", "differs": _BIAS},
        "values": {"formula": "v = x̂ W_v + b_v", "differs": _BIAS},
        "attention_output": {"formula": "added = gathered W_o + b_o", "differs": _BIAS},
        "feed_forward": {
            "duty": "Works on each token by itself: widens the vector to four times the stream's width, "
            "bends it, and brings it back.",
            "formula": "GELU(x̂ W₁ + b₁) W₂ + b₂",
            "paper": "Hendrycks and Gimpel 2016, Gaussian Error Linear Units",
            "differs": "Two matrices and no gate. A gated layer has three, so it is made two thirds as "
            "wide to hold as many parameters.",
        },
        "w1": {
            "title": "W₁: in", "duty": "Widens the vector to F numbers.", "formula": "a = x̂ W₁ + b₁",
            "paper": "Vaswani et al. 2017, Attention Is All You Need", "differs": _BIAS,
        },
        "gate": {
            "title": "GELU", "duty": "Keeps large numbers and takes negative ones to between −0.17 and 0.",
            "formula": "GELU(a) = a · Φ(a)", "paper": "Hendrycks and Gimpel 2016, Gaussian Error Linear "
            "Units",
            "differs": "In ours a curve much like this one, silu, opens a gate for the numbers of a "
            "second matrix. GPT-2 computes Φ by a formula with tanh: GELU is then right to within 0.001.",
        },
        "w2": {
            "formula": "added = h W₂ + b₂", "paper": "Vaswani et al. 2017, Attention Is All You Need",
            "differs": _BIAS,
        },
    },
    "smollm2-360m": {
        "blocks": {
            "duty": "The same code, each time with weights of its own.", "formula": "x ← block(x)",
            "paper": "",
        },
        "keys": {"differs": _GROUPED, "paper": "Ainslie et al. 2023, GQA"},
        "values": {"differs": _GROUPED, "paper": "Ainslie et al. 2023, GQA"},
        "attention": {"differs": "Fifteen query heads share five keys and values (open it to see)."},
        "rope": {
            "differs": "The base is 100,000, ours 10,000: the slow pairs turn up to ten times more "
            "slowly, for longer texts. A wrong base gives no error.",
        },
    },
}  # fmt: skip


def compare(name, other):
    """Another model's picture beside one of ours -> (picture, cards, table of differences).

    The cards of parts that differ have "differs": a sentence.  The table: [(what, ours, theirs)].
    """
    cards = diagram.cards(other)
    for part_id, change in _OTHER[other].items():
        cards[part_id] |= change
    mine, theirs = _facts(name), _facts(other)
    table = [(what, mine[what], theirs[what]) for what in mine]
    return diagram.picture(BY_ID[other].architecture), cards, table


def _facts(name):
    a = BY_ID[name].architecture
    base, eps = _CONSTANTS[name]
    return {
        "Positions": "learned, added at the start" if base is None else f"RoPE, base {whole(int(base))}",
        "Norm": f"{counting.NORMS[a.norm]}, ε {figure(eps, 1)}",
        "QK-norm": "yes" if a.qk_norm else "no",
        "Heads": f"{a.n_head} queries, {a.kv_heads} keys and values",
        "Feed-forward": "silu gate, three matrices" if a.gated else "GELU, two matrices",
        "Its width": f"{whole(a.d_ff)} = {a.d_ff / a.d_model:.2f} d",
        "Biases": _biases(a),
        "Input and output": "one matrix" if a.tied else "two matrices",
        "Blocks × width": f"{a.n_layer} × {whole(a.d_model)}",
        "Vocabulary": whole(a.vocab_size),
        "Parameters": whole(counting.count_parameters(a).total),
    }


def _biases(a):
    biased = [a.qkv_bias, a.projection_bias, a.feed_forward_bias]
    if all(biased):
        return "in every matrix but the embedding"
    return "in some matrices" if any(biased) else "none"
