"""Every matrix and vector of a decoder-only transformer, from its settings alone.

The letters are those of engine/counting/architecture.py.
"""

from collections.abc import Callable, Iterator
from typing import Any

from engine.counting.architecture import Architecture, doubled, to_architecture
from engine.counting.possible import problems
from engine.counting.table import Row, Table
from engine.errors import ReaderError

MakeRow = Callable[..., Row]


def count_parameters(settings: Any) -> Table:
    """The parameters of a model, by matrix and by part -> Table.

    settings: an Architecture, an engine.model.Settings, a config.json of ours (a dict with its
    model_type), or the name of one of our models.  Raises ReaderError for settings that no model can have.
    """
    architecture = to_architecture(settings)
    found = problems(architecture)
    if found:
        raise ReaderError(" ".join(found))
    return Table(architecture, tuple(rows(architecture)))


def twice(table: Table) -> Table:
    """The count of the model twice as wide, which may be beyond LIMITS.  See doubled()."""
    wide = doubled(table.architecture)
    return Table(wide, tuple(rows(wide)))


def rows(a: Architecture) -> Iterator[Row]:
    """Every matrix and vector of the model, in the order of the forward pass."""
    numbers = {
        "V": a.vocab_size, "d": a.d_model, "L": a.n_layer, "H": a.n_head, "K": a.kv_heads,
        "D": a.width_of_head, "F": a.d_ff, "P": a.context + a.spare_positions, "Y": a.n_label,
        "E": a.n_expert, "A": a.n_active, "M": a.expert_width, "S": a.n_shared, "L₀": a.n_dense,
        "Lₑ": a.n_sparse, "Q": a.query_rank, "C": a.latent, "R": a.rope_width,
        "N": a.width_of_head - a.rope_width, "U": a.value_width,
    }  # fmt: skip

    def row(name: str, part: str, title: str, *sides: str, times: str = "L") -> Row:
        return Row(name, part, title, sides, times, numbers)

    yield row("embedding.matrix", "embedding", "token embedding", "V", "d", times="")
    if a.positions == "learned":
        yield row("positions.matrix", "positions", "learned positions", "P", "d", times="")
    yield from _norm(a, row, "norm1", "norm 1" if a.block_norms != "one" else "norm")
    yield from _latent_attention(a, row) if a.latent else _attention(a, row)
    if a.block_norms == "four":
        yield from _norm(a, row, "norm1_after", "norm 1, after")
    if a.block_norms != "one":
        yield from _norm(a, row, "norm2", "norm 2")
    yield from _feed_forward(a, row)
    if a.block_norms == "four":
        yield from _norm(a, row, "norm2_after", "norm 2, after")
    if a.final_norm:
        yield from _norm(a, row, "final_norm", "final norm", times="")
    yield from _output(a, row)


def _norm(a: Architecture, row: MakeRow, name: str, title: str, times: str = "L") -> Iterator[Row]:
    if a.norm != "bare":
        yield row(name, "norms", f"{title}, gain", "d", times=times)
    if a.norm_bias and a.norm != "bare":
        yield row(f"{name}.bias", "norms", f"{title}, bias", "d", times=times)


def _attention(a: Architecture, row: MakeRow) -> Iterator[Row]:
    # Where all heads together are as wide as the stream, that width is d.
    queries = "d" if a.n_head * a.width_of_head == a.d_model else "H·D"
    keys = queries if a.kv_heads == a.n_head else "K·D"
    for name, title, width in (("q", "queries", queries), ("k", "keys", keys), ("v", "values", keys)):
        yield row(name, "attention", f"{title}, W{name}", "d", width)
        if a.qkv_bias:
            yield row(f"{name}.bias", "attention", f"{title}, bias", width)
    yield from _heads(a, row, queries)


