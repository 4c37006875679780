"""Words about the checkpoints that a server offers: what one takes, why one can't be opened."""

from engine import counting
from engine.families.checkpoints.shelf import size
from views import tables
from views.numbers import counted, whole

HEADING = "Opened from this server’s folders"


_CSS = ".opened td:last-child { min-width: 15rem; }"  # an obstacle is a sentence or two


def waiting(offer, stage):
    """What is said beside the bar while a checkpoint is on its way into memory."""
    if stage == "converting":
        return f"{offer.title} is being converted from GGUF, which is done once; then it is loaded."
    if stage == "loading":
        return f"{offer.title} is being loaded: it takes {size(offer.bytes)} of memory."
    return f"{offer.title} waits for its turn to be loaded."


def in_memory(shelf):
    """What the opened models take now, and what they may take together."""
    names = [shelf.offers[name].title for name in shelf.held()]
    held = f"{', '.join(names)}: {size(shelf.taken())}" if names else "none is in memory now"
    return (
        f"Opened models: {held}, of {size(shelf.limit)} that they may take together (SPROUT_MODELS_MB); "
        "that counts apart from the results."
    )


def closed(shelf):
    """How many of the entries can't be opened, as a link beside the models says; None where all can."""
    shut = sum(offer.obstacle is not None for offer in shelf.offers.values())
    return f"{whole(shut)} not opened" if shut else None


def read_at_most(model):
    """Why a text is read in part by a model that is declared for longer ones; "" where it is read as far as
    the model goes."""
    a = model.architecture
    if model.context >= a.context:
        return ""
    need = size(4 * a.n_layer * a.n_head * a.context**2)
    return (
        f"{model.title} is declared for texts of {counted(a.context, 'token')}. Here the first "
        f"{whole(model.context)} are read: the attention of all its heads over {whole(a.context)} would take "
        f"{need} of memory."
    )


def rows(shelf):
    """Every entry of a shelf -> rows of (title, parameters, memory, state or obstacle), all text."""
    held = shelf.held()
    found = []
    for offer in shelf.offers.values():
        a = offer.architecture
        parameters = whole(counting.count_parameters(a).total) if a is not None else "–"
        state = "in memory now" if offer.name in held else "is loaded when it is chosen"
        found.append((offer.title, parameters, size(offer.bytes) if a else "–", offer.obstacle or state))
    return found


def html(shelf):
    """The shelf as a table."""
    head = ("entry", "parameters", "memory", "state")
    made = tables.table("What lies in them", head, rows(shelf), numeric=(1, 2))
    return f"<style>{tables.CSS}{_CSS}</style><div class='opened'>{made}</div>"


def sentence(shelf):
    """How many entries there are, how many can be opened, and what they may take together."""
    total = len(shelf.offers)
    can = sum(offer.obstacle is None for offer in shelf.offers.values())
    said = f"{counted(total, 'entry', 'entries')}, of which {can} can be opened" if total else "No entries"
    return (
        f"{said}. Those in memory take at most {size(shelf.limit)} together, as {shelf.dtype}; where more "
        "are chosen, the one that was used least recently is let go."
    )
