"""Turns: so much at a time, the others wait in the order they came and are told their place."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(eq=False)
class _Ticket:
    share: int
    before_others: bool
    going: bool = False


class Turns:
    """A queue of readers for something of which there is so much at a time: places, or bytes of memory.

    fits(share, taken): whether there is really room for one more, beside what those take whose turn it is;
    where it is nobody's turn, the first goes on all the same.
    """

    def __init__(self, most, fits=lambda share, taken: True):
        self.most, self._fits, self._queue, self._lock = most, fits, [], threading.Lock()

    @contextmanager
    def taking(self, share=1, before_others=False):
        """Stand in the queue while the block runs -> a function that says how many have to leave first.

        share: how much of it this reader takes; who takes more than there is gets it alone.  before_others:
        whether this reader stands before all who wait.  0: it is this reader's turn, which lasts to the
        block's end, however that comes.
        """
        ticket = _Ticket(share, before_others)
        with self._lock:
            self._queue.insert(self._place(ticket), ticket)

        def before():
            with self._lock:
                return self._before(ticket)

        try:
            yield before
        finally:
            with self._lock:
                self._queue.remove(ticket)

    def _place(self, ticket):
        """Where a ticket comes in: those whose turn it is stand first, then those before others, then the
        rest."""
        if not ticket.before_others:
            return len(self._queue)
        return sum(one.going or one.before_others for one in self._queue)

    def _before(self, ticket):
        self._let_in()
        if ticket.going:
            return 0
        room, place = self.most, self._queue.index(ticket)
        for behind in range(place, -1, -1):
            room -= self._queue[behind].share
            if room < 0 and behind < place:
                return behind + 1
        return max(1, sum(one.going for one in self._queue))

    def _let_in(self):
        """Give the first their turn, as many as there is room for: nobody is passed over."""
        for place, one in enumerate(self._queue):
            if not one.going:
                taken = sum(other.share for other in self._queue[:place])
                if place and (taken + one.share > self.most or not self._fits(one.share, taken)):
                    return
                one.going = True
