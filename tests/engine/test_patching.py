"""What if: each part left out, and another text's stream put in, as a whole pass that is changed gives it."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import attribution, patching
from engine.attribution import Question
from engine.errors import LacksError, ReaderError
from engine.families import Change
from engine.families.hooks import first, with_first
from engine.families.torch_model import TorchModel
from tests import every_family, tiny

TEXT = "One day Zorbin Plax met Zorbin"


@pytest.fixture(params=every_family.KINDS)
def model(request):
    return every_family.model(request.param)


def texts(model, places=(3,), length=12):
    """Two texts of so many tokens that differ at these places."""
    one = [model.tokenizer.marker_id, *np.random.default_rng(0).integers(20, 90, length - 1)]
    two = list(one)
    for place in places:
        two[place] = 91 + place
    return [int(i) for i in one], [int(i) for i in two]


def whole(model, both, kind, block=0):
    """All rows of a grid, (R, T)."""
    R, T = patching.rows(model, kind), len(both.first.ids)
    grid = np.full((R, T), np.nan)
    for row, tokens in patching.pieces(model, both, kind):
        grid[row, tokens.start : tokens.stop] = patching.cells(model, both, kind, row, tokens, block).back
    assert not np.isnan(grid).any()
    return grid


# a part left out


def test_what_a_score_loses_is_what_a_whole_pass_without_the_part_loses(model):
    ids = every_family.ids_of(model, TEXT)
    trace = engine.run(model, ids, patching.KEEP)
    a, t = model.architecture, len(ids) - 2
    for against in (None, 9):
        asked = Question(t, a.n_layer, 8, against)
        own = attribution.of_scores(model.logits(ids)[t], asked)
        for block in range(a.n_layer):
            one_head = [Change("head", block, head) for head in range(a.n_head)]
            changes = [Change("attention", block), *one_head, Change("feed-forward", block)]
            expected = [
                own - attribution.of_scores(model.changed(one).logits(ids)[t], asked) for one in changes
            ]
            np.testing.assert_allclose(patching.left_out(model, trace, asked, block), expected, atol=1e-4)


def test_a_loss_is_read_at_the_row_that_is_asked_for(model):
    ids, t = every_family.ids_of(model, TEXT), 4
    trace = engine.run(model, ids, patching.KEEP)
    asked = Question(t, 2, 8)
    without = engine.run(model.changed(Change("attention", 0)), ids)
    expected = attribution.score(model, trace, asked) - attribution.score(model, without, asked)
    assert patching.left_out(model, trace, asked, 0)[0] == pytest.approx(expected, abs=1e-4)


def test_in_the_last_block_that_is_read_the_whole_effect_of_a_feed_forward_layer_is_what_it_wrote(model):
    """No part comes after it; only the norm's scale changes, so that the shares keep their order."""
    trace = engine.run(model, every_family.ids_of(model, TEXT), attribution.keep(model))
    asked = Question(4, model.architecture.n_layer, 8, 9)
    last = model.architecture.n_layer - 1
    without = trace.streams[-1, 4] - trace.feed_forward_added[last, 4]
    scores = engine.lens.readout(model, without[None])[0]
    expected = attribution.score(model, trace, asked) - attribution.of_scores(scores, asked)
    assert patching.left_out(model, trace, asked, last)[-1] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_zeroing_by_hand_in_transformers_gives_the_same_loss(kind):
    model = every_family.model(kind)
    ids = every_family.ids_of(model, TEXT)
    trace = engine.run(model, ids, patching.KEEP)
    D, H = model.architecture.width_of_head, model.architecture.n_head
    asked = Question(len(ids) - 1, model.architecture.n_layer, 8)
    found = patching.left_out(model, trace, asked, 1)

    def scored(change=lambda layer: None):
        other = copy.deepcopy(model.in_transformers())
        change(other.model.layers[1])
        with torch.inference_mode():
            return attribution.of_scores(other(torch.tensor(ids)[None]).logits[0, -1].numpy(), asked)

    def no_attention(layer):
        layer.self_attn.o_proj.weight.data[:] = 0

    def no_head(layer):
        layer.self_attn.o_proj.weight.data[:, (H - 1) * D : H * D] = 0

    def no_feed_forward(layer):
        layer.mlp.down_proj.weight.data[:] = 0

    own = scored()
    assert found[0] == pytest.approx(own - scored(no_attention), abs=1e-3)
    assert found[H] == pytest.approx(own - scored(no_head), abs=1e-3)
    assert found[-1] == pytest.approx(own - scored(no_feed_forward), abs=1e-3)


