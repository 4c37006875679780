"""Is a model run as it was trained?  A wrong detail raises no error; it shows in what is made of texts.

other_settings.py reads the same texts as declared and with one detail changed after the other; weights.py
looks through the weights and the stream; reference.py holds a pass against numbers that were made elsewhere.
"""

from engine.doctor.other_settings import (
    GAIN,
    SURE,
    Compared,
    alternatives,
    compare,
    perplexity,
    reading,
    rows,
)
from engine.doctor.reference import Apart, hold
from engine.doctor.reference import read as read_reference
from engine.doctor.weights import FLOAT16, Broken, Sizes, broken_weights, stream_sizes

__all__ = [
    "FLOAT16",
    "GAIN",
    "SURE",
    "Apart",
    "Broken",
    "Compared",
    "Sizes",
    "alternatives",
    "broken_weights",
    "compare",
    "hold",
    "perplexity",
    "read_reference",
    "reading",
    "rows",
    "stream_sizes",
]
