"""Fixtures for every test."""

import os
from dataclasses import dataclass
from itertools import accumulate
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


# Where tests take long: about how many seconds one of them takes.
LONG = {
    "tests/pages/test_every_page.py::test_a_page_shows_whatever_is_chosen_on_it[parameters]": 90,
    "tests/browser/test_laboratory.py::test_every_head_is_guessed": 75,
    "tests/browser/test_room.py": 60,
    "tests/browser/test_who_wrote_it.py::test_taps_lead": 40,
    "tests/browser/test_how_it_learned.py::test_a_third_reader": 40,
    "tests/browser/test_parts.py::test_every_page": 40,
    "tests/browser/test_laboratory.py": 20,
    "tests/pages/test_every_page.py": 15,
    "tests/pages/test_component_values.py": 15,
    "tests/pages/test_stranger.py": 10,
    "tests/browser": 6,
    "tests/load": 5,
    "tests/pages": 1.5,
    "tests/training": 1,
}
# Of these, one file's tests may go to several processes; elsewhere, a file's tests share what it prepares.
APART = ("test_every_page.py", "test_stranger.py", "test_component_values.py")
TOGETHER = ("test_behind_nginx.py", "test_opened.py", "test_harness.py", "test_other_browsers.py")


@dataclass
class Group:
    """Tests that one process runs, one after the other: place is how their names begin."""

    place: str
    items: list[pytest.Item]

    def seconds(self) -> float:
        """About how long they take; 0 for what is short."""
        one = next((took for start, took in LONG.items() if self.place.startswith(start)), 0)
        return one * len(self.items)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the tests out: to each process its share of what takes long, first.  No test may need the order.

    pytest-xdist gives each process a row of the same number of tests, and who is done takes half of another's
    rest from its end, where short ones are.
    """
    hands: list[list[Group]] = [[] for _ in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))]
    for group in sorted(_groups(items), key=lambda one: (one.seconds(), len(one.items)), reverse=True):
        load = Group.seconds if group.seconds() else lambda one: len(one.items)
        min(hands, key=lambda hand: sum(map(load, hand))).append(group)
    items[:] = [item for hand in hands for group in _in_turns(hand) for item in group.items]


def _groups(items: list[pytest.Item]) -> list[Group]:
    found: dict[str, Group] = {}
    for item in items:
        file = item.nodeid.partition("::")[0]
        apart = file.endswith(APART) or (file.startswith("tests/browser") and not file.endswith(TOGETHER))
        place = item.nodeid if apart else file
        found.setdefault(place, Group(place, [])).items.append(item)
    return list(found.values())


def _in_turns(hand: list[Group]) -> list[Group]:
    """Browsers' tests wait for half of their time, others compute: mixed with each other, then the short."""
    placed = []
    for in_browser in (True, False):
        kind = [one for one in hand if one.place.startswith("tests/browser") is in_browser and one.seconds()]
        ends = [*accumulate(map(Group.seconds, kind))]
        placed += [((end - one.seconds()) / ends[-1], one) for one, end in zip(kind, ends, strict=True)]
    long = [group for _, group in sorted(placed, key=lambda one: one[0])]
    return long + [one for one in hand if not one.seconds()]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return Path(__file__).resolve().parents[1]
