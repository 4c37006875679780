"""Measure the bars of the first view, which stand there before a model is loaded.

python -m bench.first_view
"""

import json

import engine
from engine import prediction
from views import first_view

MODEL = "gpt-4"
STORY = "Once upon a time there was a little dog who loved to play. One day, he found a big red"


def measured() -> dict[str, object]:
    """What texts/first.json holds."""
    model = engine.load(MODEL)
    ids, probabilities = prediction.likeliest(
        model.logits(model.tokenizer.encode(STORY))[-1], first_view.MOST
    )
    return {
        "model": MODEL,
        "weights": model.manifest["files"]["model.safetensors"],
        "text": STORY,
        "ids": ids.tolist(),
        "pieces": [model.tokenizer.label(one) for one in ids],
        "adds": [model.tokenizer.added(one) for one in ids],
        "probabilities": [round(float(p), 6) for p in probabilities],
        "command": "python -m bench.first_view",
    }


if __name__ == "__main__":
    first_view.FILE.write_text(json.dumps(measured(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
