"""Every matrix and vector of a decoder-only transformer, from its settings alone.

V vocabulary · d stream width · L blocks · H query heads · K key/value heads · D head width
F feed-forward width · P learned positions
"""

from engine.counting.architecture import doubled, to_architecture
from engine.counting.possible import problems
from engine.counting.table import Row, Table


def count_parameters(settings):
    """The parameters of a model, by matrix and by part -> Table.

    settings: an Architecture, an engine.model.Settings, a config.json of ours (a dict with its
    model_type), or the name of one of our models.  Raises ValueError for settings that no model can have.
    """
    architecture = to_architecture(settings)
    found = problems(architecture)
    if found:
        raise ValueError(" ".join(found))
    return Table(architecture, tuple(rows(architecture)))


def twice(table):
    """The count of the model twice as wide, which may be beyond LIMITS.  See doubled()."""
    wide = doubled(table.architecture)
    return Table(wide, tuple(rows(wide)))


def rows(a):
    """Every matrix and vector of the model, in the order of the forward pass."""
    numbers = {
        "V": a.vocab_size, "d": a.d_model, "L": a.n_layer, "H": a.n_head, "K": a.kv_heads,
        "D": a.width_of_head, "F": a.d_ff, "P": a.context,
    }  # fmt: skip
    # Where all heads together are as wide as the stream, that width is d.
    queries = "d" if a.n_head * a.width_of_head == a.d_model else "H·D"
    keys = queries if a.kv_heads == a.n_head else "K·D"

    def row(name, part, title, *sides, in_blocks=True):
        return Row(name, part, title, sides, in_blocks, numbers)

    yield row("embedding.matrix", "embedding", "token embedding", "V", "d", in_blocks=False)
    if a.positions == "learned":
        yield row("positions.matrix", "positions", "learned positions", "P", "d", in_blocks=False)
    yield from _norm_rows(a, row, "norm1", "norm 1")
    for name, title, width in (("q", "queries", queries), ("k", "keys", keys), ("v", "values", keys)):
        yield row(name, "attention", f"{title}, W{name}", "d", width)
        if a.qkv_bias:
            yield row(f"{name}.bias", "attention", f"{title}, bias", width)
    if a.qk_norm:
        yield row("q_norm", "norms", "QK-norm, gain of the queries", "D")
        yield row("k_norm", "norms", "QK-norm, gain of the keys", "D")
    yield row("projection", "attention", "output, Wo", queries, "d")
    if a.projection_bias:
        yield row("projection.bias", "attention", "output, bias", "d")
    yield from _norm_rows(a, row, "norm2", "norm 2")
    if a.gated:
        matrices = (("w1", "gate, W1", "d", "F"), ("w3", "values let through, W3", "d", "F"))
    else:
        matrices = (("w1", "in, W1", "d", "F"),)
    for name, title, width, height in (*matrices, ("w2", "back, W2", "F", "d")):
        yield row(name, "feed_forward", title, width, height)
        if a.feed_forward_bias:
            yield row(f"{name}.bias", "feed_forward", f"{title.split(',')[0]}, bias", height)
    yield from _norm_rows(a, row, "final_norm", "final norm", in_blocks=False)
    if not a.tied:
        yield row("output.matrix", "output", "output matrix", "d", "V", in_blocks=False)
    if a.output_bias:
        yield row("output.bias", "output", "output bias", "V", in_blocks=False)


def _norm_rows(a, row, name, title, in_blocks=True):
    yield row(name, "norms", f"{title}, gain", "d", in_blocks=in_blocks)
    if a.norm_bias:
        yield row(f"{name}.bias", "norms", f"{title}, bias", "d", in_blocks=in_blocks)
