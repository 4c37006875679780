"""What every test of a page starts from."""

import pytest

from engine import families
from ui import kept


@pytest.fixture(autouse=True)
def _no_model_stays():
    """A model that a page was told to open is gone when the test is done: all tests share one process."""
    before = families.available()
    yield
    for name in families.available():
        if name not in before:
            families.remove(name)


@pytest.fixture(autouse=True, scope="module")
def _nothing_kept_stays():
    """What a file's tests measured over fewer texts than ours is not kept for the next file's."""
    yield
    kept.clear()
