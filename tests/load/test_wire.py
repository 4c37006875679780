"""What a client that is no browser can send changes nothing for the other readers, and is bounded.

This looks at the server from outside, so it fails if a new version of Streamlit goes around ui/wire.py.
"""

import asyncio
import contextlib
import re

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests import sessions
from tests.browser import harness
from ui import wire

FILE = 900_000  # bytes; config.toml lets 1 MB pass


@pytest.fixture(scope="module")
def server():
    with harness.serve() as running:
        yield running


def kept(session):
    """What the page of the checks says is kept for all readers."""
    return re.search(r"Kept for all readers: .*? of models", session.shown.words().replace("\\", "")).group()


async def opened(session, page="checks"):
    await session.open(page, "model=gpt-1")
    return kept(session) if page == "checks" else None


def test_no_client_empties_what_is_kept_for_all_readers(server):
    async def clear():
        async with sessions.session(server.url) as reader, sessions.session(server.url) as other:
            before = await opened(reader)
            await opened(other, "norm")
            await other.socket.send(BackMsg(clear_cache=True).SerializeToString())
            await other.run()  # messages are taken in order: this one comes after
            return before, await opened(reader)

    before, after = sessions.run(clear())
    assert "0 bytes" not in before
    assert float(after.split()[4]) >= float(before.split()[4])
    assert "clear_cache" in server.log()


async def heard(reader, seconds=0.5):
    """What the server still says, until it is silent for a while."""
    found = []
    with contextlib.suppress(TimeoutError):
        while True:
            async with asyncio.timeout(seconds):
                found.append(await reader.socket.recv())
    return found


@pytest.mark.parametrize(
    "kind", ["load_git_info", "set_run_on_save", "debug_shutdown_runtime", "install_skills"]
)
def test_what_is_meant_for_developers_is_refused_and_the_session_goes_on(server, kind):
    message = BackMsg()
    if kind == "install_skills":
        message.backend_operation_request.install_skills.SetInParent()
    else:
        setattr(message, kind, True)

    async def send():
        async with sessions.session(server.url) as reader:
            await opened(reader)
            await heard(reader)
            await reader.socket.send(message.SerializeToString())
            assert await heard(reader) == []
            return await opened(reader)

    assert sessions.run(send())
    assert "Traceback" not in server.log()


async def put(server, session, name):
    return await asyncio.to_thread(sessions.upload, server.url, session.id, name, FILE)


def test_uploads_to_made_up_names_are_bounded_in_a_session_and_in_total(server):
    """Each session keeps its last few files, and all together keep what fits; the rest is refused."""
    enough = wire.UPLOADED // (wire.FILES * FILE) + 3

    async def flood():
        async with sessions.session(server.url) as first:
            await opened(first, "parameters")
            statuses = [
                await asyncio.to_thread(sessions.upload, server.url, first.id, f"one-{n}", FILE)
                for n in range(8)
            ]
            assert set(statuses) == {204}
            others = [sessions.session(server.url) for _ in range(enough)]
            readers = [await one.__aenter__() for one in others]
            statuses = []
            for reader in readers:
                await opened(reader, "parameters")
                for n in range(3):
                    statuses.append(
                        await asyncio.to_thread(sessions.upload, server.url, reader.id, f"more-{n}", FILE)
                    )
            for one in others:
                await one.__aexit__(None, None, None)
            return statuses

    statuses = sessions.run(flood())
    assert statuses.count(413) >= 3
    assert statuses.count(204) * FILE >= wire.UPLOADED / 2
    assert "Traceback" not in server.log()


def test_odd_messages_end_in_no_traceback(server):
    """Fragments, pages and controls that do not exist, values of the wrong kind, bytes at random."""
    odd = []
    for fragment, page, field, value in (
        ("no-such-fragment", "lens", "json_value", "[" * 900),
        ("", "no such page \x00", "string_value", "x"),
        ("", "lens", "json_value", '{"chosen": {"a": [null]}}'),
        ("", "../../etc/passwd", "bytes_value", b"\xff"),
    ):
        message = BackMsg()
        ask = message.rerun_script
        ask.page_name, ask.fragment_id, ask.query_string = (
            page,
            fragment,
            "model=%00&own=%ff&own=" + "a" * 50_000,
        )
        widget = ask.widget_states.widgets.add()
        widget.id = "$$ID-0123456789abcdef-lens_grid"
        setattr(widget, field, value)
        odd.append(message.SerializeToString())

    async def send():
        async with sessions.session(server.url) as reader:
            await opened(reader)
            for raw in odd:
                await reader.socket.send(raw)
            await asyncio.sleep(0)
            assert await opened(reader)
        async with sessions.session(server.url) as reader:
            await reader.socket.send(b"\xff" * 2000)
            with pytest.raises(sessions.Closed):
                await reader.run()
        async with sessions.session(server.url) as reader:
            assert await opened(reader)

    sessions.run(send())
    printed = server.log().replace("Error deserializing back message\nTraceback", "")
    assert "Traceback" not in printed, printed[-3000:]
