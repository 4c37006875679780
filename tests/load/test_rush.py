"""A cold rush: on a server that has just started, thirty readers open pages of every kind at one moment.

Races are rare, so a few starts tell little: RUSH_STARTS=20 asks for more of them (bench/rush.py for a table).
"""

import os
import subprocess
import sys
from itertools import cycle, islice

import pytest

from tests import sessions
from tests.browser import harness
from tests.browser.harness import ROOT
from tests.pages.reader import page_names
from ui import warm

STARTS = int(os.environ.get("RUSH_STARTS", 1))
READERS = 30
# Writes down who imports what: Python runs a file of this name whenever it starts.
WATCH = """
import os, sys, threading

def hook(event, arguments):
    if event == "import":
        with open(os.environ["IMPORTS"], "a") as log:
            log.write(f"{threading.current_thread().name} {arguments[0]}\\n")

if "IMPORTS" in os.environ:
    sys.addaudithook(hook)
"""
# What comes with a library that is left to one reader at a time (engine/one_at_a_time.py).
LATE = "engine.families.huggingface"


def mixed(first):
    """So many readers' pages, of every kind, one of them leading."""
    names = page_names()
    start = names.index(first)
    return list(islice(cycle([*names[start:], *names[:start]]), READERS))


@pytest.mark.parametrize("start", range(STARTS))
@pytest.mark.parametrize("pages", ["all of them", "rope", "lens", "checks"])
def test_a_rush_on_a_fresh_server_finds_no_error(pages, start):
    wanted = mixed(page_names()[start % len(page_names())]) if pages == "all of them" else [pages] * READERS
    with harness.serve() as server:
        came = sessions.rush(server.url, wanted)
        assert [one for one in came if one.trouble] == []
        assert len(came) == READERS
        assert "Traceback" not in server.log()


def test_a_reader_imports_nothing_that_readers_share(tmp_path, monkeypatch):
    """Whatever a page imports was imported for it before, on the one thread that does so."""
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    log = tmp_path / "imports.log"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("IMPORTS", str(log))
    with harness.serve() as server:
        for page in ["", *page_names()]:
            sessions.rush(server.url, [page])
    lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
    readers = [name for thread, name in lines if thread.startswith("ScriptRunner")]
    assert any(thread == "warm" and name.startswith("torch.") for thread, name in lines)
    before, late = readers[: readers.index(LATE)], readers[readers.index(LATE) :]
    assert set(before) <= {"ui", "ui.shell", "ui.warm"}
    assert "transformers" in late


def test_what_is_left_out_of_the_imports_for_all_is_what_imports_transformers():
    code = "import sys; from ui import warm; [step() for step in warm.STEPS.values()]; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert {
        "torch",
        "plotly",
        "pandas",
        "engine.families.sprout",
        "views.lens_plots",
        "ui.train_here",
    } <= loaded
    assert "transformers" not in loaded
    assert not loaded & warm.LEFT_OUT


def test_without_a_server_nobody_waits():
    assert warm.ready()
    warm.need()