def test_what_is_given_without_each_head_is_what_a_whole_pass_without_it_gives(model):
    ids = every_family.ids_of(model, TEXT)
    trace, places = engine.run(model, ids, patching.KEEP), [1, 4, len(ids) - 1]
    for block in range(model.architecture.n_layer):
        *_, (share, found) = patching.without_heads(model, trace, block, places)
        assert share == 1
        for head, p in enumerate(found):
            without = model.changed(Change("head", block, head)).surprises(ids)
            np.testing.assert_allclose(p, np.exp(-without)[np.array(places) - 1], atol=2e-6)


# another text's stream put in


def by_hand(model, both, kind, row, token, block=0):
    """A cell as a plain loop has it: the second text's whole pass, in which a hook exchanges one vector."""
    network, m = copy.deepcopy(model.network), model.modules
    one = both.first
    blocks = network.get_submodule(m.blocks)

    def exchange(vector):
        def hook(_module, _inputs, output):
            made = first(output).clone()
            made[0, token] = torch.from_numpy(np.array(vector))
            return with_first(output, made)

        return hook

    def exchange_head(_module, inputs):
        read, D = inputs[0].clone(), model.architecture.width_of_head
        own = slice(row * D, (row + 1) * D)
        read[0, token, own] = torch.from_numpy(np.array(one.gathered[block, token, own]))
        return (read, *inputs[1:])

    if kind == "stream" and row == 0:

        def enter(_module, inputs):
            read = inputs[0].clone()
            read[0, token] = torch.from_numpy(np.array(one.streams[0, token]))
            return (read, *inputs[1:])

        blocks[0].register_forward_pre_hook(enter)
    elif kind == "stream":
        blocks[row - 1].register_forward_hook(exchange(one.streams[row, token]))
    elif kind == "head":
        blocks[block].get_submodule(m.projection).register_forward_pre_hook(exchange_head)
    else:
        name, added = {
            "attention": (m.attention, one.attention_added),
            "feed-forward": (m.feed_forward, one.feed_forward_added),
        }[kind]
        blocks[row].get_submodule(name).register_forward_hook(exchange(added[row, token]))
    with torch.inference_mode():
        ids = torch.tensor(np.array(both.second.ids))[None]
        scores = replace(model, network=network).scores(ids)
    return both.back(scores[0, -1].numpy())


@pytest.mark.parametrize("kind", patching.KINDS)
@pytest.mark.parametrize("places", [(3,), (2, 7)])
def test_a_cell_is_what_a_plain_loop_with_a_cloned_network_gives(model, kind, places):
    if not isinstance(model, TorchModel):
        pytest.skip("it has no modules to hang a hook on; the tests below hold it")
    both = patching.pair(model, *texts(model, places))
    grid = whole(model, both, kind, block=1)
    for row in range(len(grid)):
        for token in (1, 3, 7, 11):
            assert grid[row, token] == pytest.approx(by_hand(model, both, kind, row, token, 1), abs=1e-3)


def test_the_store_s_cells_are_those_of_its_functions_one_by_one():
    model = tiny.model("store")
    both = patching.pair(model, *texts(model, (2, 7)))
    grid, w, s = whole(model, both, "stream"), model.network, model.settings
    f = model.functions
    for row in range(len(grid)):
        for token in range(len(both.first.ids)):
            x = both.second.streams[row].copy()
            x[token] = both.first.streams[row, token]
            for layer in range(row, s["n_layer"]):
                x, _ = f.block(x, f.layer_weights(w, layer), s["n_head"], epsilon=model.epsilon)
            assert grid[row, token] == pytest.approx(both.back(f.unembed(x, w, model.epsilon)[-1]), abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(every_family.KINDS), st.integers(1, 11), st.integers(2, 40))
def test_the_first_row_gives_all_back_at_the_changed_token_and_the_last_at_the_end(kind, place, length):
    model = every_family.model(kind)
    length = (
        min(length, 12) if kind in ("mistral", "qwen2") else length
    )  # with a window the first can be lost
    place = min(place, length - 1)
    both = patching.pair(model, *texts(model, (place,), min(length, model.context)))
    grid = whole(model, both, "stream")
    last = len(both.first.ids) - 1
    expected = np.zeros(last + 1)
    expected[place] = 1
    np.testing.assert_allclose(grid[0], expected, atol=1e-3)
    expected = np.zeros(last + 1)
    expected[last] = 1
    np.testing.assert_allclose(grid[-1], expected, atol=1e-3)
    assert (grid[:, :place] == 0).all()  # what comes before the change is the same in both


