"""What a pass leaves behind: it is what really ran, looking changes nothing, and it can't be changed."""

from dataclasses import FrozenInstanceError, fields
from threading import Thread

import numpy as np
import pytest
import torch
from torch.nn.functional import silu

import engine
from engine import store
from engine.families.hooks import hooked
from engine.trace import EXTRAS, Trace
from tests import tiny
from tests.families import stranger

TEXT = "One day Zorbin Plax found a red ball."
KINDS = ("sprout", "store")


@pytest.fixture(scope="module", params=KINDS)
def model(request):
    return tiny.model(request.param)


@pytest.fixture(scope="module")
def trace(model):
    return engine.run(model, TEXT, keep=EXTRAS)


def plain_logits(model, ids):
    """The scores of a pass that nobody looks at."""
    if model.name == "store":
        return store.forward(ids, model.network, model.settings)
    with torch.inference_mode():
        return model.network(torch.from_numpy(np.array(ids))[None])[0].numpy()


def hooks_of(network):
    return [name for name, module in network.named_modules() if module._forward_hooks]


# looking


def test_looking_changes_nothing(model, trace):
    assert np.array_equal(trace.logits, plain_logits(model, trace.ids))
    assert np.array_equal(trace.logits, engine.run(model, TEXT).logits)
    assert np.array_equal(trace.logits, plain_logits(model, trace.ids))  # nor is anything left behind


def test_no_hook_outlives_a_pass():
    model = tiny.model("sprout")
    engine.run(model, TEXT, keep=EXTRAS)
    assert hooks_of(model.network) == []


def test_no_hook_outlives_an_exception():
    network = tiny.model("sprout").network

    def fail(*_):
        raise RuntimeError("in the middle of a pass")

    watchers = {"embedding": lambda *_: None, "blocks.1": fail}
    with pytest.raises(RuntimeError, match="in the middle"), hooked(network, watchers):
        network(torch.zeros(1, 3, dtype=torch.long))
    assert hooks_of(network) == []


def test_no_hook_outlives_a_wrong_name():
    network = tiny.model("sprout").network
    with pytest.raises(KeyError), hooked(network, {"embedding": print, "no such part": print}):
        pass
    assert hooks_of(network) == []


def test_a_watcher_can_replace_what_a_part_made():
    network = tiny.model("sprout").network
    ids = torch.arange(5)[None]
    with hooked(network, {"blocks.1.feed_forward": lambda _m, _i, made: torch.zeros_like(made)}):
        without = network(ids)
    x = network.embedding(ids)
    for number, block in enumerate(network.blocks):
        x = x + block.attention(block.norm1(x), network.cos[:5], network.sin[:5])
        x = x + (0 if number == 1 else block.feed_forward(block.norm2(x)))
    torch.testing.assert_close(without, network.output(network.final_norm(x)))
    assert not torch.allclose(without, network(ids), atol=1e-2)


def in_a_thread(act):
    """What act() returns, from another thread."""
    made = []
    thread = Thread(target=lambda: made.append(act()))
    thread.start()
    thread.join()
    return made[0]


def test_another_reader_s_pass_is_neither_watched_nor_changed():
    network = tiny.model("sprout").network
    ids = torch.arange(5)[None]
    plain, seen = network(ids), []

    def change(module, inputs, made):
        seen.append(module)
        return made * 0

    with hooked(network, {"blocks.0": change}):
        theirs = in_a_thread(lambda: network(ids))
        assert seen == []
        assert theirs.equal(plain)
        assert not network(ids).equal(plain)
        assert len(seen) == 1


