"""A database of each kind that rooms lie in: an SQLite file, and PostgreSQL where it is installed."""

import os
import shutil
import subprocess
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
def postgresql(tmp_path_factory):
    """The address of a PostgreSQL server of this test alone, on a socket in a folder of its own."""
    found = [*sorted(glob("/usr/lib/postgresql/*/bin/initdb")), shutil.which("initdb") or ""]
    initdb = next((one for one in reversed(found) if one), None)
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    pytest.importorskip("psycopg")
    folder = tmp_path_factory.mktemp("postgresql", numbered=True)
    tool, data = os.path.dirname(initdb), folder / "data"
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        as_user = ["runuser", "-u", "postgres", "--"]
        for each in (folder, *list(folder.parents)[:2]):
            each.chmod(0o755)
        shutil.chown(folder, "postgres")
    else:
        as_user = []
    run = {"check": True, "capture_output": True}
    subprocess.run([*as_user, initdb, "-D", data, "-A", "trust", "-U", "rooms", "-N"], cwd=folder, **run)
    options = f"-c listen_addresses='' -c fsync=off -c max_connections=60 -k {folder}"
    control = [*as_user, f"{tool}/pg_ctl", "-D", data, "-w"]
    log = folder / "log"
    subprocess.run(
        [*control, "-l", log, "-o", options, "start"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    yield f"postgresql+psycopg://rooms@/postgres?host={folder}"
    subprocess.run([*control, "-m", "immediate", "stop"], cwd=folder, **run)


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
