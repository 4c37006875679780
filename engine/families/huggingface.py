"""Our weights in Hugging Face's own code: its Qwen3 is the Sprout family, its Llama the store's model."""

from typing import Any

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

from engine.export.names import named
from engine.families.interface import Model
from engine.one_at_a_time import LATE, random_start


def qwen3(model: Model) -> Any:
    """A Qwen3ForCausalLM with the model's weights."""
    return _filled(model, Qwen3ForCausalLM, Qwen3Config)


def llama(model: Model) -> Any:
    """A LlamaForCausalLM with the model's weights."""
    return _filled(model, LlamaForCausalLM, LlamaConfig)


def _filled(model: Model, network: Any, config: Any) -> Any:
    a = model.architecture
    numbers = {
        "vocab_size": a.vocab_size, "hidden_size": a.d_model, "intermediate_size": a.d_ff,
        "num_hidden_layers": a.n_layer, "num_attention_heads": a.n_head, "num_key_value_heads": a.kv_heads,
        "head_dim": a.width_of_head, "max_position_embeddings": a.context, "rms_norm_eps": model.epsilon,
        "rope_parameters": {"rope_type": "default", "rope_theta": model.rope_base},
        "tie_word_embeddings": a.tied, "attention_bias": False,
        "bos_token_id": None, "eos_token_id": None, "pad_token_id": None,
    }  # fmt: skip
    with LATE, random_start():  # their random start is thrown away
        found = network(config(**numbers))
    found.load_state_dict(_weights(model))  # strict: it has no other weights
    return found.eval()


def _weights(model: Model) -> dict[str, torch.Tensor]:
    """The weights by Hugging Face's names, the output matrix too."""
    found = {name: torch.from_numpy(np.array(weight)) for name, weight in named(model).items()}
    return {"lm_head.weight": found["model.embed_tokens.weight"]} | found
