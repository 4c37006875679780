"""The checkpoints that whoever started the server put beside the app, and how a reader waits for one.

`--models FOLDER` after the app's name, or SPROUT_MODELS, names folders, parted as in PATH; "hub" stands for
Hugging Face's own cache.  SPROUT_MODELS_MB limits what opened models take together, SPROUT_DTYPE is float32
or bfloat16, SPROUT_CACHE where GGUF files are converted to.  No reader can name a path.
"""

import argparse
import logging
import os
import sys
import threading
from functools import cache
from pathlib import Path

import streamlit as st

from engine import families, presets, source
from engine.errors import ReaderError

HUB = "hub"  # stands for Hugging Face's own cache
PATIENCE = 0.3  # seconds before a progress bar appears
_USUAL_SHARE = 0.5  # of this computer's memory, for opened models together
_begin = threading.Lock()
_offers = {}  # {"shelf": the one shelf of this server}


def begin():
    """Offer what the server was started with; the first reader's run does it, and later ones nothing."""
    with _begin:
        if "shelf" in _offers:
            return
        _offers["shelf"] = None
        named = folders(sys.argv[1:], os.environ)
        if named:
            try:
                _offers["shelf"] = offer(named, os.environ)
            except ReaderError as error:  # the server's owner has to mend it, and reads its log
                logging.getLogger(__name__).error("No models are offered: %s", error)


def shelf():
    """The shelf of this server, or None where nothing was put beside the app."""
    return _offers.get("shelf")


def beneath_its_closed(where, width):
    """Where a list of models goes: below a link to the obstacles, where entries can't be opened."""
    if shelf() is None:  # as for most, and then the first page needs nothing of it
        return where
    from views import opened as opened_view

    said = opened_view.closed(shelf())
    if said is None:
        return where
    where = where.container(width=width, gap=None)
    where.page_link("pages/models.py", label=f":small[{said}]", icon=":material/info:")
    return where


def folders(arguments, environment):
    """The folders that a command line and the environment name -> a list, as they were written."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--models", action="append", default=[])
    told, _ = parser.parse_known_args(arguments)
    named = told.models or environment.get("SPROUT_MODELS", "").split(os.pathsep)
    base = Path(environment.get("SPROUT_FROM") or ".")  # where the command was given
    return [one if one == HUB else str(base / Path(one).expanduser()) for one in named if one]


def offer(named, environment):
    """A shelf with all that lies in these folders; what can be opened is added to the models.

    Raises ReaderError for a setting that makes no sense.
    """
    from engine import tiny_training
    from engine.families.checkpoints import loading
    from engine.families.checkpoints.shelf import Shelf, entries, of_the_hub
    from ui import choice, process

    dtype = environment.get("SPROUT_DTYPE") or loading.DTYPES[0]
    if dtype not in loading.DTYPES:
        raise ReaderError(f"SPROUT_DTYPE is {dtype!r}; it has to be {' or '.join(loading.DTYPES)}.")
    made = Shelf(memory(environment.get("SPROUT_MODELS_MB")), dtype, cache_folder(environment))
    process.ELSEWHERE.append(made.taken)
    taken = {*presets.NAMES, *source.FILES, tiny_training.NAME, choice.OWN}
    for one in named:
        if one == HUB:
            found = of_the_hub(hub_folder(environment))
        elif Path(one).is_dir():
            found = [(path, None) for path in entries(Path(one))]
        else:
            logging.getLogger(__name__).error("%s is no folder, so no models are offered from it.", one)
            continue
        for path, title in found:
            kept = made.put(path, taken, title)
            if kept.obstacle is None:
                families.add(kept)
    return made


def memory(told):
    """Bytes that opened models may take: so many MB, or half of what this computer has."""
    if not told:
        return int(_USUAL_SHARE * _installed())
    if not told.strip().isdecimal():
        raise ReaderError(f"SPROUT_MODELS_MB is {told!r}; it has to be a whole number of MB, such as 8000.")
    return int(told) * 1_000_000


@cache
def _installed():
    """Bytes of memory that this process can have: the computer's, or its container's where that is less."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows does not tell in this way
        found = 8_000_000_000
    for told in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            found = min(found, int(Path(told).read_text()))
        except (OSError, ValueError):
            continue
    return found


def cache_folder(environment):
    """Where GGUF files are converted to: outside the repository, in the platform's folder for such."""
    if environment.get("SPROUT_CACHE"):
        return Path(environment["SPROUT_CACHE"]).expanduser()
    usual = {"darwin": "~/Library/Caches", "win32": environment.get("LOCALAPPDATA", "~")}
    base = environment.get("XDG_CACHE_HOME") or usual.get(sys.platform, "~/.cache")
    return Path(base).expanduser() / "sprout-explorer"


def hub_folder(environment):
    """Hugging Face's own cache, as its library finds it."""
    home = environment.get("HF_HOME") or "~/.cache/huggingface"
    return Path(environment.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()


def model(name):
    """An offered model, in memory; while it is on its way, a bar says how far.  Raises ReaderError."""
    from views import opened as opened_view  # only now: the first page needs nothing of it

    kept = families.offered(name)
    opening = kept.shelf.open(kept)
    if not opening.wait(PATIENCE):
        # Under the title, where it is seen: a page may ask for the model within something that is shut.
        bar = st.session_state.get("notices_here", st).progress(0.0)
        while True:
            bar.progress(opening.share, opened_view.waiting(kept, opening.stage))
            if opening.wait(0.2):
                break
        bar.empty()
    return opening.result()
