"""A family that no list names: Hugging Face's GPT-2, which has no gate, no RoPE, RMSNorm or QK-norm."""

from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from engine.counting.published import GPT2
from engine.families.torch_model import Modules, TorchModel
from tests import tiny


@dataclass(frozen=True, eq=False, repr=False)
class Stranger(TorchModel):
    """The whole family.  settings: its Architecture."""

    family, title, texts, joined = "stranger", "A stranger", "stories", True
    details, rope_base = (), None
    modules = Modules(
        blocks="transformer.h",
        norm1="ln_1",
        attention="attn",
        projection="attn.c_proj",
        norm2="ln_2",
        feed_forward="mlp",
        final_norm="transformer.ln_f",
        output="lm_head",
        matrices=("attn.c_attn",),
    )
    rows: ClassVar = {
        "embedding.matrix": ("transformer.wte.weight", None),
        "norm1": ("ln_1.weight", None),
        "q": ("attn.c_attn.weight", 0),
        "k": ("attn.c_attn.weight", 1),
        "v": ("attn.c_attn.weight", 2),
        "projection": ("attn.c_proj.weight", None),
        "norm2": ("ln_2.weight", None),
        "w1": ("mlp.c_fc.weight", None),
        "w2": ("mlp.c_proj.weight", None),
        "final_norm": ("transformer.ln_f.weight", None),
    }

    @property
    def architecture(self):
        return self.settings

    @property
    def epsilon(self):
        return self.network.transformer.ln_f.eps

    def scores(self, ids):
        return self.network(ids).logits


@cache
def stranger():
    """A stranger with random weights."""
    a = replace(GPT2, vocab_size=tiny.PIECES, d_model=32, n_layer=3, n_head=4, d_ff=80, context=160)
    config = GPT2Config(
        vocab_size=a.vocab_size,
        n_embd=a.d_model,
        n_layer=a.n_layer,
        n_head=a.n_head,
        n_inner=a.d_ff,
        n_positions=a.context,
        bos_token_id=None,
        eos_token_id=None,
        initializer_range=0.3,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        network = GPT2LMHeadModel(config).eval().requires_grad_(False)
    manifest = {"files": {"model.safetensors": "stranger"}}
    return Stranger("stranger", a, tiny.stories_tokenizer(), network, manifest)
