"""Fixtures for every test."""

import os
from pathlib import Path

import pytest

# Nothing in the tests may reach for the network: transformers must not look up a hub.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return Path(__file__).resolve().parents[1]
