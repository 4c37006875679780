"""Tables and sentences of the parameters page."""

import csv
import io
import re

import pytest

from engine.counting import count_parameters, tensors, to_architecture
from engine.counting.published import BY_ID
from engine.timing import Timed
from views import costs, parameters, timing
from views.tables import table

MODELS = ("gpt-1", "store", "gpt2", "qwen3-0.6b", "llama-2-7b")


def counted(name):
    return count_parameters(BY_ID[name].architecture)


def column(html, number):
    """The whole numbers of a table's column, the total in its foot last."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)[1:]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)[number] for row in rows]
    return [int(cell.split("<")[0].replace(",", "")) for cell in cells]


@pytest.mark.parametrize("name", MODELS)
def test_the_lines_on_screen_sum_to_the_total(name):
    for html, number in (
        (parameters.parts_table(counted(name)), 1),
        (parameters.rows_table(counted(name)), 1),
    ):
        *lines, total = column(html, number)
        assert sum(lines) == total == counted(name).total


@pytest.mark.parametrize("name", MODELS)
def test_the_csv_sums_to_the_total(name):
    *rows, last = csv.DictReader(io.StringIO(parameters.as_csv(counted(name))))
    assert sum(int(row["parameters"]) for row in rows) == int(last["parameters"]) == counted(name).total


@pytest.mark.parametrize("name", MODELS)
def test_the_treemaps_areas_are_the_counts(name):
    drawn = parameters.treemap(counted(name)).data[0]
    by_parent = {}
    for own, parent, value in zip(drawn.ids, drawn.parents, drawn.values, strict=True):
        by_parent.setdefault(parent, []).append((own, value))
    assert sum(value for _, value in by_parent["all"]) == counted(name).total
    for part, value in by_parent["all"]:
        if part in by_parent:
            assert sum(inner for _, inner in by_parent[part]) == value


def test_the_bars_hold_every_part_of_both_models():
    named = {"one": counted("gpt2"), "two": counted("llama-2-7b")}
    whole = [sum(bar.x[i] for bar in parameters.bars(named).data) for i in (0, 1)]
    assert whole == [124_439_808, 6_738_415_616]
    shares = [sum(bar.x[i] for bar in parameters.bars(named, as_shares=True).data) for i in (0, 1)]
    assert shares == pytest.approx([1, 1])


def test_a_share_is_never_rounded_to_nothing():
    assert parameters.share(1, 10_000_000) == "< 0.1 %"
    assert parameters.share(0, 10) == "0 %"
    assert parameters.share(8, 10) == "80.0 %"


def test_the_letter_of_a_matrix_is_set_low():
    html = parameters.rows_table(counted("qwen3-0.6b"))
    assert all(f"W<sub>{letter}</sub>" in html for letter in "qkvo13")
    assert not re.search(r"W[a-z\d]\b", html)
    labels = parameters.treemap(counted("qwen3-0.6b")).data[0].labels
    assert "queries, W<sub>q</sub>" in labels


def test_cells_are_escaped():
    shown = table("<i>", ["<b>"], [["<script>"]], foot=["&"])
    assert not re.search(r"<(i|b|script)>", shown)
    assert "&amp;" in shown


def test_a_file_that_differs_is_said_to():
    check = tensors.Check("norm 1, gain", "norms", "blocks.0.norm1.gain", 1, 128, 256)
    assert "NOT EQUAL" in parameters.checks_table([check])


@pytest.mark.parametrize(
    ("shown", "number"),
    [("999 bytes", 999), ("69.2 MB", 69_236_224), ("13.5 GB", 13_476_831_232), ("2.00 PB", 2e15)],
)
def test_sizes(shown, number):
    assert costs.size(number) == shown


@pytest.mark.parametrize(
    ("shown", "number"),
    [
        ("5.00 milliseconds", 0.005),
        ("90.0 seconds", 90),
        ("2.00 hours", 7200),
        ("3.00 years", 3 * 31_557_600),
    ],
)
def test_durations(shown, number):
    assert costs.duration(number) == shown


@pytest.mark.parametrize(("shown", "number"), [("20.51 G", 20_509_999_999), ("5.45 × 10²¹", 5.45e21)])
def test_amounts(shown, number):
    assert costs.amount(number) == shown


def test_the_cost_notice_says_which_way_the_estimate_is_off():
    short, *_ = costs.cost_notice(to_architecture("sprout"), 1)
    long, *_ = costs.cost_notice(to_architecture("sprout"), 100_000)
    assert "within 1 %" in short
    assert "too low" in long
    untied, *_ = costs.cost_notice(BY_ID["pythia-70m"].architecture, 1)
    assert "too high" in untied
    assert "input embedding too" in untied
    assert "4 times smaller" in list(costs.cost_notice(BY_ID["llama-3-8b"].architecture, 1))[1]


def test_the_growth_is_worked_out_from_the_times():
    parts = ("attention", "feed_forward", "output")
    measured = [
        Timed(n, dict(zip(parts, times, strict=True)), 9)
        for n, times in ((16, (1, 1, 1)), (512, (900, 30, 33)))
    ]
    assert "attention takes 900 times" in timing.growth(measured)
    drawn = timing.shares_figure(measured, [one.shares for one in measured])
    assert [list(line.y) for line in drawn.data[::2]] == [list(line.y) for line in drawn.data[1::2]]
    assert sum(line.y[1] for line in drawn.data[::2]) == pytest.approx(1)
