"""Checks that anyone can run: our passes against others', and what must hold of them.

T tokens · d stream width · H heads · D head width · V vocabulary
"""

import platform
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

import numpy as np

import engine
from engine import measures, rope, store
from engine.weights import FOLDER

CLOSE = 1e-4  # the largest difference of two logits that counts as the same


@dataclass(frozen=True)
class Outcome:
    """What a check found.  passed is None when it could not be run, and `found` then says why."""

    passed: bool | None
    found: str  # one sentence with its numbers


LIBRARIES = {"NumPy": "numpy", "PyTorch": "torch", "transformers": "transformers", "Streamlit": "streamlit"}


def versions():
    """What runs here, {name: version}; None for a library that is not installed."""
    found = {"Python": platform.python_version()}
    for title, name in LIBRARIES.items():
        try:
            found[title] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[title] = None
    return found


def against_saved(model, folder=FOLDER):
    """The NumPy pass against the logits that PyTorch's training code wrote beside the weights."""
    path = folder / "store" / "check.npz"
    if not path.exists():
        return Outcome(None, "The saved logits (weights/store/check.npz) are not here.")
    with np.load(path) as saved:
        ids, expected = saved["ids"], saved["logits"]
    return _compare(store.forward(ids, model.network, model.settings), expected)


def against_torch(model):
    """The NumPy pass against PyTorch's own norm, attention and SiLU, computed now, on one product."""
    ids = measures.own_rows(model)[0]
    return _compare(store.forward(ids, model.network, model.settings), torch_logits(model, ids))


def torch_logits(model, ids):
    """The store's pass in PyTorch's own parts; RoPE, which it has not, by complex numbers.  -> (T, V)"""
    import torch
    from torch.nn import functional

    weights = {name: torch.from_numpy(array.copy()) for name, array in model.network.items()}
    H, T, d = model.settings["n_head"], len(ids), model.settings["d_model"]
    D = d // H
    speed = model.settings["rope_base"] ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    angle = torch.outer(torch.arange(T, dtype=torch.float64), speed)
    turns = torch.polar(torch.ones_like(angle), angle)

    def norm(x, gain):
        return functional.rms_norm(x, (d,), gain, 1e-5)

    def heads(x, turned):
        x = x.view(T, H, D).transpose(0, 1)
        if not turned:
            return x
        pairs = torch.complex(*x.double().chunk(2, -1)) * turns
        return torch.cat((pairs.real, pairs.imag), -1).float()

    x = weights["embedding"][torch.tensor(np.asarray(ids), dtype=torch.int64)]
    for number in range(model.settings["n_layer"]):
        layer = store.layer_weights(weights, number)
        normed = norm(x, layer["attention_gain"])
        q, k, v = (heads(normed @ layer[name], name != "v") for name in "qkv")
        gathered = functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        x = x + gathered.transpose(0, 1).reshape(T, d) @ layer["o"]
        normed = norm(x, layer["feed_forward_gain"])
        x = x + (functional.silu(normed @ layer["gate"]) * (normed @ layer["up"])) @ layer["down"]
    return (norm(x, weights["final_gain"]) @ weights["embedding"].T).numpy()


def against_transformers(model):
    """Our pass against Hugging Face's code for the same architecture with the same weights."""
    if find_spec("transformers") is None:
        return Outcome(None, "The `transformers` library is not installed: `pip install transformers`.")
    import torch

    ids = measures.own_rows(model)[0]
    with torch.inference_mode():
        expected = in_transformers(model)(torch.tensor(ids)[None]).logits[0].numpy()
    return _compare(measures.logits(model, ids), expected)


