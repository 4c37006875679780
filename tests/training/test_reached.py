"""What training/README.md says was reached is what the files beside the weights say."""

import json
import shutil

import pytest

from engine import records, weights
from training import reached


def test_the_readme_tells_what_the_shipped_weights_reached():
    text = reached.README.read_text("utf-8")
    assert text == reached.written(text), "run: python -m training.reached"


def test_other_weights_change_what_it_tells(tmp_path, monkeypatch):
    folder, read = tmp_path / "weights", records.read
    for name in weights.available():
        shutil.copytree(weights.FOLDER / name, folder / name)
    path = folder / "gpt-4" / "results.json"
    results = json.loads(path.read_text("utf-8"))
    results["held_out"]["tinystories"]["nats"], results["copying"]["second"] = 2.25, 0.5
    path.write_text(json.dumps(results))
    manifest = json.loads((folder / "gpt-4" / "manifest.json").read_text("utf-8"))
    manifest["files"]["results.json"] = weights.sha256(path)
    (folder / "gpt-4" / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setattr(records, "read", lambda name: read(name, folder))
    row = next(line for line in reached.section().splitlines() if line.startswith("| gpt-4"))
    assert "| 2.250 (" in row
    assert row.endswith("| 0.250 nats short, 50.0 % is outside 90.0 % to 100 % |")


@pytest.mark.parametrize(
    ("name", "nats", "copied", "said"),
    [
        ("gpt-1", 2.6, 0.0999, "reached"),
        ("gpt-1", 2.5, 0.11, "11.0 % is outside 0 % to 10.0 %"),
        ("sprout", 1.769, 0.967, "0.069 nats short"),
    ],
)
def test_what_is_missed_is_named(name, nats, copied, said):
    assert reached.short_of(name, nats, copied) == said
