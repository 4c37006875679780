"""Measurements that take seconds: streamed, stoppable, and made once for all readers.

They run in the page and not in a fragment: only a click that runs the page again ends a run, while one
inside a fragment waits for it.
"""

import threading
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from engine import passing, patching, sweeps
from engine.experiments import measure, runner
from ui import cache, choice, kept, pace
from views.numbers import percent

_PAUSE = 0.1  # seconds between two pictures while results stream in
_ROW = '<div style="min-height: 2.75rem; align-content: center">{}</div>'  # as high as a button


_known, _locks = kept.Shelf("measured"), {}  # the results of all readers; a lock for each being made


def sweep(model, texts, tries):
    """engine.sweeps.sweep with everyone's results: what another reader is measuring is waited for.

    Yields (share done, {try: Result}).
    """
    return gather(_sweeps(model, texts, tries))


def _sweeps(model, texts, tries):
    """The jobs of a sweep."""
    return {one: (key, partial(_swept, model, texts, one)) for one, key in _keys(model, texts, tries).items()}


def _swept(model, texts, one):
    steps = sweeps.sweep(model, texts, [one], _known)
    for share, found in kept.stepwise(passing.reading(model, max(map(len, texts))), steps):
        yield share, found.get(one)


def gather(jobs):
    """Several measurements, each made once for all readers.

    jobs: {name: (key, begin)}, as once() takes them.  Yields (share done, {name: result}), with what is
    finished.
    """
    found = recall(jobs)
    missing = [name for name in jobs if name not in found]
    for name in missing:
        done = len(found)
        with closing(once(*jobs[name])) as steps:
            for share, result in steps:
                if share >= 1:
                    found[name] = result
                yield (done + min(share, 1)) / len(jobs), dict(found)
    if not missing:
        yield 1.0, found


def recall(jobs):
    """What is known of these already -> {name: result}."""
    found = {name: _known.get(key) for name, (key, _) in jobs.items()}
    return {name: result for name, result in found.items() if result is not None}


def once(key, begin):
    """A measurement made once for all readers, by key; what another reader is making is waited for.

    begin() -> a generator of (share done, result so far).  Yields the same; the last result is kept.
    """
    while (lock := _turn(key, _locks)) is None:
        yield 0.0, None
    try:
        if (found := _known.get(key)) is not None:
            yield 1.0, found
            return
        with closing(begin()) as steps:
            for share, result in steps:
                if share >= 1:
                    _known[key] = result
                yield share, result
    finally:
        _locks.pop(key, None)  # before it is let go: who waits for it finds out that it is no longer the one
        lock.release()


def _turn(key, locks):
    """The lock of a measurement, held, or None after a short wait: another is at it."""
    lock = locks.setdefault(key, threading.Lock())
    if not lock.acquire(timeout=_PAUSE):
        return None
    if locks.get(key) is lock:
        return lock
    lock.release()  # it was given up meanwhile, and someone else may have begun with a new one
    return None


def remembered(key):
    """The result that once() has kept, or None."""
    return _known.get(key)


def _keys(model, texts, tries):
    mark = sweeps.fingerprint(texts)
    return {one: sweeps.key(model, mark, one) for one in tries}


def readings(model, ids, tries):
    """One text under each of these changes -> jobs for gather(): {try: the probability of every token of
    ids but the first, (T-1,)}."""
    ids = [int(i) for i in ids]

    def begin(one):
        changed = runner(model, *one)
        with kept.work(passing.reading(model, len(ids))), pace.noted(model, len(ids)):
            nats, _ = measure(changed(np.array(ids)), ids)
        given = np.exp(-nats.astype(np.float64))  # float32 would call very small ones 0
        given.flags.writeable = False
        yield 1.0, given

    keys = _keys(model, ids, tries)
    return {one: ((*key, "tokens"), partial(begin, one)) for one, key in keys.items()}


def without_heads(model, ids, places):
    """One text without each single head -> jobs for gather(): {block: what the tokens at these places get
    without each of its heads, probabilities (H, P)}.  places: from 1 on."""
    ids, needs = [int(i) for i in ids], passing.without_heads(model, max(places))
    key = (model.checksum, "without heads", sweeps.fingerprint([ids, list(places)]))

    def begin(block):
        passed = cache.trace(model, ids, patching.KEEP, scores=False)
        steps = patching.without_heads(model, passed, block, places)
        del passed  # once it has begun, the measurement holds it no more
        yield from kept.stepwise(needs, steps)

    return {block: ((*key, block), partial(begin, block)) for block in range(model.architecture.n_layer)}


