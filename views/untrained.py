"""The lens of a model before its training, beside the trained one's."""

import math

from views.numbers import counted, figure, percent, probability
from views.tables import table

NEAR = 0.1  # of what context adds after training: below it, a model is called nearly a bigram model

TOO_SHORT = "A single token has none after it: type some text."


def no_start(title):
    """What is said in the place of the figure for a model whose beginning is not known."""
    return f"With which weights {title} began is not in the file that runs, so there is nothing to compare."


def rows_table(start, trained, names):
    """HTML: by row, what the top candidate is before and after training.  start, trained: Measured."""
    rows = [[name, _cell(start, row), _cell(trained, row)] for row, name in enumerate(names)]
    return table(
        "The top candidate, before and after training", ["row", "untrained", "trained"], rows, (1, 2)
    )


def _cell(one, row):
    """The mean probability, and below it how often the candidate is right, or the token itself."""
    right, own = percent(one.right[row]), percent(one.echoes[row])
    return probability(one.sure[row]), f"right in {right}, itself in {own}"


def sentences(start, trained, vocabulary, seeds):
    """What the measurement says: the loss, what is on top, how far that is from the token's alone."""
    even = math.log(vocabulary)
    own = f"In {percent(start.echoes[-1])} of the columns an untrained output has the token itself on top"
    why = (
        ": it compares the vector with the embedding, where it came from." if start.echoes[-1] > 0.5 else "."
    )
    said = [
        f"Before training the loss on this text is {start.nats:.2f} nats a token, where even guessing among "
        f"{vocabulary:,} tokens costs {even:.2f}; after it, {trained.nats:.2f} (before: the mean of "
        f"{counted(seeds, 'start')}).",
        own + why,
        f"On average it lies {figure(start.apart)} nats from what the token by itself would give; after "
        f"training, {figure(trained.apart)}.",
    ]
    if start.apart < NEAR * trained.apart:
        said.append("So it begins near a bigram model, in which the token that stands there decides alone.")
    return said
