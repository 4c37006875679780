"""Turns: so much at a time, the others wait in the order they came and are told their place."""

import threading
from contextlib import contextmanager


class Turns:
    """A queue of readers for something of which there is so much at a time: places, or bytes of memory."""

    def __init__(self, most):
        self.most, self._queue, self._lock = most, [], threading.Lock()

    @contextmanager
    def taking(self, share=1):
        """Stand in the queue while the block runs -> a function that says how many have to leave first.

        share: how much of it this reader takes; who takes more than there is gets it alone.  0: it is this
        reader's turn, which lasts to the block's end, however that comes.
        """
        ticket = [share]
        with self._lock:
            self._queue.append(ticket)

        def before():
            with self._lock:
                return self._before(ticket)

        try:
            yield before
        finally:
            with self._lock:
                self._queue = [one for one in self._queue if one is not ticket]

    def _before(self, ticket):
        room, place = self.most, next(i for i, one in enumerate(self._queue) if one is ticket)
        for behind in range(place, -1, -1):
            room -= self._queue[behind][0]
            if room < 0 and behind < place:
                return behind + 1
        return 0