def _latent_attention(a: Architecture, row: MakeRow) -> Iterator[Row]:
    """Keys and values by way of C numbers a token, and one rotated key for all heads (DeepSeek 2024)."""
    if a.query_rank:
        yield row("q_down", "attention", "queries, to Q numbers", "d", "Q")
        if a.qkv_bias:
            yield row("q_down.bias", "attention", "queries, bias", "Q")
        yield row("q_down_norm", "attention", "norm of the Q numbers, gain", "Q")
    yield row("q", "attention", "queries, Wq", "Q" if a.query_rank else "d", "H·D")
    yield row("kv_down", "attention", "keys and values, to C numbers", "d", "C")
    if a.rope_width:
        yield row("k_rotated", "attention", "the rotated key of all heads", "d", "R")
    if a.qkv_bias:
        yield row("kv_down.bias", "attention", "keys and values, bias", "C")
        if a.rope_width:
            yield row("k_rotated.bias", "attention", "the rotated key, bias", "R")
    yield row("kv_down_norm", "attention", "norm of the C numbers, gain", "C")
    if a.width_of_head > a.rope_width:
        yield row("k", "attention", "keys, Wk", "C", "H·N")
    yield row("v", "attention", "values, Wv", "C", "H·U")
    yield from _heads(a, row, "H·U")


def _heads(a: Architecture, row: MakeRow, gathered: str) -> Iterator[Row]:
    """What follows queries, keys and values in attention."""
    if a.qk_norm and not a.latent:
        yield row("q_norm", "attention", "QK-norm, gain of the queries", "D")
        yield row("k_norm", "attention", "QK-norm, gain of the keys", "D")
    if a.sinks:
        yield row("sinks", "attention", "sinks, a score for each head", "H")
    yield row("projection", "attention", "output, Wo", gathered, "d")
    if a.projection_bias:
        yield row("projection.bias", "attention", "output, bias", "d")


def _feed_forward(a: Architecture, row: MakeRow) -> Iterator[Row]:
    if not a.n_expert:
        yield from _layer(a, row, "", "feed_forward", "", "F", "L")
        return
    if a.n_dense:
        yield from _layer(a, row, "", "feed_forward", "", "F", "L₀")
    yield row("router", "experts", "router", "d", "E", times="Lₑ")
    if a.router_bias:
        yield row("router.bias", "experts", "router, bias", "E", times="Lₑ")
    yield from _layer(a, row, "experts.", "experts", "experts, ", "M", "Lₑ", ("E",))
    if a.n_shared:
        yield from _layer(a, row, "shared.", "experts", "shared experts, ", "S·M", "Lₑ")


def _layer(
    a: Architecture,
    row: MakeRow,
    prefix: str,
    part: str,
    title: str,
    width: str,
    times: str,
    many: tuple[str, ...] = (),
) -> Iterator[Row]:
    """The two or three matrices of a feed-forward layer.  many: ("E",) for so many layers in one."""
    matrices: tuple[tuple[str, str, str, str], ...]
    if a.gated:
        matrices = (("w1", "gate, W1", "d", width), ("w3", "values let through, W3", "d", width))
    else:
        matrices = (("w1", "in, W1", "d", width),)
    for name, words, near, far in (*matrices, ("w2", "back, W2", width, "d")):
        yield row(prefix + name, part, title + words, *many, near, far, times=times)
        if a.feed_forward_bias:
            what = f"{title}{words.split(',')[0]}, bias"
            yield row(f"{prefix}{name}.bias", part, what, *many, far, times=times)


def _output(a: Architecture, row: MakeRow) -> Iterator[Row]:
    if a.output == "labels":
        yield row("output.matrix", "output", "scores of the labels", "d", "Y", times="")
    elif a.tokens_scored and not a.tied:
        yield row("output.matrix", "output", "output matrix", "d", "V", times="")
    if a.output_bias and a.output != "none":
        yield row("output.bias", "output", "output bias", "V" if a.tokens_scored else "Y", times="")
