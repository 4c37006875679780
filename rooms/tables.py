"""The rooms' tables, and the database they lie in."""

import os
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import Engine

Away = sql.exc.SQLAlchemyError  # the database does not answer, or not in time
ADDRESS = "EXPLORER_ROOMS"  # the environment's variable that names another database

metadata = sql.MetaData()
rooms = sql.Table(
    "rooms",
    metadata,
    sql.Column("code", sql.String(4), primary_key=True),
    sql.Column("secret", sql.String(64), nullable=False),  # SHA-256 of what lets one steer
    sql.Column("owner", sql.String(64), nullable=False),  # SHA-256 of the opening browser's token
    sql.Column("ends", sql.Float, nullable=False, index=True),  # seconds since 1970
    sql.Column("plan", sql.Text, nullable=False),  # JSON: what is guessed, and where
    sql.Column("step", sql.Integer, nullable=False),  # which of the plan's places, from 0
    sql.Column("phase", sql.String(8), nullable=False),
)
voters = sql.Table(
    "voters",
    metadata,
    sql.Column("code", sql.String(4), primary_key=True),
    sql.Column("voter", sql.String(64), primary_key=True),  # SHA-256 of the browser's token, with the code
    sql.Column("name", sql.String(16), nullable=False),
    sql.Column("hidden", sql.Boolean, nullable=False),
)
votes = sql.Table(
    "votes",
    metadata,
    sql.Column("code", sql.String(4), primary_key=True),
    sql.Column("step", sql.Integer, primary_key=True),
    sql.Column("voter", sql.String(64), primary_key=True),
    sql.Column("token", sql.Integer, nullable=False),  # the guessed piece's id
    sql.Column("changes", sql.Integer, nullable=False),
)


def address() -> str:
    """The database's address: what the environment sets, else a file of this computer's user."""
    set_there = os.environ.get(ADDRESS)
    if set_there:
        return set_there
    user = getattr(os, "getuid", lambda: "user")()
    return f"sqlite:///{Path(tempfile.gettempdir()) / f'sprout-explorer-{user}' / 'rooms.sqlite'}"


def connect(where: str) -> Engine:
    """Open a database, its tables made where they are not there yet."""
    if where.startswith("sqlite:///"):
        folder = Path(where.removeprefix("sqlite:///")).parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sql.create_engine(where, pool_pre_ping=True)
    if engine.dialect.name == "sqlite":
        sql.event.listen(engine, "connect", _as_we_need_sqlite)
        sql.event.listen(engine, "begin", _writing_from_the_start)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":  # several servers may start at once
            connection.execute(sql.text("SELECT pg_advisory_xact_lock(7730811)"))
        metadata.create_all(connection)
    return engine


def _as_we_need_sqlite(connection: Any, _record: Any) -> None:
    """Readers beside a writer, patience instead of "database is locked", and what is deleted overwritten."""
    connection.isolation_level = None  # the driver begins nothing by itself: we do
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=20000", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _writing_from_the_start(connection: sql.Connection) -> None:
    """A transaction takes the right to write when it begins, so that none has to be undone half-way."""
    reading = connection.get_execution_options().get("reading")
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def cleared(engine: Engine) -> None:
    """Nothing that was deleted stays in SQLite's log."""
    if engine.dialect.name == "sqlite":
        with engine.connect().execution_options(reading=True) as connection:
            connection.rollback()
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