def in_transformers(model):
    """The same weights in Hugging Face's own code: Qwen3 for the Sprout family, Llama for the store."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

    setting = model.setting
    is_store, d = model.name == "store", setting("d_model")
    config = {
        "vocab_size": setting("vocab_size"), "hidden_size": d, "intermediate_size": setting("d_ff"),
        "num_hidden_layers": setting("n_layer"), "num_attention_heads": setting("n_head"),
        "num_key_value_heads": setting("n_head"), "head_dim": d // setting("n_head"),
        "max_position_embeddings": setting("context"), "rms_norm_eps": 1e-5 if is_store else 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": setting("rope_base")},
        "tie_word_embeddings": True, "attention_bias": False,
        "bos_token_id": None, "eos_token_id": None, "pad_token_id": None,
    }  # fmt: skip
    with torch.random.fork_rng(devices=[]):  # their random start is thrown away
        family = (
            LlamaForCausalLM(LlamaConfig(**config)) if is_store else Qwen3ForCausalLM(Qwen3Config(**config))
        )
    family.load_state_dict(_under_their_names(model))
    return family.eval()


_BLOCK_NAMES = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.o_proj",
    "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj",
    "attention_gain": "input_layernorm", "feed_forward_gain": "post_attention_layernorm",
    "attention.q_norm.gain": "self_attn.q_norm", "attention.k_norm.gain": "self_attn.k_norm",
    "attention.proj.weight": "self_attn.o_proj", "feed_forward.w1.weight": "mlp.gate_proj",
    "feed_forward.w3.weight": "mlp.up_proj", "feed_forward.w2.weight": "mlp.down_proj",
    "norm1.gain": "input_layernorm", "norm2.gain": "post_attention_layernorm",
}  # fmt: skip


def _under_their_names(model):
    """Our weights by Hugging Face's names; the store's matrices, used as x @ W, are turned over."""
    import torch

    ours = model.network if model.name == "store" else model.network.state_dict()
    found = {}
    for name, weight in ours.items():
        if model.name == "store":
            inner = weight.T if name.startswith("blocks.") and weight.ndim == 2 else weight
            weight = torch.from_numpy(inner.copy())
        if name in ("embedding", "embedding.weight"):
            found["model.embed_tokens.weight"] = found["lm_head.weight"] = weight
        elif name.startswith("final_"):
            found["model.norm.weight"] = weight
        elif name.startswith("blocks."):
            _, number, part = name.split(".", 2)
            prefix = f"model.layers.{number}."
            if part == "attention.qkv.weight":
                for letter, third in zip("qkv", weight.chunk(3), strict=True):
                    found[f"{prefix}self_attn.{letter}_proj.weight"] = third
            else:
                found[f"{prefix}{_BLOCK_NAMES[part]}.weight"] = weight
    return found


def rope_by_hand(_model=None):
    """Equal distances give equal scores, a vector keeps its length, and the known numbers come out."""
    query, key = rope.draw(2026, 32)
    scores = [rope.score(query, key, m, n, scaled=True) for m, n in ((5, 2), (15, 12), (8, 2))]
    known = bool(np.allclose(scores, (0.217, 0.217, -0.765), atol=5e-4))
    query, key = rope.draw(1, 64)
    equal = [rope.score(query, key, m, n) for m, n in ((5, 2), (105, 102), (400, 397))]
    spread = max(equal) - min(equal)
    longer = abs(np.linalg.norm(rope.turn(query, 77)) - np.linalg.norm(query))
    return Outcome(
        known and spread < 1e-9 and longer < 1e-9,
        f"Three pairs at distance 3 differ by at most {_small(spread)}; turning to position 77 changes the "
        f"length by {_small(longer)}; the known scores 0.217, 0.217, −0.765 came out as "
        + ", ".join(f"{score:.3f}".replace("-", "−") for score in scores) + ".",
    )  # fmt: skip


def tied(model):
    """Input and output use one and the same matrix."""
    if model.name == "store":
        ids = measures.own_rows(model)[0][:8]
        other = {**model.network, "embedding": model.network["embedding"] * np.float32(2)}
        streams, _ = store.run(ids, model.network, model.settings)
        ratio = store.unembed(streams[-1], other) / store.unembed(streams[-1], model.network)
        one = "output" not in model.network and bool(np.allclose(ratio, 2))
        return Outcome(one, "The file holds no output matrix; doubling the embedding doubles every logit.")
    network = model.network
    one = network.output.weight.data_ptr() == network.embedding.weight.data_ptr()
    V, d = network.embedding.weight.shape
    verb = "use one and the same" if one else "do not use the same"
    return Outcome(one, f"Embedding and output {verb} {V:,} × {d} numbers in memory.")


def causal(model):
    """Changing a later token changes nothing before it."""
    ids = np.array(measures.own_rows(model)[0])
    place = len(ids) // 2
    other = ids.copy()
    other[place:] = ids[place:][::-1]
    other[place] = (ids[place] + 1) % model.setting("vocab_size")
    before, after = measures.logits(model, ids), measures.logits(model, other)
    largest = float(np.abs(before[:place] - after[:place]).max())
    changed = float(np.abs(before[place:] - after[place:]).max())
    return Outcome(
        largest < CLOSE < changed,
        f"Tokens {place} to {len(ids) - 1} were exchanged: before them no logit moved by more than "
        f"{_small(largest)}, from there on by up to {changed:.1f}.",
    )


def unchanged_by_looking(model):
    """A pass that is watched gives bit for bit the logits of one that is not."""
    ids = measures.own_rows(model)[0]
    plain = measures.logits(model, ids)
    watched = engine.run(model, ids, ("attention", "gate")).logits
    again = measures.logits(model, ids)
    different = int((plain != watched).sum() + (plain != again).sum())
    return Outcome(different == 0, f"{different} of {plain.size:,} logits differ.")


def counted(model):
    """The formula's count is the number of numbers stored."""
    expected = engine.count_parameters(model.settings).total
    arrays = model.network if model.name == "store" else dict(model.network.named_parameters())
    stored = sum(int(np.prod(array.shape)) for array in arrays.values())
    return Outcome(expected == stored, f"{expected:,} counted from the settings, {stored:,} stored.")


def _small(x):
    """A small difference as it is written: 0, or 1.9 × 10⁻⁶."""
    if x == 0:
        return "0"
    digits, power = f"{x:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _compare(ours, expected):
    if ours.shape != expected.shape:
        return Outcome(False, f"The shapes differ: {ours.shape} and {expected.shape}.")
    largest = float(np.abs(ours.astype(np.float64) - expected).max())
    T, V = ours.shape
    return Outcome(
        largest < CLOSE,
        f"{ours.size:,} logits ({T} positions × {V:,} tokens): the largest difference is {_small(largest)}, "
        f"and less than {CLOSE:g} counts as the same.",
    )


def all_checks(model):
    """The checks that make sense for a model -> {title: function of the model}."""
    own = {
        "NumPy against PyTorch's saved logits": against_saved,
        "NumPy against PyTorch, now": against_torch,
    }
    ours = "NumPy" if model.name == "store" else "PyTorch"
    return {
        **(own if model.name == "store" else {}),
        f"{ours} against Hugging Face transformers": against_transformers,
        "RoPE by hand": rope_by_hand,
        "The tied matrix is one matrix": tied,
        "No token sees the future": causal,
        "Looking changes nothing": unchanged_by_looking,
        "Counted is stored": counted,
    }