def test_readers_at_the_same_time_each_get_their_own_trace(model):
    texts = [f"Number {i} " + "and so on " * i for i in range(4)]
    alone = [engine.run(model, text, keep=EXTRAS) for text in texts]
    wrong = []

    def read(number):
        for _ in range(25):
            found = engine.run(model, texts[number], keep=EXTRAS)
            for field in fields(Trace):
                one, other = getattr(found, field.name), getattr(alone[number], field.name)
                if not np.array_equal(one, other):
                    wrong.append((number, field.name))

    threads = [Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# what it holds


def test_the_shapes_are_as_documented(model, trace):
    L, H, d, F, V = (
        getattr(model.architecture, n) for n in ("n_layer", "n_head", "d_model", "d_ff", "vocab_size")
    )
    T = len(trace.ids)
    expected = {
        "ids": (T,),
        "streams": (L + 1, T, d),
        "attention_added": (L, T, d),
        "feed_forward_added": (L, T, d),
        "logits": (T, V),
        "attention": (L, H, T, T),
        "gate": (L, T, F),
        "value": (L, T, F),
        "units": (L, T, F),
        "gathered": (L, T, d),
        **dict.fromkeys(("queries", "keys", "raw_queries", "raw_keys", "head_values"), (L, H, T, d // H)),
        "norm1": (L, T, d),
        "norm2": (L, T, d),
    }
    assert {name: getattr(trace, name).shape for name in expected} == expected
    assert {f.name for f in fields(Trace)} == {*expected, "pieces"}
    assert all(getattr(trace, name).dtype == np.float32 for name in expected if name != "ids")
    assert trace.ids.dtype == np.int64


def test_the_stream_is_added_to_and_nothing_else(trace):
    sums = trace.streams[:-1] + trace.attention_added + trace.feed_forward_added
    np.testing.assert_allclose(trace.streams[1:], sums, atol=1e-4, rtol=1e-5)
    assert np.abs(trace.attention_added).mean() > 0.1  # both parts do add something
    assert np.abs(trace.feed_forward_added).mean() > 0.1


def test_the_first_row_is_the_embedding_and_the_last_gives_the_logits(model, trace):
    if model.name == "store":
        table, read = model.network["embedding"], lambda x: store.unembed(x, model.network)
    else:
        network = model.network
        table = network.embedding.weight.numpy()
        read = lambda x: network.output(network.final_norm(torch.from_numpy(x.copy()))).numpy()  # noqa: E731
    assert np.array_equal(trace.streams[0], table[trace.ids])
    np.testing.assert_allclose(trace.logits, read(trace.streams[-1]), atol=1e-5, rtol=1e-5)


def test_attention_is_a_share_of_the_past(trace):
    np.testing.assert_allclose(trace.attention.sum(-1), 1, atol=1e-5)
    assert (trace.attention >= 0).all()
    assert not np.triu(trace.attention, 1).any()
    assert trace.attention.max(-1).mean() < 0.999  # so that the next test means something


def test_weights_times_values_are_what_the_output_matrix_read():
    """The attention that is shown was computed a second time: it must be the one that ran."""
    model = tiny.model("sprout")
    read, made = {}, {}
    L, H, d = 3, 2, 32
    watchers = {f"blocks.{b}.attention.proj": lambda m, i, _o: read.setdefault(m, i[0][0]) for b in range(L)}
    watchers |= {f"blocks.{b}.attention.qkv": lambda m, _i, o: made.setdefault(m, o[0]) for b in range(L)}
    with hooked(model.network, watchers):
        trace = engine.run(model, TEXT, keep=("attention",))
    T = len(trace.ids)
    for block, what_ran, qkv in zip(range(L), read.values(), made.values(), strict=True):
        v = qkv[:, 2 * d :].reshape(T, H, d // H).permute(1, 0, 2).numpy()
        gathered = (trace.attention[block] @ v).swapaxes(0, 1).reshape(T, d)
        np.testing.assert_allclose(gathered, what_ran, atol=2e-5, rtol=1e-4)


def test_the_store_s_attention_is_the_one_that_ran():
    model = tiny.model("store")
    trace = engine.run(model, TEXT, keep=("attention",))
    _, passed = store.run(trace.ids, model.network, model.settings)
    assert np.array_equal(trace.attention, [seen["attention"] for seen in passed])


def test_gate_times_value_is_what_the_feed_forward_layer_made_of(model, trace):
    for block in range(model.architecture.n_layer):
        if model.name == "store":
            back = model.network[f"blocks.{block}.down"]
        else:
            back = model.network.blocks[block].feed_forward.w2.weight.numpy().T
        made = (trace.gate[block] * trace.value[block]) @ back
        np.testing.assert_allclose(made, trace.feed_forward_added[block], atol=1e-4, rtol=1e-4)


def test_the_gate_is_silu_of_its_scores():
    model = tiny.model("sprout")
    trace = engine.run(model, TEXT, keep=("gate",))
    block = model.network.blocks[0]
    between = torch.from_numpy(trace.streams[0] + trace.attention_added[0])
    expected = silu(block.feed_forward.w1(block.norm2(between)))
    np.testing.assert_allclose(trace.gate[0], expected, atol=1e-4, rtol=1e-4)


def test_queries_and_keys_give_the_attention(model, trace):
    """Turned with NumPy's own rotation, which shares no code with PyTorch's."""
    for block, weights in enumerate(trace.attention):
        q, k = trace.queries[block], trace.keys[block]
        D = q.shape[-1]
        for head in range(len(q)):
            scores = store.rope(q[head]) @ store.rope(k[head]).T / np.sqrt(D)
            scores[np.triu_indices(len(scores), 1)] = -np.inf
            np.testing.assert_allclose(store.softmax(scores), weights[head], atol=1e-5)


def test_the_pieces_are_the_tokens_labels(model, trace):
    assert trace.pieces == tuple(model.tokenizer.label(i) for i in trace.ids)
    assert trace.ids[0] == model.tokenizer.marker_id


@pytest.mark.parametrize("extra", EXTRAS)
def test_only_what_was_asked_for_is_kept(model, trace, extra):
    found = engine.run(model, TEXT, keep=(extra,))
    assert [name for name in EXTRAS if getattr(found, name) is not None] == [extra]
    assert np.array_equal(getattr(found, extra), getattr(trace, extra))


def test_a_trace_can_not_be_changed(trace):
    for field in fields(Trace):
        value = getattr(trace, field.name)
        with pytest.raises(FrozenInstanceError):
            setattr(trace, field.name, value)
        if field.name != "pieces":
            with pytest.raises(ValueError, match="read-only"):
                value[(0,) * value.ndim] = 1


def test_a_trace_shares_nothing_with_the_model_or_the_caller(model):
    ids = np.array(model.tokenizer.encode(TEXT))
    trace = engine.run(model, ids, keep=EXTRAS)
    assert ids.flags.writeable
    kept = trace.logits.copy()
    ids[:] = 0
    engine.run(model, "Something else entirely")
    assert np.array_equal(trace.logits, kept)
    assert trace.ids[-1] != 0


# what can be asked


def test_a_text_and_its_ids_are_the_same_question(model, trace):
    for ids in (trace.ids, trace.ids.tolist(), tuple(trace.ids.astype(np.uint16))):
        assert np.array_equal(engine.run(model, ids).logits, trace.logits)


@pytest.mark.parametrize("text", [
    "", " ", "\n", "\x00\x1b", "😀👍🏽", "שלום", "<b>$x$</b>", "<|end|>", "\ud800", "e\u0301",
], ids=ascii)  # fmt: skip
def test_any_short_text_runs(model, text):
    trace = engine.run(model, text, keep=EXTRAS)
    assert len(trace.pieces) == len(trace.ids) == len(model.tokenizer.encode(text))
    for name in ("logits", *EXTRAS):
        assert np.isfinite(getattr(trace, name)).all(), name


def test_the_longest_text_fits_and_one_token_more_does_not(model):
    limit = model.context
    assert len(engine.run(model, [5] * limit).ids) == limit
    with pytest.raises(ValueError, match=rf"^{limit + 1} tokens do not fit: .* at most {limit}\. Shorten"):
        engine.run(model, [5] * (limit + 1))


def test_a_huge_text_is_refused_with_its_size(model):
    text = "word " * 20_000
    with pytest.raises(ValueError, match=f"^{len(model.tokenizer.encode(text))} tokens do not fit"):
        engine.run(model, text)


@pytest.mark.parametrize("ids", [
    [], [[1]], [1.5], [float("nan")], ["a"], [True], None, 5, b"abc", {1: 2}, [2**70],
    [None], np.zeros((0,), int),
], ids=repr)  # fmt: skip
def test_what_is_no_list_of_ids_is_refused(model, ids):
    with pytest.raises(ValueError, match="Ids must be a list of at least one whole number"):
        engine.run(model, ids)


@pytest.mark.parametrize("ids", [
    [-1], [tiny.PIECES], [0, 10**9], np.array([2**63 + 1], np.uint64), [[1], [2, 3]],
], ids=repr)  # fmt: skip
def test_ids_that_are_no_tokens_are_refused(model, ids):
    with pytest.raises(ValueError, match=f"Ids must be (from 0 to {tiny.PIECES - 1}|a list)"):
        engine.run(model, ids)


@pytest.mark.parametrize("keep", [("weights",), ("attention", "values"), "attention"])
def test_an_unknown_extra_is_refused(model, keep):
    with pytest.raises(ValueError, match=r"can be kept; attention, gate, .* can\.$"):
        engine.run(model, TEXT, keep=keep)


@pytest.mark.parametrize("make", [lambda: tiny.model("sprout"), lambda: tiny.model("store"), stranger])
def test_the_last_row_alone_is_the_last_row_of_all(make):
    model = make()
    ids = [3, 5, 8, 5, 3]
    whole = engine.run(model, ids, model.extras)
    last = engine.run(model, ids, model.extras, last=True)
    assert np.array_equal(last.ids, whole.ids)
    for name in ("streams", "attention_added", "feed_forward_added", "logits", *model.extras):
        assert np.array_equal(getattr(last, name), getattr(whole, name)[..., -1:, :]), name