def test_a_cell_that_can_t_matter_is_the_second_text_s_own(model):
    both = patching.pair(model, *texts(model))
    found = patching.cells(model, both, "stream", 1, range(0, 3))
    assert (found.back == 0).all()
    scores = both.second.logits[-1]
    assert (scores[found.ids[0]] == np.sort(scores)[::-1][:5]).all()
    assert (np.diff(found.probabilities) <= 0).all()


def test_equal_scores_are_listed_by_their_ids():
    model = tiny.model("sprout")
    both = patching.pair(model, *texts(model))
    levelled = replace(both.second, logits=np.zeros_like(both.second.logits))
    level = patching.Pair(both.first, levelled, both.answers)
    found = patching.cells(model, level, "stream", 1, range(0, 2))
    assert found.ids.tolist() == [[0, 1, 2, 3, 4]] * 2


def test_the_answers_are_those_that_each_text_makes_likelier(model):
    both = patching.pair(model, *texts(model))
    p, q = (
        torch.from_numpy(np.array(one.logits[-1])).double().softmax(-1) for one in (both.first, both.second)
    )
    assert both.answers == (int((p - q).argmax()), int((q - p).argmax()))
    assert both.back(both.first.logits[-1]) == 1
    assert both.back(both.second.logits[-1]) == 0


def test_texts_that_can_t_be_compared_are_refused_in_a_sentence(model):
    one, two = texts(model)
    with pytest.raises(ReaderError, match=r"has 12 tokens, the second 11: "):
        patching.pair(model, one, two[:-1])
    with pytest.raises(ReaderError, match="are the same"):
        patching.pair(model, one, one)
    with pytest.raises(ReaderError, match="Choose two other answers"):
        patching.pair(model, one, two, (7, 7))
    with pytest.raises(ReaderError, match="An answer is a token from 0"):
        patching.pair(model, one, two, (7, 10**6))


def test_a_text_of_one_token_and_one_that_fills_the_model_are_run(model):
    both = patching.pair(model, [5], [6])
    np.testing.assert_allclose(whole(model, both, "stream"), 1, atol=1e-3)
    one, two = texts(model, (model.context - 2,), model.context)
    both = patching.pair(model, one, two)
    assert whole(model, both, "stream")[0, -2] == pytest.approx(1, abs=1e-3)


def test_a_whole_pass_from_the_middle_is_the_pass(model):
    trace = engine.run(model, every_family.ids_of(model, TEXT))
    for row in range(model.architecture.n_layer + 1):
        ends = model.onward(np.stack([trace.streams[row]] * 2), row)
        np.testing.assert_allclose(ends, np.stack([trace.streams[-1]] * 2), atol=1e-4, rtol=1e-4)
        np.testing.assert_array_equal(model.onward(trace.streams[row][None], row, row)[0], trace.streams[row])


def test_a_pass_from_the_middle_leaves_no_hook_behind(model):
    if not isinstance(model, TorchModel):
        pytest.skip("it has no hooks")
    trace = engine.run(model, [1, 2, 3])
    model.onward(trace.streams[1][None], 1)
    modules = list(model.network.modules())
    assert not any(one._forward_hooks or one._forward_pre_hooks for one in modules)


def test_a_changed_model_stays_changed_from_the_middle():
    model = tiny.model("sprout").changed(Change("head", 2, 1))
    trace = engine.run(model, [1, 2, 3, 4])
    np.testing.assert_allclose(model.onward(trace.streams[1][None], 1)[0], trace.streams[-1], atol=1e-4)


def test_a_model_that_can_t_begin_in_the_middle_says_so(model):
    for ask in (
        lambda: engine.families.Model.onward(model, np.zeros((1, 1, 1)), 0),
        lambda: engine.families.Model.fed(model, 0, np.zeros((1, 1))),
    ):
        with pytest.raises(LacksError, match=r"here\.$"):
            ask()


def test_a_grid_is_cut_into_few_pieces_however_long_the_texts_are():
    model = engine.load("sprout")
    one, two = texts(model, (3,), 512)
    both = patching.Pair(
        *(replace(engine.run(model, [1, 2]), ids=np.array(ids)) for ids in (one, two)), (1, 2)
    )
    for kind in patching.KINDS:
        found = list(patching.pieces(model, both, kind))
        assert len(found) <= 1_100
        cells = [(row, token) for row, tokens in found for token in tokens]
        assert len(cells) == len(set(cells)) == patching.rows(model, kind) * 512


def test_work_tells_how_far_it_is():
    model = tiny.model("sprout")
    both = patching.pair(model, *texts(model))
    *steps, (last, found) = patching.putting_in(model, both, "stream", 1, range(12))
    assert all(0 <= share < 1 and nothing is None for share, nothing in steps)
    assert last == 1
    assert len(found.back) == 12
