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


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return Path(__file__).resolve().parents[1]