def work_without_heads(model, ids, jobs, places):
    """What the missing ones of without_heads() take: all that comes after a block, once for each head."""
    a, found = model.architecture, recall(jobs)
    after = sum(a.n_layer - block for block in jobs if block not in found) / a.n_layer
    return pace.passes(model, ids, after * a.n_head * max(places))


@dataclass(frozen=True)
class State:
    """Where the reader stands with one set of measurements."""

    model: object
    texts: list
    tries: list
    mark: str  # names the set in the address
    looked: bool  # whether the reader has asked for it
    stopped: bool
    found: dict  # what is known; nothing before the reader has asked

    @property
    def missing(self):
        """How many are not measured yet."""
        return len(self.tries) - len(self.found)


def state(model, texts, tries, mark):
    """The state of a set of tries; that it was asked for is in the address, so a link shows it too."""
    looked = choice.get("look", "", lambda raw: raw[:80]) == mark
    stopped = st.session_state.get("stopped") == mark
    found = recall(_sweeps(model, texts, tries)) if looked else {}
    return State(model, texts, tries, mark, looked, stopped, found)


def buttons(now, again=None, on_again=None):
    """Measure and Stop; again: the label of a button that starts over."""

    def begin():
        st.session_state["stopped"] = None
        choice.put(look=now.mark)

    def stop():
        st.session_state["stopped"] = now.mark

    def start_over():
        choice.put(look=None)
        on_again()

    running = now.looked and now.missing and not now.stopped
    if now.looked and not now.missing and again:
        st.button(again, key="again", on_click=start_over)
    else:
        label = "Measure the rest" if now.stopped and now.looked else "Measure"
        st.button(
            label, key="measure", on_click=begin, disabled=bool(now.looked and (running or not now.missing))
        )
    st.button("Stop", key="stop", on_click=stop, disabled=not running)
    left = len(now.tries) - len(recall(_sweeps(now.model, now.texts, now.tries))) if now.texts else 0
    if left and not running:
        pace.tell(pace.passes(now.model, now.texts[0], left * sum(map(len, now.texts))))


def run(now, draw):
    """Measure what is missing unless the reader stopped it, drawing as it comes -> what is known.

    draw(results) draws into a place that is kept for it.  Call it where the progress bar may stand; a
    click anywhere ends it, and what was finished is kept.
    """
    draw(now.found)
    if not now.missing:
        return now.found
    if now.stopped:
        st.caption(f"Stopped. {len(now.found)} of {len(now.tries)} measured and kept.")
        return now.found
    stream(sweep(now.model, now.texts, now.tries), draw)
    st.rerun()


def at_once(jobs, mark, draw, label, what, idle):
    """Make what is missing of jobs without being asked to, with a Stop beside the progress -> what is known.

    jobs: as gather() takes them; mark: names them; draw(results) draws into places that are kept for them;
    what: what the jobs do, in words; idle: HTML that stands in the same place before and after.
    """
    place, now, found = st.empty(), st.session_state, recall(jobs)
    draw(found)
    if len(found) == len(jobs):
        place.html(_ROW.format(idle))
        return found
    stopped = now.get("stopped") == mark
    with place.container(horizontal=True, vertical_alignment="center"):
        if stopped:
            st.button("Go on", key=f"go-on-{what}", on_click=now.update, kwargs={"stopped": None})
            st.markdown(f"Stopped: {what}, {len(found)} of {len(jobs)} done and kept.")
            return found
        st.button("Stop", key=f"stop-{what}", on_click=now.update, kwargs={"stopped": mark})
        found = stream(gather(jobs), draw, label)
    place.html(_ROW.format(idle))
    return found


def advance(jobs, on_step, seconds=0.6):
    """Make what is missing of jobs for so long, or a single one that takes longer -> what is known then.

    For a page that draws a component: it draws what is known, goes on, and runs again until all is there.
    on_step() draws something small: a click ends the work there.
    """
    found, until = recall(jobs), time.monotonic() + seconds
    for name in (name for name in jobs if name not in found):
        if time.monotonic() > until:
            break
        with closing(once(*jobs[name])) as steps:
            for share, result in steps:
                on_step()
                if share >= 1:
                    found[name] = result
    return found


def stream(steps, draw, label="Measuring …"):
    """Show the results of a generator of (share, results) as they come, with how far it is.

    draw(results) draws them into a place that is kept for them.  A click anywhere ends it.  -> the last.
    """
    bar, drawn, results, remaining = st.progress(0.0, label), 0.0, None, pace.Remaining()
    with closing(steps):
        for share, results in steps:
            if share >= 1 or time.monotonic() - drawn > _PAUSE:
                share = min(share, 1.0)
                bar.progress(share, f"{label} {percent(share)}{remaining.said(share)}")
                draw(results)
                drawn = time.monotonic()
    bar.empty()
    return results
