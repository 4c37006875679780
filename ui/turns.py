"""Turns: so many readers at a time, the others wait in the order they came and are told their place."""

import threading
from contextlib import contextmanager


class Turns:
    """A queue of readers for something that at most `most` may do at a time."""

    def __init__(self, most):
        self.most, self._queue, self._lock = most, [], threading.Lock()

    @contextmanager
    def taking(self):
        """Stand in the queue while the block runs -> a function that says how many are still before.

        0: it is this reader's turn, which lasts to the block's end, however that comes.
        """
        ticket = object()
        with self._lock:
            self._queue.append(ticket)

        def before():
            with self._lock:
                return max(0, self._queue.index(ticket) + 1 - self.most)

        try:
            yield before
        finally:
            with self._lock:
                self._queue.remove(ticket)
