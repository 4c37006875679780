"""The lens's figures hold the measured numbers, and labels as text."""

import json

import numpy as np

import engine
from engine.lens import row_names
from engine.weights import available
from views import lens_plots


def test_the_curves_are_the_measured_numbers():
    measured = {"12 texts": np.array([[0.9, 0.5], [0.0, 0.25]]), "this text": np.array([[0.8, 0.4], [0, 1]])}
    figure = lens_plots.confidence(row_names(1), measured)
    assert [list(trace.y) for trace in figure.data] == [[90, 50], [0, 25], [80, 40], [0, 100]]
    assert list(figure.layout.xaxis.ticktext) == ["embedding", "output"]


def test_the_figure_to_keep_is_plotlys_and_its_labels_are_text():
    import plotly.io

    model = engine.load(available()[0])
    trace = engine.run(model, "a a <b>x</b> $y$ &amp;")
    lens = engine.logit_lens(model, trace)
    figure = plotly.io.from_json(json.dumps(lens_plots.heatmap(model, trace.ids, lens)))
    np.testing.assert_allclose(figure.data[0].z, lens.probabilities[:, :, 0])
    assert len(set(figure.layout.xaxis.tickvals)) == len(trace.ids)  # equal words stay columns of their own
    labels = [*figure.layout.xaxis.ticktext, *(one for row in figure.data[0].text for one in row)]
    assert not [label for label in labels if "<" in label or "$" in label]
