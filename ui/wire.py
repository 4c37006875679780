"""What goes over the wire beyond what a browser sends for these pages: refused, or bounded.

Any client can speak Streamlit's messages.  Some of them are meant for who develops an app: they would empty
every reader's results, tell which files lie in the server's checkout, or write to its disk.  Uploads are
bounded only one by one.  No setting closes these, so it is done here, by the names that the pinned version
has; tests/load/test_wire.py fails if these change.  What it can't close is told in docs/hosting.md.
"""

import logging
import threading
from functools import wraps

from starlette.exceptions import HTTPException
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from ui import process, warm

# The messages that a browser sends for these pages, and of its requests those that are answered.
TAKEN = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
ANSWERED = {"deferred_file", "dataframe_chunk"}
FILES = 2  # uploads that are kept of one session; the oldest go first
UPLOADED = 32_000_000  # bytes of uploads that are kept of all sessions
_LARGE = 100_000  # bytes of a message that is worth letting go of
TIDY = 20  # seconds between two looks for sessions that have ended
_closed = threading.Lock()
_log = logging.getLogger(__name__)


def close():
    """Put the bounds in place, once for the process.  Without a server there is no wire."""
    if warm.serving() and _closed.acquire(blocking=False):
        AppSession.handle_backmsg = _only_what_a_browser_sends(AppSession.handle_backmsg)
        MemoryUploadedFileManager.add_file = _bounded(MemoryUploadedFileManager.add_file)
        process.return_large()
        threading.Thread(target=_tidy, name="tidy", daemon=True).start()


def _only_what_a_browser_sends(handle):
    @wraps(handle)
    def handled(session, message):
        kind = message.WhichOneof("type")
        asked = message.backend_operation_request.WhichOneof("payload")
        if kind not in TAKEN or (kind == "backend_operation_request" and asked not in ANSWERED):
            _log.warning("A client's message was refused: %s %s", kind, asked or "")
            return
        if message.ByteSize() > _LARGE:  # the connection holds it until the next one comes
            own = BackMsg()
            own.CopyFrom(message)
            message.Clear()
            message = own
        handle(session, message)

    return handled


def _bounded(add):
    @wraps(add)
    def added(manager, session_id, file):
        with manager._lock:
            mine = list(manager.file_storage.get(session_id, ()))
        older = [one for one in mine if one != file.file_id]
        for one in older[: max(0, len(older) + 1 - FILES)]:
            manager.remove_file(session_id, one)
        if manager._total_bytes + len(file.data) > UPLOADED:
            raise HTTPException(status_code=413, detail="Too many files are kept here now.")
        add(manager, session_id, file)

    return added


def _tidy():
    """Sessions that ended give back what they hold; Streamlit itself waits until another one ends."""
    before = 0
    while True:
        threading.Event().wait(TIDY)
        try:
            sessions = runtime.get_instance()._session_mgr
            with sessions._storage_lock:
                ended = sessions._session_storage._cache
                ended.expire()
                left = len(ended) + len(sessions._active_session_info_by_id)
        except Exception:
            _log.exception("Ended sessions could not be tidied up")
            return
        if left < before:
            process.tidy(whole=left == 0)
        before = left
