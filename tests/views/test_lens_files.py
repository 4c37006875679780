"""What is taken away of the lens: every number of every model, one kind of value to a column."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

import engine
from engine.lens import probability_of
from tests import tiny
from views import lens_files

ODD = 'a\tb <b> $x$ 🦊 של "q", =1+1'
NUMBERS = ("position", "input_id", "id_1", "probability_5", "next_id", "next_probability", "next_rank",
           "entropy_nats", "kl_to_output_nats", "followed_id", "followed_probability")  # fmt: skip


def read(kind, follow=None, text=ODD):
    model = tiny.model(kind)
    trace = engine.run(model, text)
    lens = engine.logit_lens(model, trace)
    followed = None if follow is None else probability_of(model, lens, trace.streams, follow)
    return lens_files.Read(model.title, model, trace.ids.tolist(), lens, False, follow, followed)


def cells(reads):
    return list(csv.DictReader(io.StringIO(lens_files.table(reads), newline="")))


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_the_table_holds_every_cell_with_its_ids(kind):
    one = read(kind, follow=3)
    records, lens = cells([one]), one.lens
    R, T, k = lens.ids.shape
    assert len(records) == R * T
    for r, t in ((0, 0), (R - 1, T - 1), (R - 1, T // 2)):
        record = records[r * T + t]
        assert (record["row"], int(record["position"])) == (one.rows[r], t)
        assert [int(record[f"id_{n}"]) for n in range(1, k + 1)] == lens.ids[r, t].tolist()
        assert float(record["probability_1"]) == float(lens.probabilities[r, t, 0])
        assert record["input_token"] == one.label(one.ids[t])
        assert float(record["followed_probability"]) == float(one.followed[r, t])
    assert records[T - 1]["next_id"] == ""


def test_both_compared_models_are_in_the_table():
    reads = [read("sprout"), replace(read("store"), title="Another")]
    records = cells(reads)
    each = [[float(row["entropy_nats"]) for row in records if row["model"] == one.title] for one in reads]
    assert [len(one) for one in each] == [one.lens.entropy.size for one in reads]
    np.testing.assert_array_equal(each[1], reads[1].lens.entropy.ravel())


def test_a_column_of_numbers_holds_numbers_alone():
    for record in cells([read("sprout", follow=2), read("store")]):
        for name in NUMBERS:
            assert record[name] == "" or np.isfinite(float(record[name]))


def test_the_figure_is_plotlys_its_labels_are_text_and_no_grid_lies_on_another():
    import plotly.io

    reads = [read("sprout", text="a a <b>x</b> $y$ &amp;"), read("store", text="a a")]
    figure = plotly.io.from_json(json.dumps(lens_files.figure(reads)))
    for drawn, one in zip(figure.data, reads, strict=True):
        np.testing.assert_allclose(drawn.z, one.lens.probabilities[:, :, 0])
    x, y = figure.layout.xaxis, (figure.layout.yaxis, figure.layout.yaxis2)
    assert len(set(x.tickvals)) == len(reads[0].ids)  # equal words stay columns of their own
    labels = [*x.ticktext, *(one for row in figure.data[0].text for one in row)]
    assert not [label for label in labels if "<" in label or "$" in label]
    assert 0 <= y[1].domain[0] < y[1].domain[1] < y[0].domain[0] < y[0].domain[1] <= 1
