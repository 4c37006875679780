"""Tiny random checkpoints of every family that is opened, written as the library writes them."""

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import torch
import transformers
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, normalizers
from tokenizers.processors import TemplateProcessing

from engine import measures
from engine.families.checkpoints import folder, loading
from tests import tiny

_SIZES = {
    "vocab_size": tiny.PIECES + 12,  # more rows than pieces, as Qwen and Pythia have
    "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 80,
    "max_position_embeddings": 64, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
_GROUPED = {**_SIZES, "num_key_value_heads": 2}
_GPT2 = {
    "vocab_size": tiny.PIECES, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_inner": 80, "n_positions": 64,
    "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
# {what it is called here: (the library's classes, its settings)}
KINDS = {
    "llama": ("Llama", {**_GROUPED, "tie_word_embeddings": True}),
    "llama-biased": ("Llama", {**_GROUPED, "attention_bias": True, "mlp_bias": True, "head_dim": 16}),
    "llama-scaled": (
        "Llama",
        {
            **_GROUPED,
            "rope_parameters": {
                "rope_type": "llama3", "rope_theta": 50_000.0, "factor": 8.0, "low_freq_factor": 1.0,
                "high_freq_factor": 4.0, "original_max_position_embeddings": 16,
            },
        },
    ),
    "mistral": ("Mistral", {**_GROUPED, "sliding_window": 5}),
    "qwen2": ("Qwen2", {**_GROUPED, "use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1}),
    "qwen3": ("Qwen3", {**_GROUPED, "head_dim": 16, "tie_word_embeddings": True}),
    "gpt2": ("GPT2", _GPT2),
    "neox": ("GPTNeoX", {**_SIZES, "rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.5}}),
    "neox-serial": (
        "GPTNeoX",
        {**_SIZES, "num_attention_heads": 2, "use_parallel_residual": False, "tie_word_embeddings": True},
    ),
}  # fmt: skip


def network(kind, seed=0):
    """A loud random network in the library's own code, eager."""
    prefix, settings = KINDS[kind]
    config = getattr(transformers, f"{prefix}Config")(**settings, attn_implementation="eager")
    head = "LMHeadModel" if prefix == "GPT2" else "ForCausalLM"
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = getattr(transformers, prefix + head)(config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if name.endswith(".bias"):
                weight.normal_(std=0.2, generator=generator)
            elif weight.ndim == 2:
                weight.normal_(std=0.25, generator=generator)
            else:
                weight.uniform_(0.5, 1.5, generator=generator)
    return made.eval().requires_grad_(False)


def sentence_pieces():
    """A small tokenizer of SentencePiece's kind, with bytes to fall back on, as Llama 2 has."""
    letters = sorted(set(" ".join(measures.own_plain())))
    vocabulary = {"<unk>": 0, "<s>": 1, "</s>": 2, **{f"<0x{byte:02X}>": 3 + byte for byte in range(256)}}
    for piece in ("▁", *(one for one in letters if one != " "), "▁t", "th", "▁th", "▁the"):
        vocabulary.setdefault(piece, len(vocabulary))
    merges = [("▁", "t"), ("t", "h"), ("▁t", "h"), ("▁th", "e")]
    library = Library(models.BPE(vocabulary, merges, byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    library.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    library.decoder = decoders.Sequence(parts)
    library.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    library.add_special_tokens(["<unk>", "<s>", "</s>"])
    return library


def write(kind, home, begun=False, library=None, **more):
    """A checkpoint's folder.  begun: whether a token stands before every text; library: its tokenizer, if
    not the usual one; more: for save_pretrained."""
    home = Path(home)
    network(kind).save_pretrained(home, **more)
    library = library or tiny.stories_tokenizer().copied()
    if begun:
        library.post_processor = TemplateProcessing(single="<|end|> $A", special_tokens=[("<|end|>", 0)])
    library.save(str(home / "tokenizer.json"))
    return home


def edit(home, file="config.json", **changes):
    """Change lines of a JSON file; None takes one out."""
    path = Path(home) / file
    told = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))


@cache
def opened(kind, dtype="float32"):
    """An opened checkpoint of a kind; never change it."""
    home = write(kind, mkdtemp(prefix="checkpoint-"), begun=kind == "mistral")
    return loading.load(folder.look(home), f"tiny-{kind}", f"Tiny {kind}", dtype)
