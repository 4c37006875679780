"""Checkpoints of other families: what is shown of them is what the transformers library computes.

Tiny random ones, written as the library writes them, are opened and held against its own plain pass.
"""

import json

import numpy as np
import pytest
import torch

import engine
from engine import checks, experiments, families, heads, lens, source, wiring
from engine.errors import LacksError
from engine.families import Change
from engine.families.checkpoints import folder, lines, loading
from tests import checkpoints
from tests.checkpoints import KINDS

TEXT = "Once upon a time Zorbin met Zorbin."


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def model(kind):
    return checkpoints.opened(kind)


@pytest.fixture
def ids(model):
    return model.tokenizer.encode(TEXT)


def plain(kind, ids):
    """The library's own pass over ids, with its streams and attention."""
    with torch.inference_mode():
        return checkpoints.network(kind)(
            torch.tensor([ids]), output_hidden_states=True, output_attentions=True, use_cache=False
        )


def close(ours, theirs, spread):
    """Whether the largest difference is less than a ten-thousandth of the spread."""
    return np.abs(np.asarray(ours) - np.asarray(theirs)).max() < 1e-4 * spread


def test_logits_streams_and_attention_are_the_library_s_own(kind, model, ids):
    theirs = plain(kind, ids)
    logits = theirs.logits[0].numpy()
    trace = engine.run(model, ids, model.extras)
    assert close(trace.logits, logits, logits.std())
    assert close(model.logits(ids), logits, logits.std())
    streams = torch.stack(theirs.hidden_states)[:, 0].numpy()
    assert close(trace.streams[:-1], streams[:-1], streams.std())  # the library's last is normed
    assert close(model.normed(trace.streams[-1]), streams[-1], streams[-1].std())
    assert close(trace.attention, torch.stack(theirs.attentions)[:, 0].numpy(), 1)


def test_the_lens_reads_every_row_as_the_library_s_norm_and_output_do(kind, model, ids):
    network, trace = checkpoints.network(kind), engine.run(model, ids)
    found = engine.logit_lens(model, trace, k=3)
    norm = network.get_submodule(model.modules.final_norm)
    with torch.inference_mode():
        p = network.lm_head(norm(torch.from_numpy(trace.streams.copy()))).softmax(-1)
    best = p.topk(3)
    np.testing.assert_allclose(found.probabilities, best.values, atol=1e-5)
    np.testing.assert_array_equal(found.ids[..., 0], best.indices[..., 0])


def test_the_stream_grows_by_what_its_parts_add(model, ids):
    trace = engine.run(model, ids)
    sums = trace.streams[:-1] + trace.attention_added + trace.feed_forward_added
    np.testing.assert_allclose(trace.streams[1:], sums, atol=1e-4)


def test_what_is_kept_is_what_the_weights_make_of_what_they_read(model, ids):
    trace, a = engine.run(model, ids, model.extras), model.architecture
    for block in range(a.n_layer):
        for row, kept in (("q", "raw_queries"), ("k", "raw_keys"), ("v", "head_values")):
            made = trace.norm1[block] @ model.part(row, block)
            if a.qkv_bias:
                made = made + model.part(f"{row}.bias", block)
            by_head = made.reshape(len(ids), -1, a.width_of_head).swapaxes(0, 1)
            np.testing.assert_allclose(getattr(trace, kept)[block], by_head, atol=1e-4)
        if a.gated and not a.feed_forward_bias:
            product = trace.gate[block] * trace.value[block] @ model.part("w2", block)
            np.testing.assert_allclose(trace.feed_forward_added[block], product, atol=1e-4)


def test_the_kept_queries_and_keys_give_the_library_s_attention(kind, model, ids):
    if model.architecture.window:
        pytest.skip("a window hides tokens, which the queries do not tell")
    trace = engine.run(model, ids, ("queries", "keys", "attention"))
    q, k = (torch.from_numpy(one.copy()) for one in (trace.queries, trace.keys))
    np.testing.assert_allclose(model._weights(q, k), trace.attention, atol=1e-5)


def test_in_a_window_no_token_looks_further_back():
    for kind, blocks, width in (("mistral", (0, 1, 2), 5), ("qwen2", (1, 2), 6)):
        model = checkpoints.opened(kind)
        attention = engine.run(model, model.tokenizer.encode(TEXT), ("attention",)).attention
        T = attention.shape[-1]
        seen = wiring.latest(width)(T)
        assert not attention[list(blocks)][..., ~seen].any()
        others = [block for block in range(3) if block not in blocks]
        assert all(attention[block][..., np.tri(T, dtype=bool) & ~seen].any() for block in others)


def test_every_head_s_share_sums_to_what_attention_adds(model, ids):
    for block, added in enumerate(engine.run(model, ids).attention_added):
        rest = added - heads.added(model, ids, block).sum(0)
        np.testing.assert_allclose(rest, rest[:1].repeat(len(ids), axis=0), atol=1e-4)  # only a bias is left


