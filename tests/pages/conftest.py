"""What every test of a page starts from."""

import pytest

from engine import families


@pytest.fixture(autouse=True)
def _no_model_stays():
    """A model that a page was told to open is gone when the test is done: all tests share one process."""
    before = families.available()
    yield
    for name in families.available():
        if name not in before:
            families.remove(name)
