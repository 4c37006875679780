"""The visual language: one colour for one thing on every page, in light and in dark.

Each pair is (on white, on near-black).  Text colours reach 4.5:1 on their background; the hues
keep apart under the three common colour-vision deficiencies (Wong 2011).
"""

STREAM = ("#1f2430", "#e8e6df")
ATTENTION = ("#00796b", "#4dc8b4")
FEED_FORWARD = ("#b34a00", "#f2a057")
NORM = ("#5f6673", "#a3abb8")
EMBEDDING = ("#1f5fae", "#82b6f5")  # and output
TIE = ("#8a6d00", "#e5c84a")
ACCENT = ("#b3206b", "#ff7db8")  # the chosen token, block, head
RIGHT = ("#1f2430", "#ffffff")  # the frame of a right answer

BY_NAME = {
    "stream": STREAM, "attention": ATTENTION, "feed-forward": FEED_FORWARD, "norm": NORM,
    "embedding": EMBEDDING, "tie": TIE, "accent": ACCENT, "right": RIGHT,
}  # fmt: skip

# Probability: one perceptual ramp from pale to deep, black text below INK_FLIPS and white from there on.
RAMP = ("#f7fbff", "#d3e4f3", "#9ecae1", "#5ba3cf", "#2f7ebc", "#135fa7", "#08306b")
INK_FLIPS = 0.69  # where black and white are equally legible, both above 4.5:1

# The frame of a right answer, in any cell and on any page: its rings from the edge inwards, in px.
FRAME = (("#ffffff", 1), ("#000000", 2), ("#ffffff", 1))


def css():
    """The marks as CSS variables: --mark-attention and so on, each light or dark as the page is.

    light-dark() follows the page's color-scheme, which Streamlit sets with its theme, and is
    inherited by components.
    """
    marks = "".join(f"--mark-{name}: light-dark({pair[0]}, {pair[1]});" for name, pair in BY_NAME.items())
    steps = "".join(f"--ramp-{i}: {colour};" for i, colour in enumerate(RAMP))
    return f":root {{{marks}{steps}}}"


def ramp(p):
    """A probability from 0 to 1 -> its colour, "#rrggbb"."""
    place = min(max(float(p), 0.0), 1.0) * (len(RAMP) - 1)
    low = min(int(place), len(RAMP) - 2)
    share = place - low
    pair = [[int(RAMP[low + k][i : i + 2], 16) for i in (1, 3, 5)] for k in (0, 1)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*pair, strict=True))


def scale():
    """The ramp as a Plotly colour scale."""
    return [[i / (len(RAMP) - 1), colour] for i, colour in enumerate(RAMP)]
