"""What to look for in the transformers library's own files, for every part of the diagram.

Read as the tables of engine/families/lines.py are; "#2" asks for the second statement that matches alone, and
"without branches" for a function but for what stands under its ifs.
"""

from engine.families.checkpoints.layouts import LAYOUTS

Table = dict[str, tuple[str, ...]]
_TOKENS = {"tokens": ("Tokens", "Pieces.encode")}
_WRITING = {
    "generate": ("Generation", "generate", "draw", "keep_likely"),
    "draw": ("Drawing a token", "draw", "keep_likely"),
}
_SOFTMAX = ("eager_attention_forward: without branches", "eager_attention_forward: + attention_mask")


def _within(name: str, made: str, used: str = "") -> tuple[str, str]:
    """Where a class makes a part and where it uses it."""
    return f"{name}.__init__: self.{made} =", f"{name}.forward: {used or f'self.{made}('}"


def _llama(P: str, qk_norm: bool = False) -> Table:
    """Llama and those built like it.  P: what the names of its classes begin with."""
    attention, block, model, feed_forward = f"{P}Attention", f"{P}DecoderLayer", f"{P}Model", f"{P}MLP"
    norm = (f"{P}RMSNorm.__init__", f"{P}RMSNorm.forward")
    loop, head = f"{model}.forward: decoder_layer in", f"{P}ForCausalLM"
    normed = (*_within(attention, "q_norm"), *_within(attention, "k_norm"))
    mlp = f"{feed_forward}.forward"
    return {
        **_TOKENS,
        "embedding": ("Embedding", *_within(model, "embed_tokens")),
        "stream": ("Residual stream", f"{model}.forward: hidden_states = inputs_embeds", loop),
        "blocks": ("L blocks", f"{model}.__init__: self.layers =", loop),
        "block": ("Block", block),
        "rms_norm": ("RMSNorm", *norm),
        "norm1": ("Norm 1", *norm, *_within(block, "input_layernorm")),
        "attention": ("Attention", f"{attention}.__init__", f"{attention}.forward: without branches"),
        "queries": ("Queries", *_within(attention, "q_proj")),
        "keys": ("Keys", *_within(attention, "k_proj")),
        "values": ("Values", *_within(attention, "v_proj")),
        **({"qk_norm": ("QK-norm", *norm, *normed)} if qk_norm else {}),
        "rope": (
            "Rotation (RoPE)", f"{P}RotaryEmbedding.forward", "rotate_half", "apply_rotary_pos_emb",
            f"{attention}.forward: apply_rotary_pos_emb(",
        ),
        "causal_softmax": ("Causal softmax", *_SOFTMAX, f"{attention}.forward: = attention_interface("),
        "attention_output": ("Output matrix", *_within(attention, "o_proj")),
        "addition1": ("Addition 1", f"{block}.forward: residual + #1"),
        "norm2": ("Norm 2", *norm, *_within(block, "post_attention_layernorm")),
        "feed_forward": ("Feed-forward", f"{feed_forward}.__init__", mlp),
        "w1": ("w1, the gate's scores", *_within(feed_forward, "gate_proj")),
        "gate": ("Gate", *_within(feed_forward, "act_fn")),
        "w3": ("w3, the values", *_within(feed_forward, "up_proj")),
        "product": ("Product", f"{mlp}: self.act_fn("),
        "w2": ("w2, back to the stream", *_within(feed_forward, "down_proj")),
        "addition2": ("Addition 2", f"{block}.forward: residual + #2"),
        "final_norm": ("Final norm", *norm, *_within(model, "norm")),
        "output": ("Output layer", *_within(head, "lm_head")),
        "tie": ("The tie", f"{head}: _tied_weights_keys ="),
        **_WRITING,
    }  # fmt: skip


