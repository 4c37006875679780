"""Any file is counted, line by line, or answered by a sentence that says what stands in the way."""

import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import weights
from engine.counting import config_json, config_lines, config_text, count_parameters, nearest
from engine.counting.families import FAMILIES, OBSTACLES
from tests.engine.counting.configs import CONFIGS, MORE
from views import config_words

KEYS = sorted(
    {key for family in FAMILIES.values() for keys in family.keys.values() for key in keys}
    | {key for family in FAMILIES.values() for key in family.switches}
    | config_lines.KNOWN
    | {"text_config", "odd", "summary_x", "\u202e", "<b>", ""}
)
numbers = (
    st.integers() | st.integers(-1, 70) | st.floats() | st.sampled_from([10**400, -(10**400), 2**63, 1e308])
)
anything = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=20) | st.sampled_from(["llama", "LlamaModel"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)


def read(config):
    return config_json.read(json.dumps(config))


def answer(function, given):
    """What a function gives, and the sentence it raises: one of them is None."""
    try:
        return function(given), None
    except ValueError as error:
        return None, str(error)


def total(config):
    return count_parameters(read(config).architecture).total


@given(st.data())
@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_a_forged_file_is_counted_or_answered_by_a_sentence(data):
    config = dict(data.draw(st.sampled_from([*CONFIGS.values(), *MORE.values(), *PARAMS.values()])))
    for key in data.draw(st.lists(st.sampled_from([*config, *KEYS]), max_size=4)):
        config[key] = data.draw(anything)
    if data.draw(st.booleans()):
        config = {"text_config": config, "architectures": data.draw(anything)}
    started = time.process_time()
    reading, sentence = answer(config_json.read, json.dumps(config))
    assert time.process_time() - started < 2
    if reading is None:
        assert sentence.endswith(".")
        assert len(sentence.encode()) < 2000
        return
    counted = count_parameters(reading.architecture)
    assert counted.total >= counted.active > 0
    assert nearest(reading.architecture) == reading.architecture
    for line in reading.lines:
        (line.key + line.value + config_words.meaning(line, reading.architecture)).encode()


@given(st.text(max_size=200) | st.text('[]{}":,\\ \n0\ufeff', max_size=400))
@settings(deadline=None)
def test_any_letters_are_answered(text):
    reading, sentence = answer(config_json.read, text)
    assert reading is not None or sentence.endswith(".")


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_any_bytes_are_answered(content):
    text, sentence = answer(config_text.decoded, content)
    assert isinstance(text, str) or sentence.endswith(".")


@pytest.mark.parametrize(("open_", "close"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("deep", [*range(45, 60), 982, 990, 100_000])
def test_no_depth_of_brackets_is_a_crash(open_, close, deep):
    text = '{"model_type": "llama", "odd": ' + open_ * deep + "0" + close * deep + "}"
    wanted = "is missing" if deep < config_text.DEEPEST else f"{deep + 1:,} deep|long; a config"
    with pytest.raises(ValueError, match=wanted):
        config_json.read(text)


def test_brackets_in_strings_are_letters():
    assert config_text.depth('{"a": "[[[[", "b": "\\"[[", "c": [{}]}') == 3
    assert config_text.depth('["[[[') == 1


def test_looking_for_brackets_takes_no_time_that_grows_with_its_square():
    started = time.process_time()
    config_text.depth('"' + '\\"' * 100_000)
    config_text.depth("\\" * 200_000)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_files_of_every_encoding_are_read(encoding):
    text = json.dumps({**CONFIGS["gpt2"], "note": "é 漢"}, ensure_ascii=False)
    decoded = config_text.decoded(text.encode(encoding))
    assert decoded == text
    assert count_parameters(config_json.read("\ufeff" + decoded).architecture).total == 124_439_808


@pytest.mark.parametrize(
    ("content", "sentence"), [(b"\xff\x00\xd8", "no text"), (b" " * 900_000, "900,000 bytes")]
)
def test_a_file_that_is_no_text_gets_a_sentence(content, sentence):
    with pytest.raises(ValueError, match=sentence):
        config_text.decoded(content)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Nothing is here"),
        (" \n", "Nothing is here"),
        ("{", "not JSON"),
        ("[]", "is an object"),
        ("null", "is an object"),
        ("[" * 100_000, "100,000 deep"),
        ('{"n": ' + "1" * 5000 + "}", "too long"),
        ("x" * 300_000, "300,000 letters long"),
        ('{"model_type": "bert"}', "reads a text in both directions"),
        ('{"model_type": "t5"}', "an encoder beside the decoder"),
        ('{"model_type": "mamba"}', "state-space blocks"),
        ('{"model_type": "deberta_v2"}', "both directions"),
        ('{"model_type": "OLMo2"}', "for all heads together"),
        ('{"model_type": "new"}', "not known here"),
        ('{"model_type": "llama params.json"}', "not known here"),
        ('{"architectures": ["Qwen3NextForCausalLM"]}', "does not say"),
        ('{"model_type": ["llama"]}', "not known here"),
        ('{"model_type": "llama"}', "vocab_size is missing"),
        ('{"text_config": 3}', "has to be an object or null"),
        ('{"text_config": {}}', "does not say its model_type"),
        (json.dumps({**MORE["qwen2"], "vocab_size": True}), "has to be a whole number"),
        (json.dumps({**MORE["qwen2"], "hidden_size": 64.0}), "has to be a whole number"),
        (json.dumps({**MORE["qwen2"], "hidden_size": 65}), "shared evenly"),
        (json.dumps({**MORE["qwen2"], "num_hidden_layers": -1}), "L is -1"),
        (json.dumps({**MORE["qwen3_moe, as it comes"], "num_hidden_layers": 10**9}), "L is 1,000,000,000"),
        (json.dumps({**MORE["qwen2"], "tie_word_embeddings": "yes"}), "true or false"),
        (json.dumps({**CONFIGS["gpt2"], "hidden_size": 99}), "names of one setting, and differ"),
        (json.dumps({**CONFIGS["gpt2"], "add_cross_attention": True}), "cross-attention"),
        (json.dumps({**CONFIGS["opt-125m"], "word_embed_proj_dim": 512}), "narrower than the stream"),
        (json.dumps({**CONFIGS["phi-2"], "qk_layernorm": True}), "norms of queries and keys with biases"),
        (json.dumps({**CONFIGS["gpt2"], "architectures": ["GPT2DoubleHeadsModel"]}), "above the final norm"),
    ],
)
def test_what_is_no_such_file_gets_a_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        config_json.read(text)


def test_a_family_that_is_read_has_no_obstacle():
    assert not set(FAMILIES) & set(OBSTACLES)


@pytest.mark.parametrize("said", ["llama", "Llama", "LLAMA", " llama "])
def test_the_family_is_known_however_it_is_written(said):
    assert read({**CONFIGS["llama-3-8b"], "model_type": said}).family == "Llama"


@pytest.mark.parametrize(
    ("name", "of_class"),
    [("llama-3-8b", "LlamaForCausalLM"), ("gemma-3-1b", "Gemma3ForCausalLM"), ("gpt2", "GPT2LMHeadModel"),
     ("mixtral-8x7b", "MixtralForCausalLM"), ("gpt-oss-20b", "GptOssForCausalLM")],
)  # fmt: skip
def test_the_family_is_found_by_the_class_where_the_type_is_missing(name, of_class):
    config = {**CONFIGS[name], "architectures": [of_class]}
    del config["model_type"]
    assert total(config) == total(CONFIGS[name])


def test_the_aliases_of_gpt2_are_read():
    names = {"n_embd": "hidden_size", "n_layer": "num_hidden_layers", "n_head": "num_attention_heads"}
    names["n_positions"] = "max_position_embeddings"
    aliased = {names.get(key, key): value for key, value in CONFIGS["gpt2"].items()}
    assert total(aliased) == total({**CONFIGS["gpt2"], **aliased}) == 124_439_808


def test_the_language_model_of_a_file_with_several_is_counted():
    llava = {
        "architectures": ["LlavaForConditionalGeneration"],
        "model_type": "llava",
        "image_token_index": 32_000,
        "text_config": {
            "_name_or_path": "lmsys/vicuna-7b-v1.5",
            "architectures": ["LlamaForCausalLM"],
            "max_position_embeddings": 4096,
            "model_type": "llama",
            "torch_dtype": "float16",
            "vocab_size": 32_064,
        },
        "tie_word_embeddings": False,
        "vision_config": {"model_type": "clip_vision_model"},
    }
    reading = read(llava)
    assert count_parameters(reading.architecture).total == 6_738_415_616 + 2 * 64 * 4096
    assert reading.assumed[0].startswith("This file describes several models")
    assert any("hidden_size is left out; the library takes 4,096" in one for one in reading.assumed)
    assert total({**CONFIGS["llama-2-7b"], "text_config": None}) == 6_738_415_616


@pytest.mark.parametrize("name", weights.available())
def test_our_own_files_are_read(name):
    text = (weights.FOLDER / name / "config.json").read_text(encoding="utf-8")
    read = config_json.read(text)
    assert count_parameters(read.architecture) == count_parameters(name)
    assert {line.effect for line in read.lines} <= {
        config_lines.COUNTED,
        config_lines.COMPUTED,
        config_lines.IDLE,
    }


# As Meta and Mistral publish them beside their weights.
PARAMS = {
    6_738_415_616: {
        "dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-5, "vocab_size": -1,
    },
    8_030_261_248: {
        "dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128_256,
        "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-5, "rope_theta": 500_000.0,
    },
    68_976_648_192: {
        "dim": 8192, "multiple_of": 4096, "ffn_dim_multiplier": 1.3, "n_heads": 64, "n_kv_heads": 8,
        "n_layers": 80, "norm_eps": 1e-5, "vocab_size": -1,
    },
    7_241_732_096: {
        "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14_336, "n_heads": 32, "n_kv_heads": 8,
        "norm_eps": 1e-5, "sliding_window": 4096, "vocab_size": 32_000,
    },
    46_702_792_704: {
        "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14_336, "n_heads": 32, "n_kv_heads": 8,
        "norm_eps": 1e-5, "vocab_size": 32_000, "moe": {"num_experts_per_tok": 2, "num_experts": 8},
    },
}  # fmt: skip


@pytest.mark.parametrize("known", PARAMS)
def test_the_params_json_of_meta_and_mistral_is_read(known):
    assert total(PARAMS[known]) == known


def test_lines_say_whether_they_count():
    odd = {
        "use_cache": True,
        "attn_pdrop": 0.1,
        "layer_norm_epsilon": 1e-5,
        "num_experts": 3,
        "<b>": "\ud800",
    }
    effect = {one.key: one.effect for one in read({**CONFIGS["gpt2"], **odd}).lines}
    assert effect["n_positions"] == effect["n_embd"] == config_lines.COUNTED
    assert effect["use_cache"] == effect["attn_pdrop"] == effect["model_type"] == config_lines.IDLE
    assert effect["layer_norm_epsilon"] == config_lines.COMPUTED
    assert effect["num_experts"] == config_lines.UNREAD
    assert effect["<b>"] == config_lines.UNKNOWN
    llama = {one.key: one.effect for one in read(CONFIGS["llama-2-7b"]).lines}
    assert llama["max_position_embeddings"] != config_lines.COUNTED


@given(st.data())
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_a_line_that_is_not_counted_changes_no_count(data):
    config = dict(data.draw(st.sampled_from([*CONFIGS.values(), *MORE.values()])))
    before = total(config)
    of_no_count = [one.key for one in read(config).lines if one.effect != config_lines.COUNTED]
    taken = data.draw(st.sampled_from([*of_no_count, *config_lines._COMPUTED, *config_lines._IDLE]))
    if taken != "model_type":
        config[taken] = data.draw(st.none() | st.integers(1, 64))
        after, sentence = answer(total, config)
        assert after == before or taken in sentence


@pytest.mark.parametrize(
    ("name", "window", "full"),
    [("mistral-7b", 4096, 0), ("gemma-2-2b", 4096, 13), ("gemma-3-1b", 512, 4), ("gpt-oss-20b", 128, 12),
     ("mixtral-8x7b", 0, 0), ("smollm3-3b", 0, 0), ("qwen3-0.6b", 0, 0)],
)  # fmt: skip
def test_the_window_is_read(name, window, full):
    a = read(CONFIGS[name]).architecture
    assert (a.window, a.n_full) == (window, full)


def test_layer_types_tell_which_blocks_have_the_window():
    kinds = ["full_attention", *["sliding_attention"] * 31]
    assert read({**CONFIGS["mistral-7b"], "layer_types": kinds}).architecture.n_full == 1
    qwen = {
        **CONFIGS["qwen3-0.6b"],
        "use_sliding_window": True,
        "sliding_window": 64,
        "max_window_layers": 20,
    }
    assert read(qwen).architecture.n_windowed == 8
