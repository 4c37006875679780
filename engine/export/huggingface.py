"""A folder that Hugging Face's libraries open, and all that builds on them."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save
from tokenizers.processors import TemplateProcessing

from engine.export import names
from engine.families.interface import Model

_CLASS = {"qwen3": "Qwen3ForCausalLM", "llama": "LlamaForCausalLM"}
_USE = """
## Use

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("this-folder")
model = AutoModelForCausalLM.from_pretrained("this-folder")
ids = tokenizer({text!r}, return_tensors="pt").input_ids
print(tokenizer.decode(model.generate(ids, max_new_tokens=40)[0]))
```

"""


def folder_files(model: Model, card: str = "") -> dict[str, bytes]:
    """Every file of the folder by its name.  card: what is told of the model's making, Markdown.

    Raises LacksError for a model that is put together otherwise than theirs.
    """
    layout = names.layout(model)
    weights = {name: names.kept_small(weight) for name, weight in names.named(model).items()}
    return {
        "config.json": _json(_config(model, layout, _widest(weights))),
        "generation_config.json": _json(_ids(model) | {"max_length": model.context}),
        "model.safetensors": save(weights, {"format": "pt"}),
        "tokenizer.json": _tokenizer(model).encode(),
        "tokenizer_config.json": _json(_tokenizer_config(model)),
        "README.md": _card(model, card).encode(),
    }


def write_folder(model: Model, folder: Path, card: str = "") -> None:
    """Write these files.  Raises OSError, and LacksError as folder_files does."""
    files = folder_files(model, card)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def zipped(model: Model, card: str = "") -> bytes:
    """The folder as one ZIP file; weights hardly shrink, so nothing is squeezed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in folder_files(model, card).items():  # undated: the same bytes always
            archive.writestr(zipfile.ZipInfo(f"{model.name}/{name}"), content)
    return out.getvalue()


def _json(data: dict[str, Any]) -> bytes:
    return json.dumps(data, indent=2, ensure_ascii=False).encode()


def _widest(weights: dict[str, np.ndarray]) -> str:
    return str(np.result_type(*(weight.dtype for weight in weights.values())))


def _ids(model: Model) -> dict[str, Any]:
    tokenizer = model.tokenizer
    return {
        "bos_token_id": tokenizer.marker_id,
        "eos_token_id": tokenizer.end_id,
        "pad_token_id": tokenizer.end_id,
    }


def _config(model: Model, layout: str, dtype: str) -> dict[str, Any]:
    a = model.architecture
    return {
        "architectures": [_CLASS[layout]], "model_type": layout, "dtype": dtype, **_ids(model),
        "vocab_size": a.vocab_size, "hidden_size": a.d_model, "intermediate_size": a.d_ff,
        "num_hidden_layers": a.n_layer, "num_attention_heads": a.n_head, "num_key_value_heads": a.kv_heads,
        "head_dim": a.width_of_head, "hidden_act": "silu", "max_position_embeddings": a.context,
        "rms_norm_eps": model.epsilon, "tie_word_embeddings": a.tied, "attention_bias": False,
        "mlp_bias": False, "rope_theta": model.rope_base,
        "rope_parameters": {"rope_type": "default", "rope_theta": model.rope_base},
    }  # fmt: skip


def _tokenizer(model: Model) -> str:
    """The tokenizer's own file; with this rule the marker goes before every text, as in training."""
    library = model.tokenizer.copied()
    marker = model.tokenizer.label(model.tokenizer.marker_id)
    library.post_processor = TemplateProcessing(
        single=f"{marker} $A", special_tokens=[(marker, model.tokenizer.marker_id)]
    )
    return str(library.to_str())


def _tokenizer_config(model: Model) -> dict[str, Any]:
    tokenizer = model.tokenizer
    start, end = (tokenizer.label(i) for i in (tokenizer.marker_id, tokenizer.end_id))
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": start,
        "eos_token": end,
        "pad_token": end,
        "model_max_length": model.context,
        "clean_up_tokenization_spaces": False,
        # A marker that is typed is a text like any other, where no text has to hold one.
        "split_special_tokens": tokenizer.separator_id is None,
    }


def _card(model: Model, card: str) -> str:
    head = "---\nlicense: mit\nlanguage: en\npipeline_tag: text-generation\n---\n\n"
    body = card.rstrip() + "\n" if card else f"# {model.title}\n"
    return head + body + _USE.replace("{text!r}", repr(_example(model)))


def _example(model: Model) -> str:
    """A text to begin with; where the model wants a name first, with the sign that ends one."""
    tokenizer = model.tokenizer
    if tokenizer.separator_id is None:
        return "Once upon a time there was"
    return f"Blue Cotton Shirt{tokenizer.label(tokenizer.separator_id)}"
