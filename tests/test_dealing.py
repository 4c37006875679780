"""How tests/conftest.py deals the tests out: nothing is lost, and no process has all that is long."""

import pytest

from tests import conftest

SHORT = {f"tests/views/test_{n}.py": 5 + n % 7 for n in range(60)}
PLACES = {**SHORT, "tests/browser/test_lens.py": 40, "tests/browser/test_opened.py": 3,
          **{f"tests/pages/test_{n}.py": 30 for n in range(8)},
          "tests/pages/test_every_page.py": 20}  # fmt: skip


class Named:
    def __init__(self, nodeid):
        self.nodeid = nodeid

    def file(self):
        return self.nodeid.partition("::")[0]


@pytest.fixture(params=[1, 4])
def rows(request, monkeypatch):
    """[what each process gets], as pytest-xdist cuts it."""
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", str(request.param))
    given = [Named(f"{place}::test_it[{n}]") for place, count in PLACES.items() for n in range(count)]
    dealt = list(given)
    conftest.pytest_collection_modifyitems(dealt)
    assert sorted(dealt, key=id) == sorted(given, key=id)
    size = len(dealt) / request.param
    return [dealt[round(n * size) : round((n + 1) * size)] for n in range(request.param)]


def test_each_process_has_its_share_of_what_is_long(rows):
    for place in ("tests/browser", "tests/pages/test_every_page.py"):
        counts = [sum(one.nodeid.startswith(place) for one in row) for row in rows]
        assert min(counts) > 0
        assert max(counts) <= 2 * min(counts)


def test_what_is_short_comes_last(rows):
    for row in rows:
        assert row[-1].file() in SHORT


def test_a_file_that_prepares_something_for_its_tests_stays_together(rows):
    every = [one.file() for row in rows for one in row]
    for place in ("tests/browser/test_opened.py", "tests/pages/test_3.py", "tests/views/test_7.py"):
        first = every.index(place)
        assert every[first : first + PLACES[place]] == [place] * PLACES[place]
