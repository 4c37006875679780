"""Bars that the reader drags to say what will come out, before looking."""

from ui import choice, sent, web
from views import bars

_component = web.component("guess_bars")


def show(caption, names, guesses, even, key, on_change):
    """Draw the bars -> the guesses, whole numbers from 0 to 100 along the scale of views.bars."""
    state_key = f"guess-bars-{key}"

    def moved():
        on_change(_clean(sent.reported(state_key, "guesses"), guesses))

    _component(
        data={
            "caption": caption,
            "names": names,
            "guesses": guesses,
            "even": bars.place(even),
            "high": bars.HIGH,
            "key": f"Dashed: even guessing among {even:,} tokens. The arrow keys work too.",
        },
        key=state_key,
        on_guesses_change=moved,
    )


def _clean(raw, old):
    """What came from the browser, if it is what the component sends."""
    if not isinstance(raw, list) or len(raw) != len(old):
        return old
    found = [sent.read(one, choice.number(0, 100, float)) for one in raw]
    return old if None in found else [int(one) for one in found]


def value(at):
    """A place from 0 to 100 -> the perplexity there."""
    return bars.HIGH ** (at / 100)
