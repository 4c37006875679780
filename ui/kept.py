"""What is kept for all readers, within one budget in bytes: what was used longest ago goes first.

Models, passes, lenses and measurements lie in one place, whatever model and page they belong to, and work in
progress counts too: results make room for it.  Everything kept is read-only and shared as it is.

    @kept.result(spinner="Reading …", needs=lambda key, ids, _model: passing.lens(_model, len(ids)))
    def lens(key, ids, _model): …        kept by its name and its arguments, but for those with an underscore

    with kept.work(passing.run(model, len(ids))): …        heavy work that nothing is kept of

Heavy work queues, so that the memory it takes for a moment stays within a bound as well: first come, first
served, and who waits is told the place.  It also waits for other work to end where the whole process would
hold too much.  A run of a page that has had a turn holds what came of it, so it goes before those that have
not begun: otherwise all would hold something while they wait.
"""

import functools
import inspect
import logging
import os
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import MutableMapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui import process
from ui.sizes import size_of
from ui.turns import Turns
from views.numbers import counted

SETTING, USUAL = "SPROUT_MEMORY_MB", 600
LEAST = 100
BESIDE = (
    250_000_000  # bytes for Python, its libraries and the readers' sessions: beyond it, results make room
)
_SMALL = 8_000_000  # bytes: work that is not worth queuing, nor tidying up after
_PAUSE = 0.05  # seconds between two looks
_SELDOM = 2  # seconds between two times of tidying up
_SOON = 0.5  # seconds between two looks at what the process holds, while nothing heavy begins
_PRESSING = 0.25  # seconds between two times that waiting work asks results to go
_PATIENCE = 0.3  # seconds before a reader who waits is told so
_MISSING = object()


def budget():
    """The bytes that models, results and work may take together, as the host set them."""
    told = os.environ.get(SETTING, str(USUAL))
    try:
        return max(LEAST, int(told)) * 1_000_000
    except ValueError:
        logging.getLogger(__name__).warning("%s = %r is no number of MB; %s is used", SETTING, told, USUAL)
        return USUAL * 1_000_000


