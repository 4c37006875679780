"""Where Hugging Face's networks keep their parts: names of modules and weights, family by family.

Plain data: neither torch nor transformers is needed to read it.
"""

from dataclasses import dataclass, field

_HALVES = {"norm1": "input_layernorm", "norm2": "post_attention_layernorm"}


@dataclass(frozen=True)
class Layout:
    """One family.

    kind: its model_type; prefix, head: of its classes' names.  modules: the fields of torch_model.Modules.
    base: the module that stands around all but the output layer; checkpoints leave its name out or not.
    embedding, positions, rotary: names of modules, None where there is none.  up, down: the feed-forward
    layer's matrices, within a block.  first: which side of a matrix stands first, "made" in nn.Linear,
    "read" in GPT-2's own.  interleaved: whether one matrix makes queries, keys and values head by head.
    renamed: what a name in a checkpoint is called now.  ignored: ends of names that hold no weights.
    """

    kind: str
    prefix: str
    base: str
    embedding: str
    modules: dict[str, str | tuple[str, ...]]
    up: str
    down: str
    head: str = "ForCausalLM"
    positions: str | None = None
    rotary: str | None = None
    first: str = "made"
    interleaved: bool = False
    renamed: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    @property
    def network(self) -> str:
        """The class of its networks with an output layer for tokens."""
        return self.prefix + self.head

    @property
    def module(self) -> str:
        """The library's file that runs it, as a module."""
        return f"transformers.models.{self.kind}.modeling_{self.kind}"

    @property
    def file(self) -> str:
        """The same file, from the folder that holds the library."""
        return self.module.replace(".", "/") + ".py"

    def rows(self) -> dict[str, tuple[str, int | None]]:
        """The calculator's rows -> the weights that hold them, and which third of one; biases too."""
        m = self.modules
        matrices = tuple(m["matrices"])
        thirds: tuple[int | None, ...] = (None, None, None) if len(matrices) == 3 else (0, 1, 2)
        matrices = matrices if len(matrices) == 3 else matrices * 3
        parts = {
            "embedding.matrix": self.embedding, "positions.matrix": self.positions, "norm1": m["norm1"],
            "projection": m["projection"], "norm2": m["norm2"], "w1": self.up, "w2": self.down,
            "final_norm": m["final_norm"], "output.matrix": m["output"], "q_norm": m.get("q_norm"),
            "k_norm": m.get("k_norm"),
        }  # fmt: skip
        if "gate" in m:
            parts |= {"w1": m["gate"], "w3": m["value"]}
        found: dict[str, tuple[str, int | None]] = {
            row: (str(part), None) for row, part in parts.items() if part
        }
        found |= dict(zip("qkv", zip(matrices, thirds, strict=True), strict=True))
        weights = {row: (f"{part}.weight", which) for row, (part, which) in found.items()}
        biases = {f"{row.removesuffix('.matrix')}.bias": (f"{p}.bias", w) for row, (p, w) in found.items()}
        return weights | biases


def _llama(kind: str, prefix: str, qk_norm: bool = False) -> Layout:
    norms = {"q_norm": "self_attn.q_norm", "k_norm": "self_attn.k_norm"} if qk_norm else {}
    modules: dict[str, str | tuple[str, ...]] = {
        "blocks": "model.layers", **_HALVES, "attention": "self_attn", "projection": "self_attn.o_proj",
        "feed_forward": "mlp", "final_norm": "model.norm", "output": "lm_head", "gate": "mlp.gate_proj",
        "value": "mlp.up_proj", "matrices": tuple(f"self_attn.{one}_proj" for one in "qkv"), **norms,
    }  # fmt: skip
    ignored = ("rotary_emb.inv_freq",)
    return Layout(
        kind, prefix, "model.", "model.embed_tokens", modules, "mlp.up_proj", "mlp.down_proj",
        rotary="model.rotary_emb", ignored=ignored,
    )  # fmt: skip


_GPT2 = Layout(
    "gpt2", "GPT2", "transformer.", "transformer.wte",
    {
        "blocks": "transformer.h", "norm1": "ln_1", "attention": "attn", "projection": "attn.c_proj",
        "norm2": "ln_2", "feed_forward": "mlp", "final_norm": "transformer.ln_f", "output": "lm_head",
        "matrices": ("attn.c_attn",),
    },
    "mlp.c_fc", "mlp.c_proj", positions="transformer.wpe", first="read", head="LMHeadModel",
    ignored=(".attn.bias", ".attn.masked_bias"),
)  # fmt: skip
_NEOX = Layout(
    "gpt_neox", "GPTNeoX", "gpt_neox.", "gpt_neox.embed_in",
    {
        "blocks": "gpt_neox.layers", **_HALVES, "attention": "attention", "projection": "attention.dense",
        "feed_forward": "mlp", "final_norm": "gpt_neox.final_layer_norm", "output": "lm_head",
        "matrices": ("attention.query_key_value",),
    },
    "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", rotary="gpt_neox.rotary_emb", interleaved=True,
    renamed={"embed_out.weight": "lm_head.weight"},
    ignored=(".attention.bias", ".attention.masked_bias", "rotary_emb.inv_freq"),
)  # fmt: skip

LAYOUTS = {
    one.kind: one
    for one in (
        _llama("llama", "Llama"),
        _llama("mistral", "Mistral"),
        _llama("qwen2", "Qwen2"),
        _llama("qwen3", "Qwen3", qk_norm=True),
        _GPT2,
        _NEOX,
    )
}
