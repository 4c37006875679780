"""The library's lines that are shown of an opened checkpoint are lines that ran when it was opened."""

import sys
from functools import cache

import pytest

import engine
from engine import source
from engine.families.checkpoints import folder, loading
from tests import checkpoints
from tests.engine.test_shown_lines import bodies, refusing

KINDS = ("llama", "mistral", "qwen2", "qwen3", "gpt2", "neox", "neox-serial")


@cache
def ran(kind, home):
    """(the model, the lines of the library's file that ran while it was loaded and run on a text)."""
    found = set()
    file = str(source._library() / folder.look(home).layout.file)

    def tracer(frame, event, _arg):
        if frame.f_code.co_filename != file:
            return None
        if event == "line":
            found.add(frame.f_lineno)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        model = loading.load(folder.look(home), kind, kind)
        engine.run(model, model.tokenizer.encode("Once upon a time"), model.extras)
    finally:
        sys.settrace(before)
    return model, found


@pytest.fixture(scope="module")
def homes(tmp_path_factory):
    root = tmp_path_factory.mktemp("lines")
    return {kind: checkpoints.write(kind, root / kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_lines_shown_are_lines_that_ran(kind, homes):
    model, found = ran(kind, homes[kind])
    silent = {}
    for part_id, part in model.parts().items():
        if part.file.startswith("engine/"):
            continue
        text = source.text_of(part.file)
        inside = set(bodies(compile(text, part.file, "exec"))) - refusing(text)
        shown = {line for first, last in part.lines for line in range(first, last + 1)}
        rows = text.splitlines()
        missed = sorted((inside & shown) - found)
        if missed:
            silent[part_id] = [f"{line}: {rows[line - 1].strip()}" for line in missed]
    assert not silent


HOLDS = {
    "llama": {
        "embedding": "self.embed_tokens(input_ids)", "stream": "hidden_states = decoder_layer(",
        "rms_norm": "torch.rsqrt(variance + self.variance_epsilon)", "queries": "self.q_proj(hidden_states)",
        "keys": "self.k_proj(hidden_states)", "values": "self.v_proj(hidden_states)",
        "rope": "def rotate_half", "causal_softmax": "nn.functional.softmax(",
        "attention_output": "self.o_proj(attn_output)", "addition1": "residual + hidden_states",
        "w1": "self.gate_proj", "w3": "self.up_proj", "w2": "self.down_proj", "gate": "self.act_fn",
        "output": "self.lm_head(hidden_states)", "tie": "_tied_weights_keys", "tokens": "def encode",
        "final_norm": "self.norm(hidden_states)", "draw": "def draw",
    },
    "qwen3": {"qk_norm": "self.q_norm(self.q_proj(", "rope": "apply_rotary_pos_emb(query_states"},
    "gpt2": {
        "positions": "inputs_embeds + position_embeds", "queries": "self.c_attn(hidden_states).split",
        "keys": "key_states.view(shape_kv)", "w1": "self.c_fc(hidden_states)", "gate": "self.act(",
        "addition1": "attn_output + residual", "addition2": "residual + feed_forward_hidden_states",
    },
    "neox": {
        "queries": "qkv.chunk(3", "addition1": "mlp_output + attn_output + hidden_states",
        "norm2": "self.post_attention_layernorm(hidden_states)", "rope": "q_rot, q_pass =",
    },
    "neox-serial": {
        "addition1": "attn_output = attn_output + hidden_states", "addition2": "= mlp_output + attn_output",
        "norm2": "self.post_attention_layernorm(attn_output)",
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", HOLDS)
def test_the_lines_of_a_part_hold_what_it_is_about(kind, homes):
    parts = ran(kind, homes[kind])[0].parts()
    for part_id, words in HOLDS[kind].items():
        assert words in parts[part_id].text, part_id
    assert "cross_attention" not in parts["block"].text.replace("config.add_cross_attention", "")


def test_the_two_additions_are_different_lines():
    for kind in ("llama", "gpt2", "neox-serial"):
        parts = checkpoints.opened(kind).parts()
        assert parts["addition1"].lines != parts["addition2"].lines
