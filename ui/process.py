"""What the whole process holds in memory, and giving back to the system what is free in it.

Results and work are counted (ui/kept.py).  What else a process holds, Python, its libraries and what belongs
to readers' sessions, is not; so the system is asked for the sum, where it tells (Linux).
"""

import ctypes
import functools
import gc
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

_MMAP_FROM, _TRIM_FROM, _HEAPS = -3, -1, -8  # as malloc.h numbers them
_LARGE, _FEW = 2_000_000, 4  # bytes, and heaps
_SOON = 0.5  # seconds that giving back is enough for
_given, _one = {"last": 0.0}, threading.Lock()
ELSEWHERE = []  # functions -> bytes that are held within a bound of their own: opened models


def held():
    """Bytes of memory that this process holds, but for what is bounded elsewhere; 0 where nobody tells."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return max(0, pages * os.sysconf("SC_PAGE_SIZE") - sum(one() for one in ELSEWHERE))
    return 0


@functools.cache
def _libc():
    if sys.platform != "linux":
        return None
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        return library if library.malloc_trim else None
    return None


def return_large():
    """Let large arrays be given back as soon as they are let go of, where that can be chosen (glibc).

    By itself glibc keeps up to 32 MB of what was freed for the next one, in every thread's own heap.
    """
    if _libc():
        for option, value in ((_MMAP_FROM, _LARGE), (_TRIM_FROM, _LARGE), (_HEAPS, _FEW)):
            _libc().mallopt(option, value)


def give_back():
    """Let the system have the memory that is free but still held, where that can be done (glibc).

    -> whether it was done: not twice within a moment, and by one thread at a time.
    """
    if not _libc() or not _one.acquire(blocking=False):
        return False
    try:
        if time.monotonic() - _given["last"] < _SOON:
            return False
        _libc().malloc_trim(0)
        _given["last"] = time.monotonic()
        return True
    finally:
        _one.release()


def tidy(whole=True):
    """Collect what has been let go of, and set aside what is left: it lives for long.

    whole: look also through what was set aside before, or what was a reader's then would never be collected;
    that takes a fifth of a second.
    """
    if whole:
        gc.unfreeze()
    gc.collect()
    if whole:
        gc.freeze()
    give_back()
