"""Our models written for other programs and read back by them: the same ids, scores and greedy text?

    python -m bench.elsewhere --models gpt-4 store

Holds what engine/export writes against llama.cpp and TransformerLens where they are installed, each in an
environment of its own beside what requirements.txt names (llama-cpp-python==0.3.36, transformer-lens==4.3.0).
"""

import argparse
import importlib.util
import tempfile
from pathlib import Path

import numpy as np

import engine
from engine import export, families
from engine.experiments import continue_greedily

TEXTS = {
    "stories": ("Once upon a time there was a little dog.", "In 1984, Tim's cat ran  away.\n“No!” it said."),
    "products": ("Blue Cotton Shirt\n", "Red Lamp 12\nIt is"),
}
WRITTEN = 30  # tokens


def of_llama_cpp(model, file, texts):
    """What llama.cpp makes of the GGUF file."""
    import llama_cpp

    theirs = llama_cpp.Llama(str(file), n_ctx=model.context, logits_all=True, verbose=False, n_threads=1)
    for text in texts:
        ids = model.tokenizer.encode(text)
        expected = [*ids, *continue_greedily(model, ids, WRITTEN)]
        written = theirs.tokenize(as_typed(model, text).encode(), add_bos=True, special=True)
        same_ids = written == ids
        theirs.reset()
        theirs.eval(written)
        while len(written) < len(expected):
            written.append(int(np.argmax(theirs.scores[theirs.n_tokens - 1])))
            theirs.eval(written[-1:])
        alike = f"ids {same(same_ids)}, greedy text {same(written == expected)}"
        yield f"llama.cpp {llama_cpp.__version__}, {text!r}: {alike}"


def as_typed(model, text):
    """A text as their tokenizers want it: a product's first line is closed by the sign that ends a name."""
    if model.tokenizer.separator_id is None:
        return text
    return text.replace("\n", model.tokenizer.label(model.tokenizer.separator_id), 1)


def same(alike):
    return "the same" if alike else "NOT the same"


def of_transformer_lens(model, folder, texts):
    """What TransformerLens's bridge makes of the folder."""
    import torch
    from transformer_lens.model_bridge import TransformerBridge

    bridge = TransformerBridge.boot_transformers(str(folder), device="cpu", dtype=torch.float32)
    for text in texts:
        ids = model.tokenizer.encode(text)
        with torch.inference_mode():
            theirs = bridge(torch.tensor([ids]))[0].numpy()
        apart = np.abs(theirs - model.logits(ids)).max()
        yield f"TransformerLens, {text!r}: scores differ by at most {apart:.1e}"


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.elsewhere", description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", default=families.available(), choices=families.available())
    for name in parser.parse_args().models:
        model = engine.load(name)
        print(model.title)
        with tempfile.TemporaryDirectory() as home:
            folder, file = Path(home) / "folder", Path(home) / f"{name}.gguf"
            export.write_folder(model, folder)
            texts = TEXTS[model.texts]
            if importlib.util.find_spec("llama_cpp"):
                export.write_gguf(model, file)
                print(*of_llama_cpp(model, file, texts), sep="\n")
            if importlib.util.find_spec("transformer_lens"):
                print(*of_transformer_lens(model, folder, texts), sep="\n")


if __name__ == "__main__":
    main()
