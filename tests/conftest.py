"""Fixtures for every test."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Nothing in the tests may reach for the network: transformers must not look up a hub.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# One thread, as in the app: the models here are small, and threads that wait for each other are slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")


# A busy machine makes an example slow, which says nothing about the code.  Where nobody can look twice, the
# examples are the same every time.
settings.register_profile("calm", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "calm")


# Where single tests take long, the longest first: begun last, one of them would hold up the end.
LONG = ("tests/pages/test_every_page.py", "tests/load", "tests/browser", "tests/training", "tests/pages")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first, each file's together.  No test may need the order."""
    items.sort(
        key=lambda item: next((at for at, one in enumerate(LONG) if item.nodeid.startswith(one)), len(LONG))
    )


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return Path(__file__).resolve().parents[1]
