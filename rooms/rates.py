"""How often something may be done: so many at once, and from then on so many a second.

Kept in the process, for each voter and for each room, so that a flood is refused before it reaches the
database. Several servers each count for themselves.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import ReaderError

MOST = 20_000  # that are remembered at once


@dataclass(frozen=True)
class Rate:
    """burst: that many at once; a_second: that many more each second; says: what is said beyond them."""

    burst: int
    a_second: float
    says: str


# A class of 100 joins, votes and thinks again within seconds, behind one outer address: none of it is near
# these. An address is not asked for.
OPENED_BY_ONE = Rate(10, 1 / 30, "You have opened many rooms in a short time. Wait half a minute.")
OPENED = Rate(60, 1 / 5, "Many rooms were opened here in a short time. Try again in a moment.")
NAMED_BY_ONE = Rate(10, 1 / 3, "You have changed your nickname many times. Wait a few seconds.")
NAMED = Rate(600, 20, "Very many join this room at once. Try again in a moment.")
VOTED_BY_ONE = Rate(12, 1, "That was too fast: wait a second and vote again. Your last vote stands.")
VOTED = Rate(1_000, 100, "Very many vote in this room at once. Vote again in a moment.")


class Rates:
    """How much of every rate is left for everyone.  Many threads may use it at once."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._left: OrderedDict[tuple[Rate, str], tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, *asked: tuple[Rate, str]) -> None:
        """Do something once: asked names each rate with whose it is, "" for everybody's.

        Raises ReaderError with the first rate's sentence that has nothing left; none is taken from then.
        """
        now = self._clock()
        with self._lock:
            left = {one: self._now(one, now) for one in asked}
            for rate, whose in asked:
                if left[rate, whose] < 1 - 1e-9:  # of fractions of seconds
                    raise ReaderError(rate.says)
            for one in asked:
                self._left[one] = left[one] - 1, now
                self._left.move_to_end(one)
            while len(self._left) > MOST:
                self._left.popitem(last=False)

    def _now(self, one: tuple[Rate, str], now: float) -> float:
        rate = one[0]
        before, when = self._left.get(one, (float(rate.burst), now))
        return min(before + max(now - when, 0) * rate.a_second, float(rate.burst))
