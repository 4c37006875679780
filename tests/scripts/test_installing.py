"""scripts/venv.sh against small indexes of our own: which build of torch it takes, and what it refuses."""

import base64
import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.test_architecture import ROOT

INSTALL = "set -euo pipefail; source scripts/venv.sh; install requirements.txt"
NOWHERE = "http://127.0.0.1:9"  # the port that discards; nothing listens there
LOCKED = "locked==1.0 \\\n    --hash=sha256:{}\n"


def wheel(folder: Path, name: str, version: str, needs: str = "") -> Path:
    """A wheel that holds nothing but its metadata, in a folder of an index that lists it."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{name}-{version}-py3-none-any.whl"
    inside = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {
        f"{inside}/METADATA": metadata + (f"Requires-Dist: {needs}\n" if needs else ""),
        f"{inside}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{inside}/RECORD,,"]
    for file, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{file},sha256={digest},{len(text)}")
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in [*files.items(), (f"{inside}/RECORD", "\n".join(record) + "\n")]:
            archive.writestr(file, text)
    names = "".join(f'<a href="{one.name}">{one.name}</a>\n' for one in sorted(place.glob("*.whl")))
    (place / "index.html").write_text(f"<!DOCTYPE html><html><body>{names}</body></html>")
    return path


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The address of a folder, and the paths that were asked for."""
    asked: list[str] = []

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A project with our script, a locked package and torch; its environment is made once, by the script."""
    folder = tmp_path_factory.mktemp("installing")
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "venv.sh", folder / "scripts")
    pypi = folder / "indexes" / "pypi"
    whole = wheel(pypi, "locked", "1.0")
    wheel(pypi, "torch", "2.0", needs="gigabytes")
    wheel(pypi, "gigabytes", "1.0")
    wheel(folder / "indexes" / "cpu", "torch", "2.0+cpu")
    (folder / "requirements.txt").write_text("# What it needs.\nlocked==1.0\ntorch==2.0\n")
    (folder / "requirements.lock").write_text(LOCKED.format(hashlib.sha256(whole.read_bytes()).hexdigest()))
    return folder


@pytest.fixture
def project(made) -> Iterator[Path]:
    """That project with nothing installed."""
    for stamp in made.glob(".venv/installed-*"):
        stamp.unlink()
    lock = (made / "requirements.lock").read_text()
    yield made
    (made / "requirements.lock").write_text(lock)
    for gone in made.glob(".venv/lib/python*/site-packages/*.dist-info"):
        if gone.name.split("-")[0] in ("torch", "locked", "gigabytes"):
            shutil.rmtree(gone)


@pytest.fixture
def pypi(project) -> Iterator[str]:
    with served(project / "indexes" / "pypi") as (address, _):
        yield address


def install(project: Path, pypi: str, cpu: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the script's install with these indexes in place of PyPI and PyTorch's own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    settings = {"PYTHON": sys.executable, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
    indexes = {"PIP_INDEX_URL": pypi, "TORCH_CPU_INDEX": cpu, "no_proxy": "*"}
    return subprocess.run(
        ["bash", "-c", INSTALL],
        cwd=project,
        env={**clean, **settings, **indexes, **more},
        capture_output=True,
        text=True,
        timeout=120,
    )


def installed(project: Path) -> set[str]:
    names = {"torch", "locked", "gigabytes"}
    found = [one.name for one in project.glob(".venv/lib/python*/site-packages/*.dist-info")]
    return {name.removesuffix(".dist-info") for name in found if name.split("-")[0] in names}


linux = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux is PyPI's build one with CUDA")


@linux
def test_the_build_without_cuda_is_taken_from_pytorchs_index(project, pypi):
    with served(project / "indexes" / "cpu") as (cpu, asked):
        told = install(project, pypi, cpu)
        assert told.returncode == 0, told.stderr
        assert installed(project) == {"torch-2.0+cpu", "locked-1.0"}
        before = len(asked)
        again = install(project, pypi, cpu)
        assert (again.returncode, again.stdout, len(asked)) == (0, "", before)
        (project / ".venv" / "installed-requirements.txt").unlink()
        assert install(project, pypi, cpu).returncode == 0
        assert len(asked) == before, "a torch that is there is not asked for again"


@linux
def test_without_that_index_pip_takes_what_it_finds_and_it_is_said(project, pypi):
    told = install(project, pypi, NOWHERE)
    assert told.returncode == 0, told.stderr
    assert installed(project) == {"torch-2.0", "gigabytes-1.0", "locked-1.0"}
    assert f"{NOWHERE} does not answer" in told.stdout


@linux
def test_an_index_that_hangs_is_given_up_within_seconds(project, pypi):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.listen()
        started = time.monotonic()
        told = install(project, pypi, f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert time.monotonic() - started < 60
    assert told.returncode == 0, told.stderr
    assert "torch-2.0" in installed(project)


@linux
def test_an_index_of_the_hosts_own_still_counts(project, pypi):
    with served(project / "indexes" / "cpu") as (own, _):
        told = install(project, pypi, NOWHERE, PIP_EXTRA_INDEX_URL=own)
        assert told.returncode == 0, told.stderr
        assert "torch-2.0+cpu" in installed(project)


def test_other_systems_do_not_ask_pytorchs_index(project, pypi):
    other = project / "other"
    other.mkdir(exist_ok=True)
    (other / "uname").write_text("#!/bin/sh\necho Darwin\n")
    (other / "uname").chmod(0o755)
    with served(project / "indexes" / "cpu") as (cpu, asked):
        told = install(project, pypi, cpu, PATH=f"{other}{os.pathsep}{os.environ['PATH']}")
        assert told.returncode == 0, told.stderr
        assert not asked
    assert "torch-2.0" in installed(project)


def test_a_file_with_another_checksum_is_refused(project, pypi):
    (project / "requirements.lock").write_text(LOCKED.format("0" * 64))
    told = install(project, pypi, NOWHERE)
    assert told.returncode == 1
    assert "DO NOT MATCH THE HASHES" in told.stderr
    assert not installed(project)
