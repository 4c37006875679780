"""Ctrl-C ends the app without a traceback: while it starts, when it serves, and while readers' pages load."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests import sessions
from tests.browser import harness
from tests.browser.harness import ROOT

MOMENTS = (0.15, 0.5, 1.0, 1.5, 2.0)  # seconds after the start


@contextlib.contextmanager
def started(log):
    """The app, started as scripts/run starts it, in a group of its own that Ctrl-C reaches."""
    port = harness.free_port()
    command = [sys.executable, "scripts/start.py", "--server.port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            yield process, f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def pressed(process):
    """Ctrl-C: the whole group is told; -> the exit status."""
    os.killpg(process.pid, signal.SIGINT)
    return process.wait(20)


def healthy(url):
    for _ in range(600):
        if harness._healthy(url):
            return
        time.sleep(0.05)
    raise AssertionError("The server is not healthy.")


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_while_it_starts(tmp_path, moment):
    log = tmp_path / "log"
    with started(log) as (process, _):
        time.sleep(moment)
        assert pressed(process) in (0, 130)
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize("moment", [None, 0.05, 0.3, 1.0, 2.5])
def test_ctrl_c_while_readers_come(tmp_path, moment):
    """moment: seconds after ten readers asked for pages that load all there is; None: nobody came."""
    log = tmp_path / "log"
    with started(log) as (process, url):
        healthy(url)
        if moment is not None:
            names = ["lens", "checks"] * 5

            def come():
                with contextlib.suppress(Exception):  # they are cut off
                    sessions.rush(url, names)

            threading.Thread(target=come, daemon=True).start()
            time.sleep(moment)
        assert pressed(process) in (0, 130)
    printed = log.read_text()
    assert "Traceback" not in printed, printed[-3000:]
