"""The notebook in docs/ runs as it stands and draws the lens that the engine reads."""

import json

import numpy as np

import engine
from tests.test_architecture import ROOT


def cells(kind):
    book = json.loads((ROOT / "docs/notebook.ipynb").read_text("utf-8"))
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == kind]


def test_it_draws_the_lens_in_ten_lines():
    (code,) = cells("code")
    lines = [line for line in code.splitlines() if line and "import" not in line]
    assert len(lines) <= 10
    found = {}
    exec(compile(code, "notebook", "exec"), found)
    drawn = found["figure"].data[0]
    trace = found["trace"]
    shape = (engine.load("gpt-4").architecture.n_layer + 1, len(trace.ids))
    assert np.shape(drawn.z) == np.shape(drawn.text) == shape
    last = np.asarray(drawn.text[-1])
    assert [found["model"].tokenizer.label(i) for i in trace.logits.argmax(-1)] == last.tolist()


def test_nothing_of_a_run_is_kept_in_it():
    book = json.loads((ROOT / "docs/notebook.ipynb").read_text("utf-8"))
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in book["cells"])
