"""What travels to the browser is the engine's lens, to the last bit."""

import numpy as np
import pytest

import engine
from engine import weights
from engine.lens import row_keys
from views import lens_grid

ODD = 'tab\there <b>bold</b> $x$ 🦊 שלום <|end|> "quoted", =1+1 а a\r\n'


@pytest.fixture(scope="module", params=weights.available())
def seen(request):
    model = engine.load(request.param)
    trace = engine.run(model, ODD)
    return model, trace, engine.logit_lens(model, trace)


def test_every_array_arrives_bit_by_bit(seen):
    model, trace, lens = seen
    grid = lens_grid.grid(model, trace.ids, lens)
    R, T, k = lens.ids.shape
    for name, kind, shape, array in (
        ("ids", "<u2", (R, T, k), lens.ids),
        ("p", "<f4", (R, T, k), lens.probabilities),
        ("nextP", "<f4", (R, T), lens.next_probability),
        ("rank", "<i4", (R, T), lens.next_rank),
        ("entropy", "<f4", (R, T), lens.entropy),
        ("divergence", "<f4", (R, T), lens.divergence),
    ):
        np.testing.assert_array_equal(lens_grid.unpacked(grid[name], kind, shape), array)


def test_every_id_in_the_grid_has_its_label(seen):
    model, trace, lens = seen
    grid = lens_grid.grid(model, trace.ids, lens)
    used = {int(i) for i in lens.ids.flat} | {int(i) for i in trace.ids}
    assert {i: model.tokenizer.label(i) for i in used} == grid["labels"]
    assert grid["tokens"] == trace.ids.tolist()


def test_the_signature_changes_with_the_text_and_with_nothing_else(seen):
    model, trace, lens = seen
    one, same = (lens_grid.data([lens_grid.grid(model, trace.ids, lens)])["sig"] for _ in range(2))
    shorter = engine.run(model, trace.ids[:-1])
    other = lens_grid.grid(model, shorter.ids, engine.logit_lens(model, shorter))
    assert one == same != lens_grid.data([other])["sig"]


@pytest.mark.parametrize(
    "raw", ["", "1", "x.1", "1.x", "1.-1", "1.2.3", "²3.1", "1.²", "aa.1", "99999.1", "1.99999"]
)
def test_a_cell_that_makes_no_sense_is_refused(raw):
    with pytest.raises(ValueError):  # noqa: PT011  what is raised is shown in our own words
        lens_grid.read_cell(raw)


def test_a_cell_fits_or_gives_way():
    keys = row_keys(4)
    assert lens_grid.fitting("3.7", keys, 8, "4.1") == "3.7"
    assert lens_grid.fitting("3.8", keys, 8, "4.1") == "4.1"
    assert lens_grid.fitting("3a.7", keys, 8, "4.1") == "3.7"
    assert lens_grid.fitting("3a.7", row_keys(4, within=True), 8, "4.1") == "3a.7"
    assert lens_grid.fitting("8.7", keys, 8, "4.1") == "4.7"


def test_the_first_cell_is_in_the_output_and_in_sight(seen):
    model, _, lens = seen
    keys = row_keys(model.architecture.n_layer)
    key, column = lens_grid.first_cell(lens, keys).split(".")
    assert key == keys[-1]
    assert 0 <= int(column) <= 8


def test_a_text_of_the_marker_alone_has_a_first_cell():
    model = engine.load(weights.available()[0])
    lens = engine.logit_lens(model, engine.run(model, ""))
    assert lens_grid.first_cell(lens, row_keys(model.architecture.n_layer)).endswith(".0")


def test_ids_beyond_sixteen_bits_arrive_as_they_are():
    ids = np.array([[[70_000, 3]], [[151_935, 65_536]]])
    kind = lens_grid._kind(ids)
    back = lens_grid.unpacked(lens_grid._packed(ids, kind), kind, ids.shape)
    np.testing.assert_array_equal(back, ids)
    assert lens_grid._kind(np.array([65_535])) == "<u2"