class Room:
    """The place where results are kept.

    budget: bytes for results and work together.  most: bytes of the whole process beyond which results go, or
    None for no such bound; a quarter of the budget further, work waits for other work to end.
    """

    def __init__(self, budget, most=None):
        self.budget, self.most = budget, most
        self.turns = Turns(budget // 4, self._fits)
        self._found, self._sizes = OrderedDict(), {}  # by key, what was used last at the end
        self._elsewhere = weakref.WeakValueDictionary()  # what went from here while somebody may hold it
        self._kept = self._working = 0  # bytes
        self._pressed = self._tidied = 0.0  # when it was last asked what the process holds, and tidied up
        self._lock, self._making = threading.RLock(), {}
        self._inside = threading.local()  # how deep this thread is in work

    def state(self):
        """(bytes kept, bytes in work, how many results)."""
        with self._lock:
            return self._kept, self._working, len(self._found)

    def look(self, key, default=None):
        """What is kept by this key, which counts as a use of it."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
            held = self._elsewhere.get(key)
        if held is None:
            return default
        self.put(key, held)  # a reader still holds it: it takes no more memory than it did
        return held

    def put(self, key, value):
        """Keep a value; what does not fit even alone is not kept."""
        size = size_of(value)
        with self._lock:
            self.drop(key)
            if size <= self.budget:
                self._found[key], self._sizes[key] = value, size
                self._kept += size
                self._make_room()
        if time.monotonic() - self._pressed > _SOON:
            self._press(0)

    def drop(self, key):
        """Forget one result."""
        with self._lock:
            self._elsewhere.pop(key, None)
            if self._found.pop(key, self) is not self:
                self._kept -= self._sizes.pop(key)

    def clear(self, belongs=lambda key: True):
        """Forget the results whose key belongs(key)."""
        with self._lock:
            for key in [key for key in (*self._found, *self._elsewhere) if belongs(key)]:
                self.drop(key)

    def _let_go(self):
        """Let go of what was used longest ago; it is found again as long as somebody holds it."""
        key, value = next(iter(self._found.items()))
        self.drop(key)
        with suppress(TypeError):  # of a tuple or a dict nobody tells whether it is held
            self._elsewhere[key] = value

    def _make_room(self):
        while self._found and self._kept + self._working > self.budget:
            self._let_go()

    def _fits(self, needs, taken):
        """Whether the process has room for one more work, beside others that will take so much."""
        return self._over(needs + taken) <= self.budget // 4

    def _over(self, needs):
        return process.held() + needs - self.most if self.most else 0

    def _press(self, needs):
        """Where the process would hold more than it may, with work that needs so much, results go.

        A quarter of the budget is left to them, whatever else is held.
        """
        now = self._pressed = time.monotonic()
        if self._over(needs) > 0 and now - self._tidied > _SELDOM:
            self._tidied = now
            process.tidy(whole=False)  # what ended runs left behind in circles may hold large arrays
        over = self._over(needs)
        if over <= 0:
            return
        with self._lock:
            left = max(self.budget // 4, self._kept - over)
            while self._kept > left:
                self._let_go()
        process.give_back()

    def get(self, key, make, needs=0, spinner=None):
        """What is kept by this key, or else make(), once for all who ask meanwhile.  needs: see work()."""
        while (found := self.look(key, _MISSING)) is _MISSING:
            with self._turn_for(key, needs) as mine:
                if mine and self.look(key, _MISSING) is _MISSING:
                    with st.spinner(spinner) if spinner else nullcontext(), self._within():
                        made = make()
                    self.put(key, made)
                    return made
        return found

    @contextmanager
    def _turn_for(self, key, needs):
        """Hold a key -> whether it is held; where another is making it, that is waited for."""
        other = self._claimed(key)
        if other is not None and not other.is_set():
            other.wait()
            yield False
            return
        with self.work(needs):  # before the key is held: who makes something never waits for a turn
            mine = threading.Event()
            with self._lock:
                other = self._making.setdefault(key, mine)
            if other is not mine:
                other.wait()
                yield False
                return
            try:
                yield True
            finally:
                with self._lock:
                    del self._making[key]
                mine.set()

    def _claimed(self, key):
        with self._lock:
            return self._making.get(key)

    def _is_working(self):
        return getattr(self._inside, "depth", 0) > 0

    @contextmanager
    def _within(self):
        self._inside.depth = getattr(self._inside, "depth", 0) + 1
        try:
            yield
        finally:
            self._inside.depth -= 1

    def _has_begun(self, run):
        """Whether this run has had a turn: from now on it has."""
        before, self._inside.run = getattr(self._inside, "run", None), run
        return run is not None and before is run

    @contextmanager
    def work(self, needs, step=False):
        """Work that takes so many bytes for a moment: in turn, results making room for it.

        Within other work nobody waits: whoever waits there would be waited for.  step: one of many, which
        waits like work that has not begun.
        """
        if needs < _SMALL:
            yield
            return
        with ExitStack() as stack:
            if not self._is_working():
                first = self._has_begun(_run()) and not step
                self._wait(stack.enter_context(self.turns.taking(needs, first)), needs)
            self._press(needs)
            self._count(needs)
            stack.callback(self._count, -needs)
            stack.enter_context(self._within())
            yield
        process.give_back()

    def _wait(self, before, needs):
        """Wait until before() is 0; who waits for more than a moment is told how many that is."""
        began = time.monotonic()
        while ahead := before():
            said = f"{counted(ahead, 'reader is', 'readers are')} before you. It goes on by itself."
            patient = time.monotonic() - began < _PATIENCE
            with nullcontext() if patient else st.spinner(said):
                self._pause(needs)
                while not patient and before() == ahead:
                    self._pause(needs)

    def _pause(self, needs):
        time.sleep(_PAUSE)
        if self.most and time.monotonic() - self._pressed > _PRESSING:
            self._press(needs)

    def _count(self, needs):
        with self._lock:
            self._working += needs
            self._make_room()


def _run():
    """What stands for the run of a page that this thread is at; None outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.cursors  # made anew for every run


def stepwise(needs, steps):
    """What an iterator yields, every step of it a turn of its own.  needs: as work() takes it."""
    while True:
        with work(needs, step=True):
            one = next(steps, _MISSING)
        if one is _MISSING:
            return
        yield one


ROOM = Room(budget(), budget() + BESIDE)
work, state, clear = ROOM.work, ROOM.state, ROOM.clear


def result(spinner=None, needs=None):
    """Decorates a function of the app: its results are kept by its name and its arguments.

    Arguments whose name begins with an underscore are not part of the key.  spinner: what is said meanwhile.
    needs(*arguments): the bytes that making one takes for a moment.  The function's put(*arguments, made=…)
    keeps a result that was made elsewhere, and its clear() forgets all.
    """

    def decorate(function):
        # By its file: a page's module has no name of its own.
        name = f"{function.__code__.co_filename}:{function.__qualname__}"
        counts = [not one.startswith("_") for one in inspect.signature(function).parameters]

        def key_of(*given):
            return (name, *(_fixed(one) for one, part in zip(given, counts, strict=True) if part))

        @functools.wraps(function)
        def kept(*given):
            takes = needs(*given) if needs else 0
            return ROOM.get(key_of(*given), lambda: function(*given), takes, spinner)

        def put(*given, made):
            ROOM.put(key_of(*given), made)

        kept.clear, kept.put = lambda: clear(lambda key: key[0] == name), put
        return kept

    return decorate


def _fixed(value):
    """A list as a tuple, so that it can be part of a key."""
    return tuple(map(_fixed, value)) if isinstance(value, (list, tuple)) else value


class Shelf(MutableMapping):
    """A part of the room that looks like a dict.  name: sets its keys apart."""

    def __init__(self, name):
        self.name = name

    def __getitem__(self, key):
        found = ROOM.look((self.name, key), _MISSING)
        if found is _MISSING:
            raise KeyError(key)
        return found

    def __setitem__(self, key, value):
        ROOM.put((self.name, key), value)

    def __delitem__(self, key):
        ROOM.drop((self.name, key))

    def __iter__(self):
        with ROOM._lock:
            return iter([key[1] for key in ROOM._found if key[0] == self.name])

    def __len__(self):
        return sum(1 for _ in self)
