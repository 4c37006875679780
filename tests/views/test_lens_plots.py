"""The lens's curves hold the measured numbers."""

import numpy as np

from engine.lens import row_names
from views import lens_plots


def test_the_curves_are_the_measured_numbers():
    measured = {"12 texts": np.array([[0.9, 0.5], [0.0, 0.25]]), "this text": np.array([[0.8, 0.4], [0, 1]])}
    figure = lens_plots.confidence(row_names(1), measured)
    assert [list(trace.y) for trace in figure.data] == [[90, 50], [0, 25], [80, 40], [0, 100]]
    assert list(figure.layout.xaxis.ticktext) == ["embedding", "output"]