_GPT2: Table = {
    **_TOKENS,
    "embedding": ("Embedding", *_within("GPT2Model", "wte", "self.wte(input_ids)")),
    "positions": (
        "Positions", *_within("GPT2Model", "wpe"), "GPT2Model.forward: inputs_embeds + position_embeds",
    ),
    "stream": ("Residual stream", "GPT2Model.forward: + position_embeds", "GPT2Model.forward: block in"),
    "blocks": ("L blocks", "GPT2Model.__init__: self.h =", "GPT2Model.forward: block in"),
    "block": ("Block", "GPT2Block.__init__: without branches", "GPT2Block.forward: without branches"),
    "norm1": ("Norm 1", *_within("GPT2Block", "ln_1")),
    "attention": (
        "Attention", "GPT2Attention.forward: without branches",
        "GPT2Attention.forward: c_attn(hidden_states)",
        "GPT2Attention.forward: key_states.view( #2", "GPT2Attention.forward: value_states.view( #2",
        "GPT2Attention.forward: = attention_interface(",
    ),
    "queries": (
        "Queries", "GPT2Attention.__init__: Conv1D(3", "GPT2Attention.forward: c_attn(hidden_states)",
        "GPT2Attention.forward: query_states.view(",
    ),
    "keys": (
        "Keys", "GPT2Attention.__init__: Conv1D(3", "GPT2Attention.forward: c_attn(hidden_states)",
        "GPT2Attention.forward: key_states.view( #2",
    ),
    "values": (
        "Values", "GPT2Attention.__init__: Conv1D(3", "GPT2Attention.forward: c_attn(hidden_states)",
        "GPT2Attention.forward: value_states.view( #2",
    ),
    "causal_softmax": ("Causal softmax", *_SOFTMAX, "GPT2Attention.forward: = attention_interface("),
    "attention_output": ("Output matrix", *_within("GPT2Attention", "c_proj")),
    "addition1": ("Addition 1", "GPT2Block.forward: attn_output + residual"),
    "norm2": ("Norm 2", *_within("GPT2Block", "ln_2")),
    "feed_forward": ("Feed-forward", "GPT2MLP"),
    "w1": ("w1, in", *_within("GPT2MLP", "c_fc")),
    "gate": ("Activation", *_within("GPT2MLP", "act")),
    "w2": ("w2, back to the stream", *_within("GPT2MLP", "c_proj")),
    "addition2": ("Addition 2", "GPT2Block.forward: residual + feed_forward_hidden_states"),
    "final_norm": ("Final norm", *_within("GPT2Model", "ln_f")),
    "output": ("Output layer", *_within("GPT2LMHeadModel", "lm_head")),
    "tie": ("The tie", "GPT2LMHeadModel: _tied_weights_keys ="),
    **_WRITING,
}  # fmt: skip


def _neox(parallel: bool) -> Table:
    """GPT-NeoX, whose two parts of a block read the same stream, or follow each other."""
    layer, attention, model = "GPTNeoXLayer.forward", "GPTNeoXAttention", "GPTNeoXModel"
    added = f"{layer}: = mlp_output + attn_output"
    first, second, read = (
        (f"{added} + hidden_states", f"{added} + hidden_states", "#1")
        if parallel
        else (f"{layer}: = attn_output + hidden_states", f"{added} #2", "#2")
    )
    fed = (f"{layer}: self.mlp( {read}", f"{layer}: self.post_mlp_dropout( {read}")
    made = (f"{attention}.__init__: self.query_key_value =", f"{attention}.forward: self.query_key_value(")
    cut = (*made, f"{attention}.forward: qkv.chunk(")
    normed = f"{layer}: self.post_attention_layernorm( {read}"
    return {
        **_TOKENS,
        "embedding": ("Embedding", *_within(model, "embed_in")),
        "stream": ("Residual stream", f"{model}.forward: emb_dropout(", f"{model}.forward: for layer in"),
        "blocks": ("L blocks", f"{model}.__init__: self.layers =", f"{model}.forward: for layer in"),
        "block": ("Block", "GPTNeoXLayer.__init__", f"{layer}: without branches", *fed, first, second),
        "norm1": ("Norm 1", *_within("GPTNeoXLayer", "input_layernorm")),
        "attention": ("Attention", f"{attention}.__init__", f"{attention}.forward: without branches"),
        "queries": ("Queries", *cut),
        "keys": ("Keys", *cut),
        "values": ("Values", *cut),
        "rope": (
            "Rotation (RoPE)", "GPTNeoXRotaryEmbedding.forward", "rotate_half", "apply_rotary_pos_emb",
            f"{attention}.forward: apply_rotary_pos_emb(",
        ),
        "causal_softmax": ("Causal softmax", *_SOFTMAX, f"{attention}.forward: = attention_interface("),
        "attention_output": ("Output matrix", *_within(attention, "dense")),
        "addition1": ("Addition 1", first),
        "norm2": ("Norm 2", "GPTNeoXLayer.__init__: self.post_attention_layernorm =", normed),
        "feed_forward": ("Feed-forward", "GPTNeoXMLP", *fed),
        "w1": ("w1, in", *_within("GPTNeoXMLP", "dense_h_to_4h")),
        "gate": ("Activation", *_within("GPTNeoXMLP", "act")),
        "w2": ("w2, back to the stream", *_within("GPTNeoXMLP", "dense_4h_to_h")),
        "addition2": ("Addition 2", second),
        "final_norm": ("Final norm", *_within(model, "final_layer_norm")),
        "output": ("Output layer", *_within("GPTNeoXForCausalLM", "lm_head")),
        "tie": ("The tie", "GPTNeoXForCausalLM: _tied_weights_keys ="),
        **_WRITING,
    }  # fmt: skip


SERIAL = "gpt_neox, one part after the other"
_TABLES = {
    "llama": _llama("Llama"),
    "mistral": _llama("Mistral"),
    "qwen2": _llama("Qwen2"),
    "qwen3": _llama("Qwen3", qk_norm=True),
    "gpt2": _GPT2,
    "gpt_neox": _neox(parallel=True),
    SERIAL: _neox(parallel=False),
}
# {family: (the file that runs, from the folder that holds the library; what to look for)}
FAMILIES = {name: (LAYOUTS[name.partition(",")[0]].file, table) for name, table in _TABLES.items()}
# Parts that stand in a file of our own.
ELSEWHERE = {"tokens": "engine/families/checkpoints/pieces.py"}