def test_it_has_what_its_config_says(kind, model):
    a = model.architecture
    assert ("parallel" in model.has) == (kind == "neox") == model.parallel
    assert ("gate" in model.has) == (not kind.startswith(("gpt2", "neox")))
    assert ("rotary" in model.has) == (kind != "gpt2")
    assert ("qk_norm" in model.has) == (kind == "qwen3")
    assert ("grouped" in model.has) == (not kind.startswith(("gpt2", "neox")))
    assert ("tied" in model.has) == (kind in ("llama", "qwen3", "gpt2", "neox-serial"))
    assert ("biases" in model.has) == (kind in ("llama-biased", "qwen2", "gpt2", "neox", "neox-serial"))
    assert model.rotated == {"gpt2": 0, "neox": 4, "neox-serial": 4}.get(kind, a.width_of_head)
    assert model.stored == engine.count_parameters(a).total
    assert model.stored == sum(weight.numel() for weight in checkpoints.network(kind).parameters())


def test_every_check_that_can_be_run_is_passed(model):
    for title, check in checks.all_checks(model).items():
        outcome = check(model)
        assert outcome.passed is not False, (title, outcome.facts)
        assert outcome.passed, title
    assert not any("transformers" in title for title in checks.all_checks(model))


def test_every_detail_that_can_be_changed_changes_something_and_only_the_copy(model, ids):
    before = model.logits(ids)
    assert set(model.details) >= {"epsilon"}
    for detail in model.details:
        changed = model.changed(Change(detail, value=7.0))
        trace = engine.run(changed, ids, changed.extras)
        assert np.abs(trace.logits - before).max() > 1e-3, detail
        assert changed.checksum != model.checksum
    np.testing.assert_array_equal(model.logits(ids), before)


@pytest.mark.parametrize(
    "change", [Change("block", 1), Change("attention", 0), Change("head", 1, 1)], ids=str
)
def test_what_is_left_out_adds_nothing(model, ids, change):
    trace = engine.run(model.changed(change), ids)
    if change.kind != "head":
        assert not trace.attention_added[change.block].any()
    assert np.abs(trace.logits - model.logits(ids)).max() > 1e-2
    assert len(experiments.parts(model)) == 3 * (3 + model.architecture.n_head)


def test_another_base_or_none_is_what_the_library_would_compute(ids, kind, model):
    if "rotary" not in model.has:
        with pytest.raises(LacksError, match="no RoPE"):
            model.changed(Change("base", value=500.0))
        return
    same = model.changed(Change("base", value=model.rope_base))
    np.testing.assert_allclose(same.logits(ids), model.logits(ids), atol=1e-5)
    other = checkpoints.network(kind)
    rotary = other.get_submodule(model.settings.layout.rotary)
    rotary.inv_freq.zero_()
    with torch.inference_mode():
        expected = other(torch.tensor([ids])).logits[0].numpy()
    np.testing.assert_allclose(model.changed(Change("no-rope")).logits(ids), expected, atol=1e-4)


def test_it_is_wired_otherwise_with_the_same_weights(model, ids):
    usual = wiring.logits(model, ids)
    if not model.architecture.window:
        np.testing.assert_allclose(usual, model.logits(ids), atol=1e-5)
        again = wiring.logits(model, ids, wiring.Wiring(wiring.latest(len(ids))))
        np.testing.assert_allclose(again, usual, atol=1e-5)
    for how in (
        wiring.Wiring(wiring.everything), wiring.Wiring(skips=False), wiring.Wiring(feed_forward=False),
        wiring.Wiring(skips=False, feed_forward=False),
    ):  # fmt: skip
        assert np.abs(wiring.logits(model, ids, how) - usual).max() > 1e-3
    no_order = wiring.Wiring(wiring.everything, turned=False)
    if "rotary" in model.has:
        last = wiring.logits(model, [ids[1], ids[0], *ids[2:]], no_order)[-1]
        np.testing.assert_allclose(last, wiring.logits(model, ids, no_order)[-1], atol=1e-3)
    else:
        with pytest.raises(LacksError, match="no rotation"):
            wiring.logits(model, ids, no_order)


def test_it_reads_past_its_declared_length_only_with_rope(model):
    ids = model.tokenizer.encode("a " * 190)[:100]
    if "rotary" in model.has:
        assert model.reaching(100).logits(ids).shape[0] == 100
        with pytest.raises(LacksError, match="more memory"):
            model.reaching(10**6)
    else:
        with pytest.raises(LacksError, match="positions for 64"):
            model.reaching(100)


def test_in_bfloat16_the_last_row_is_still_the_output(kind):
    model = checkpoints.opened(kind, "bfloat16")
    ids = model.tokenizer.encode(TEXT)
    exact = checkpoints.opened(kind).logits(ids)
    trace = engine.run(model, ids, model.extras)
    assert engine.logit_lens(model, trace).ids.shape == (4, len(ids), 5)
    assert np.abs(trace.logits - exact).max() < 0.5 * exact.std()
    assert model.stored == engine.count_parameters(model.architecture).total
    assert checks.tied(model).passed or not model.architecture.tied
    with pytest.raises(LacksError, match="bfloat16"):
        model.remade(matrix=lambda array: array)


