"""What GPT-2 and SmolLM2-360M do differently from the model on the diagram, part by part."""

from typing import NamedTuple

from engine import counting
from engine.counting.architecture import Architecture
from engine.counting.published import BY_ID
from views import diagram
from views.diagram_parts import How
from views.numbers import figure, whole


class Described(NamedTuple):
    """A model as far as two are compared: what an Architecture does not say is beside it."""

    architecture: Architecture
    rope_base: float | None
    epsilon: float
    activation: str | None = None  # "silu", "GELU", or None for one that is not known


TITLES = {"gpt2": "GPT-2 small", "smollm2-360m": "SmolLM2-360M"}
_OTHERS = {
    "gpt2": Described(BY_ID["gpt2"].architecture, None, 1e-5, "GELU"),
    "smollm2-360m": Described(BY_ID["smollm2-360m"].architecture, 100_000, 1e-5, "silu"),
}
_HOW = {"gpt2": How("GELU", scaled_start=True), "smollm2-360m": How("silu")}

_BIAS = "It adds a learned bias; our matrices have none."
_LAYER_NORM = "LayerNorm. RMSNorm leaves out the mean and the bias, and needs half the parameters."
_GROUPED = (
    "Fifteen query heads share five keys and values, three to one, so this matrix is a third of the "
    "queries'. Our models have one for every query head. Loading such weights into code for one a head "
    "fails with a shape error: the kind of mismatch you want."
)
# {other: {part: what differs there}}; a sentence holds where the facts of the other model do differ.
_DIFFERS = {
    "gpt2": {
        "positions": "Ours add nothing here. They turn queries and keys in every block instead, so "
        "that scores depend on distance; GPT-2 has no vector for a place beyond the last it learned.",
        "norm1": _LAYER_NORM,
        "norm2": _LAYER_NORM,
        "final_norm": _LAYER_NORM,
        "attention": "Nothing is rotated and no query or key is normed: order was told by the "
        "positions added at the start. All matrices have biases.",
        **dict.fromkeys(("queries", "keys", "values", "attention_output", "w1", "w2"), _BIAS),
        "feed_forward": "Two matrices and no gate. A gated layer has three, so it is made two thirds as "
        "wide to hold as many parameters.",
        "gate": "In ours a curve much like this one, silu, opens a gate for the numbers of a second matrix. "
        "GPT-2 computes Φ by a formula with tanh: GELU is then right to within 0.001.",
    },
    "smollm2-360m": {
        "keys": _GROUPED,
        "values": _GROUPED,
        "attention": "Fifteen query heads share five keys and values (open it to see).",
        "rope": "The base is 100,000, ours {base}: the slow pairs turn up to ten times more "
        "slowly, for longer texts. A wrong base gives no error.",
    },
}
_PAPERS = {"smollm2-360m": dict.fromkeys(("keys", "values"), "Ainslie et al. 2023, GQA")}


def _differ(mine, theirs):
    """The parts in which two models do differ."""
    a, b = mine.architecture, theirs.architecture
    positions, biases = a.positions != b.positions, a.qkv_bias != b.qkv_bias
    heads = b.kv_heads < b.n_head and a.kv_heads == a.n_head
    base = mine.rope_base == 10_000 and theirs.rope_base == 100_000  # ten times, as the sentence says
    facts = {
        ("positions",): positions,
        ("norm1", "norm2", "final_norm"): a.norm != b.norm,
        ("attention",): positions or heads,
        ("queries",): biases,
        ("keys", "values"): biases or heads,
        ("attention_output",): a.projection_bias != b.projection_bias,
        ("w1", "w2"): a.feed_forward_bias != b.feed_forward_bias,
        ("feed_forward", "gate"): a.gated != b.gated,
        ("rope",): base,
    }
    return {part for parts, true in facts.items() if true for part in parts}


def compare(mine, other):
    """Another model's picture beside one of ours -> (picture, cards, table of differences).

    mine: a Described; other: a key of TITLES.  The cards of parts that differ have "differs": a sentence.
    The table: [(what, ours, theirs)].
    """
    theirs, differing = _OTHERS[other], _differ(mine, _OTHERS[other])
    cards = diagram.cards(theirs.architecture, _HOW[other])
    for part_id, sentence in _DIFFERS[other].items():
        if part_id in differing:
            cards[part_id]["differs"] = sentence.replace("{base}", whole(int(mine.rope_base or 0)))
    for part_id, paper in _PAPERS.get(other, {}).items():
        cards[part_id]["paper"] = paper
    ours, other_s = _facts(mine), _facts(theirs)
    table = [(what, ours[what], other_s[what]) for what in ours]
    return diagram.picture(theirs.architecture), cards, table


def _facts(one):
    a, base = one.architecture, one.rope_base
    learned = "learned, added at the start" if a.positions == "learned" else "rotary"
    return {
        "Positions": learned if base is None else f"RoPE, base {whole(int(base))}",
        "Norm": f"{counting.NORMS[a.norm]}, ε {figure(one.epsilon, 1)}",
        "QK-norm": "yes" if a.qk_norm else "no",
        "Heads": f"{a.n_head} queries, {a.kv_heads} keys and values",
        "Feed-forward": _layer(a, one.activation),
        "Its width": f"{whole(a.d_ff)} = {a.d_ff / a.d_model:.2f} d",
        "Biases": _biases(a),
        "Input and output": "one matrix" if a.tied else "two matrices",
        "Blocks × width": f"{a.n_layer} × {whole(a.d_model)}",
        "Vocabulary": whole(a.vocab_size),
        "Parameters": whole(counting.count_parameters(a).total),
    }


def _layer(a, activation):
    """The feed-forward layer in few words."""
    if a.gated:
        return f"{activation} gate, three matrices" if activation else "a gate, three matrices"
    return f"{activation}, two matrices" if activation else "no gate, two matrices"


def _biases(a):
    biased = [a.qkv_bias, a.projection_bias, a.feed_forward_bias]
    if all(biased):
        return "in every matrix but the embedding"
    return "in some matrices" if any(biased) else "none"
