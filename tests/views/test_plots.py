"""Labels in plots show what they are given; tables come out whole."""

import csv
import html
import io
from itertools import pairwise

from views import plots
from views.columns import csv_text


def test_no_label_is_taken_for_a_tag_or_a_formula():
    odd = "<b>$x$</b> &amp; <br> $y$"
    shown = plots.escape(odd)
    assert not set("<>$") & set(shown)
    assert html.unescape(shown) == odd


def test_every_mark_has_a_colour_for_both_themes():
    assert plots.colour("attention") != plots.colour("attention", dark=True)
    assert plots.colour("quiet") != plots.colour("quiet", dark=True)


def test_a_csv_reads_back_as_it_was():
    columns = {"token": ['a,"b"', "line\nend", "<b>"], "number": [0.1, -2.5e-9, 3]}
    rows = list(csv.reader(io.StringIO(csv_text(columns))))
    assert rows[0] == list(columns)
    assert [row[0] for row in rows[1:]] == columns["token"]
    assert [float(row[1]) for row in rows[1:]] == columns["number"]


def test_models_next_to_each_other_in_the_list_look_unlike():
    looks = [plots.look(place) for place in range(12)]
    for one, other in pairwise(looks):
        assert one["line"]["color"] != other["line"]["color"]
        assert one["line"]["dash"] != other["line"]["dash"]
        assert one["marker"]["symbol"] != other["marker"]["symbol"]
    assert plots.look(0, dark=True) != looks[0]
