"""The benchmarks: run by hand alone, so that only this would notice when one can't begin."""

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "bench"
FILES = sorted(path for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_benchmark_can_begin_and_is_told_of(path):
    assert importlib.import_module(f"bench.{path.stem}").__doc__
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8"):
        assert f"python -m bench.{path.stem}`" in (FOLDER / "README.md").read_text(encoding="utf-8")
