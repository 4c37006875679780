"""How alike vectors are, in tables and words: what the later blocks meet, and what keeps places apart."""

import numpy as np

from views.numbers import counted

FAR = 0.2  # a cosine lower by as much: unlike what is known
APART = 0.05  # a cosine higher by less is not called more alike


def cosine(x):
    """A cosine with two digits, with more where two would make it 1; nan: a dash."""
    if np.isnan(x):
        return "–"
    for digits in range(2, 6):
        said = f"{x:.{digits}f}"
        if abs(float(said)) < 1 or abs(x) >= 1:
            break
    return "0.00" if said == "-0.00" else said.replace("-", "−")


def met_rows(met):
    """What follows a left-out block, beside what follows it as trained, as the rows of a table."""
    return [
        (f"without block {n}", reader(n, len(met.trained)), cosine(trained), cosine(without))
        for n, (trained, without) in enumerate(zip(met.trained, met.without, strict=True), start=1)
    ]


def reader(block, blocks):
    """What reads the stream that leaves a block; both from 1."""
    return f"block {block + 1}" if block < blocks else "the final norm"


def met_said(met, texts, worst=None):
    """What the cosines show.  texts: how many are known; worst: the block, from 1, that is missed most."""
    gaps = met.trained - met.without
    far = int(gaps.argmax())
    n, next_one = far + 1, reader(far + 1, len(gaps))
    said = [
        f"The widest gap is that of the stream without block {n}: what {next_one} then reads has, on "
        f"average, a cosine of {cosine(met.without[far])} to the most similar of "
        f"{counted(met.known, 'vector')} from {counted(texts, 'other text')}, against "
        f"{cosine(met.trained[far])} as trained."
    ]
    if gaps[far] < FAR:
        return [*said, "Nowhere does what follows meet vectors very unlike those it knows."]
    both = ", the block that is missed most," if worst == n else ""
    said.append(
        f"So what is lost without block {n}{both} may not be its own work alone: {next_one} gets vectors "
        "unlike those that it reads as trained."
    )
    near = [i + 1 for i in range(len(gaps)) if gaps[i] < FAR]
    if near:
        blocks = f"block {near[0]}" if len(near) == 1 else f"one of the blocks {', '.join(map(str, near))}"
        said.append(f"Without {blocks} the cosine falls by less than {FAR:g}.")
    return said


def stacked_head(blocks):
    """The head of the table of places."""
    return "put together", "embedding", *(f"block {n}" for n in range(1, blocks + 1))


def stacked_rows(found):
    """How alike places are after every block, as the rows of a table.  found: {name: (L+1,)}"""
    return [(name, *map(cosine, alike)) for name, alike in found.items()]


def _told_apart(last):
    """Whether every part left out makes places more alike, by a figure to speak of, and all of them most."""
    trained, alone = last["as trained"], last["attention alone"]
    fewer = [value for name, value in last.items() if name not in ("as trained", "attention alone")]
    shown = max(fewer) < alone and cosine(max(fewer)) != cosine(alone)
    return shown and min(fewer) - trained >= APART


def stacked_said(found):
    """What keeps places apart, as far as the cosines after the last block show it; [] for a single token."""
    last = {name: float(alike[-1]) for name, alike in found.items()}
    if any(map(np.isnan, last.values())):
        return []
    listed = ", ".join(f"{name} {cosine(value)}" for name, value in last.items())
    said = [f"Mean cosine between two different places after the last block: {listed}."]
    if _told_apart(last):
        said.append(
            "Attention mixes the places, and alone it makes them most alike; the skip connections and the "
            "feed-forward layers, which treat every place by itself, keep them apart (Dong et al. 2021)."
        )
    return said
