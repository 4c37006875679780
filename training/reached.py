"""Write what the shipped weights reached into training/README.md: python -m training.reached

Everything below the heading "What was reached" is made anew from the results and logs beside the weights.
"""

from pathlib import Path

from engine import presets, records
from training.card import share

README = Path(__file__).with_name("README.md")
HEADING = "## What was reached\n"
# Goals: at most so many nats a token on held-out tinystories; a name's second mention, from and to.
STORIES = {"gpt-1": (2.60, 0, 0.10), "gpt-4": (2.00, 0.90, 1), "sprout": (1.70, 0.95, 1)}
PERPLEXITY = 20  # of the store's model, at most
GOALS = """\
Goals: gpt-1 at most 2.60 nats a token on held-out tinystories and under 10 % at a name's second mention;
gpt-4 at most 2.00 and at least 90 %; Sprout at most 1.70 and at least 95 %; the store at most a perplexity
of 20.

`python -m training.reached` wrote what follows, from the files beside the weights. “64 of them”: those that
the log is measured on. Our own texts (`texts/`) were written in the manner of the corpora.
"""
HEAD = """\
| | tokens | held-out tinystories (64 of them) | our stories | name, second mention (first) | goals |
| --- | --- | --- | --- | --- | --- |
"""


def section():
    """The section as the files beside the weights have it."""
    rows = "".join(_row(name, records.read(name)) for name in presets.FAMILY)
    return f"{HEADING}\n{GOALS}\n{HEAD}{rows}\n{_store(records.read('store'))}"


def _row(name, found):
    results, copied = found.results, found.results["copying"]
    nats = results["held_out"]["tinystories"]["nats"]
    cells = (
        presets.TITLES[name],
        f"{found.manifest['tokens_seen'] / 1e6:.1f} M",
        f"{nats:.3f} ({found.log[-1]['held_out_nats']:.3f})",
        f"{results['own_texts']['nats']:.3f}",
        f"{share(copied['second'])} ({share(copied['first'])})",
        short_of(name, nats, copied["second"]),
    )
    return f"| {' | '.join(cells)} |\n"


def short_of(name, nats, copied):
    """What a story model lacks of its goals."""
    most, low, high = STORIES[name]
    missed = [f"{nats - most:.3f} nats short"] if nats > most else []
    if not low <= copied <= high:
        missed.append(f"{share(copied)} is outside {share(low)} to {share(high)}")
    return ", ".join(missed) or "reached"


def _store(found):
    held, own = found.results["held_out"]["products"], found.results["own_texts"]
    how = "so its goal is reached" if held["perplexity"] <= PERPLEXITY else "so its goal is not reached"
    return (
        f"The store's model, {found.manifest['tokens_seen'] / 1e6:.1f} M tokens: perplexity "
        f"{held['perplexity']:.1f} on held-out products, {how}, and {own['perplexity']:.1f} on our own.\n"
    )


def written(text):
    """The README's text with the section made anew."""
    return text[: text.index(HEADING)] + section()


if __name__ == "__main__":
    README.write_text(written(README.read_text("utf-8")), encoding="utf-8")
