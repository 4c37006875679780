"""A database of each kind that rooms lie in: an SQLite file, and PostgreSQL where it is installed."""

import os
import shutil
import subprocess
import tempfile
from glob import glob

import pytest

from rooms import Rooms


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="session")
def postgresql():
    """The address of a PostgreSQL server of these tests alone, on a socket in a folder of its own."""
    found = [shutil.which("initdb") or "", *sorted(glob("/usr/lib/postgresql/*/bin/initdb"))]
    if not found[-1]:
        pytest.skip("PostgreSQL is not installed")
    pytest.importorskip("psycopg")
    as_user = []
    with tempfile.TemporaryDirectory(prefix="rooms-", ignore_cleanup_errors=True) as folder:
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            as_user = ["runuser", "-u", "postgres", "--"]
            shutil.chown(folder, "postgres")
        run = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
        subprocess.run(
            [*as_user, found[-1], "-D", f"{folder}/data", "-A", "trust", "-U", "rooms", "-N"], **run
        )
        control = [*as_user, f"{os.path.dirname(found[-1])}/pg_ctl", "-D", f"{folder}/data", "-w"]
        options = f"-c listen_addresses='' -c fsync=off -c max_connections=60 -k {folder}"
        subprocess.run([*control, "-l", f"{folder}/log", "-o", options, "start"], **run)
        try:
            yield f"postgresql+psycopg://rooms@/postgres?host={folder}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **run)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request, tmp_path):
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/rooms.sqlite"
        return
    address = request.getfixturevalue("postgresql")
    yield address
    from rooms import tables

    engine = tables.connect(address)
    tables.metadata.drop_all(engine)
    engine.dispose()


@pytest.fixture
def rooms(where, clock):
    opened = Rooms(where, clock)
    yield opened
    opened.close()
