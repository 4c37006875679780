"""A family whose parts read the same stream and whose RoPE turns half of a head: Hugging Face's GPT-NeoX."""

from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import numpy as np
import torch
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM
from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb

import engine
from engine import heads
from engine.counting.published import BY_ID
from engine.families.torch_model import Modules, TorchModel
from tests import tiny

IDS = [0, 7, 7, 1, 20, 3, 11, 30, 2, 7, 90, 41]


@dataclass(frozen=True, eq=False, repr=False)
class Parallel(TorchModel):
    """The whole family.  settings: its Architecture."""

    family, title, texts, joined = "parallel", "A parallel stranger", "stories", True
    details, rope_base, epsilon, parallel = (), 10_000.0, 1e-5, True
    modules = Modules(
        blocks="gpt_neox.layers",
        norm1="input_layernorm",
        attention="attention",
        projection="attention.dense",
        norm2="post_attention_layernorm",
        feed_forward="mlp",
        final_norm="gpt_neox.final_layer_norm",
        output="lm_head",
        matrices=("attention.query_key_value",),
    )
    rows: ClassVar = {"projection": ("attention.dense.weight", None)}

    @property
    def architecture(self):
        return self.settings

    @property
    def rotated(self):
        return self.architecture.width_of_head // 2

    def scores(self, ids):
        return self.network(ids).logits

    def heads(self, made):
        return made[0].unflatten(-1, (self.architecture.n_head, -1)).transpose(0, 1).chunk(3, -1)

    def turned(self, x):
        cos, sin = self.network.gpt_neox.rotary_emb(x, torch.arange(x.shape[-2])[None])
        assert cos.shape[-1] == self.rotated
        return apply_rotary_pos_emb(x, x, cos, sin)[0]


@cache
def model():
    """One with random weights."""
    a = replace(
        BY_ID["pythia-70m"].architecture,
        vocab_size=tiny.PIECES,
        d_model=32,
        n_layer=3,
        n_head=2,
        d_ff=80,
        context=40,
    )
    config = GPTNeoXConfig(
        **tiny.library_sizes(a),
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 0.5},
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        network = tiny.loud(GPTNeoXForCausalLM(config), seed=5)
    return Parallel("parallel", a, tiny.stories_tokenizer(), network, {"files": {"model.safetensors": "p"}})


def test_it_says_that_its_parts_are_parallel_and_how_much_rope_turns():
    assert "parallel" in model().has
    assert model().rotated == 8
    for name in ("sprout", "store"):
        ours = tiny.model(name)
        assert "parallel" not in ours.has
        assert ours.rotated == ours.architecture.width_of_head


def test_its_pass_is_watched_like_any_other():
    trace = engine.run(model(), IDS, ("attention", "head_values", "norm2"))
    np.testing.assert_allclose(trace.logits, model().logits(IDS), atol=1e-4)
    sums = trace.streams[:-1] + trace.attention_added + trace.feed_forward_added
    np.testing.assert_allclose(trace.streams[1:], sums, atol=1e-4)
    for block, layer in enumerate(model().network.gpt_neox.layers):
        shares = heads.added(model(), IDS, block).sum(0) + layer.attention.dense.bias.numpy()
        np.testing.assert_allclose(shares, trace.attention_added[block], atol=1e-4)


def test_its_feed_forward_layer_reads_what_came_into_the_block():
    trace = engine.run(model(), IDS, ("norm2",))
    read = model().read_by_feed_forward(trace.streams, trace.attention_added)
    for block, layer in enumerate(model().network.gpt_neox.layers):
        normed = layer.post_attention_layernorm(torch.from_numpy(read[block].copy())).numpy()
        np.testing.assert_allclose(normed, trace.norm2[block], atol=1e-5)
    journey = engine.journey_of(model(), IDS, 5)
    np.testing.assert_allclose(journey.between, journey.stream[:-1])
    np.testing.assert_allclose(journey.between_rms, journey.stream_rms[:-1])