# config.json as it was written years ago: published files still look like this
OLDER = {
    "llama": {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "silu", "hidden_size": 32,
        "initializer_range": 0.04, "intermediate_size": 80, "is_llama_config": True,
        "max_position_embeddings": 64, "mlp_bias": False, "model_type": "llama", "num_attention_heads": 4,
        "num_hidden_layers": 3, "num_key_value_heads": 2, "pad_token_id": 2, "pretraining_tp": 1,
        "rms_norm_eps": 1e-06, "rope_interleaved": False, "rope_scaling": None, "rope_theta": 10000,
        "tie_word_embeddings": True, "torch_dtype": "bfloat16", "transformers_version": "4.42.3",
        "transformers.js_config": {"kv_cache_dtype": {"fp16": "float16"}}, "use_cache": True,
        "vocab_size": 512,
    },
    "llama-scaled": {
        "architectures": ["LlamaForCausalLM"], "hidden_size": 32, "intermediate_size": 80,
        "max_position_embeddings": 64, "model_type": "llama", "num_attention_heads": 4,
        "num_hidden_layers": 3, "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 50000.0,
        "rope_scaling": {
            "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
            "original_max_position_embeddings": 16, "rope_type": "llama3",
        },
        "eos_token_id": [0, 1], "tie_word_embeddings": False, "vocab_size": 512,
    },
    "gpt2": {
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
        "bos_token_id": 0, "embd_pdrop": 0.1, "eos_token_id": 0, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 64, "n_embd": 32, "n_head": 4,
        "n_inner": 80, "n_layer": 3, "n_positions": 64, "resid_pdrop": 0.1, "summary_activation": None,
        "summary_first_dropout": 0.1, "summary_proj_to_labels": True, "summary_type": "cls_index",
        "summary_use_proj": True, "task_specific_params": {"text-generation": {"do_sample": True}},
        "vocab_size": 500,
    },
    "neox": {
        "architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "classifier_dropout": 0.1,
        "eos_token_id": 0, "hidden_act": "gelu", "hidden_size": 32, "initializer_range": 0.02,
        "intermediate_size": 80, "layer_norm_eps": 1e-05, "max_position_embeddings": 64,
        "model_type": "gpt_neox", "num_attention_heads": 4, "num_hidden_layers": 3,
        "rotary_emb_base": 10000, "rotary_pct": 0.5, "tie_word_embeddings": False,
        "torch_dtype": "float16", "transformers_version": "4.24.0", "use_cache": True,
        "use_parallel_residual": True, "vocab_size": 512,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", OLDER)
def test_a_config_as_it_is_published_gives_the_same_model(kind, tmp_path):
    home = checkpoints.write(kind, tmp_path / kind)
    (home / "config.json").write_text(json.dumps(OLDER[kind]))
    model, same = loading.load(folder.look(home), kind, kind), checkpoints.opened(kind)
    ids = model.tokenizer.encode(TEXT)
    np.testing.assert_allclose(model.logits(ids), same.logits(ids), atol=1e-5)
    assert (model.rope_base, model.rotated, model.parallel) == (same.rope_base, same.rotated, same.parallel)
    assert folder.look(home).rotated == model.rotated


# the lines that ran


def test_its_lines_are_found_in_the_installed_library(model):
    for part in model.parts().values():
        rows = source.text_of(part.file).splitlines()
        pieces = ["\n".join(rows[first - 1 : last]) for first, last in part.lines]
        assert "\n\n".join(pieces) + "\n" == part.text
    shown = model.parts()["attention"]
    assert source.named(shown.file).startswith("transformers 5.")
    assert (
        shown.file
        == f"transformers/models/{model.settings.layout.kind}/modeling_"
        + shown.file[-len(f"{model.settings.layout.kind}.py") :]
    )
    assert "tokens" in model.parts()
    assert ("rope" in model.parts()) == ("rotary" in model.has)
    assert ("qk_norm" in model.parts()) == ("qk_norm" in model.has)


def test_a_library_s_file_that_is_not_what_runs_is_refused(tmp_path, monkeypatch):
    model = checkpoints.opened("llama")
    file = model.settings.layout.file
    edited = tmp_path / file
    edited.parent.mkdir(parents=True)
    edited.write_text(source.text_of(file).replace("residual + hidden_states", "hidden_states + residual", 1))
    monkeypatch.setattr(source, "_library", lambda: tmp_path)
    with pytest.raises(source.SourceError, match=r"LlamaDecoderLayer\.forward is not the code"):
        source.text_of(file)


def test_every_family_that_is_opened_has_its_lines():
    assert {checkpoints.opened(kind).family for kind in KINDS} == {*lines.FAMILIES}


def test_row_names_and_random_pieces_fit_any_vocabulary(model):
    assert len(lens.row_names(model.architecture.n_layer)) == 4
    drawn = heads.repeated_pieces(model, 16)
    assert drawn.max() < len(model.tokenizer)
    with families.added(model):
        assert families.texts_of(model.name) == "plain"
