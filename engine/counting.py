"""Count the parameters of a decoder-only transformer, part by part, from its settings alone.

V vocabulary · d stream width · L blocks · H query heads · K key/value heads · D head width
F feed-forward width · P learned positions
"""

from collections import Counter
from dataclasses import dataclass, fields, replace
from math import prod

from engine import presets

LIMITS = {  # the largest settings that are counted; far beyond any model there is
    "vocab_size": 10_000_000, "d_model": 200_000, "n_layer": 2_000, "n_head": 4_096, "n_kv_head": 4_096,
    "head_width": 100_000, "d_ff": 2_000_000, "context": 100_000_000,
}  # fmt: skip
LETTERS = {
    "vocab_size": "V", "d_model": "d", "n_layer": "L", "n_head": "H", "n_kv_head": "K", "head_width": "D",
    "d_ff": "F", "context": "P",
}  # fmt: skip
NORMS = {"rms": "RMSNorm", "layer": "LayerNorm"}
POSITIONS = {"rotary": "rotary (RoPE)", "learned": "learned"}


@dataclass(frozen=True)
class Architecture:
    """Everything a count depends on.  The defaults are Sprout's."""

    vocab_size: int = 8192
    d_model: int = 384
    n_layer: int = 8
    n_head: int = 6
    d_ff: int = 1024
    n_kv_head: int | None = None  # None: as many as query heads
    head_width: int | None = None  # None: d / H
    context: int = 512  # the longest text; learned positions are counted, rotary ones have no parameters
    positions: str = "rotary"  # a key of POSITIONS
    gated: bool = True  # three feed-forward matrices, not two
    norm: str = "rms"  # a key of NORMS
    norm_bias: bool = False
    qk_norm: bool = True  # one gain of a head's width for all queries of a block, one for its keys
    qkv_bias: bool = False
    projection_bias: bool = False  # of attention's output matrix
    feed_forward_bias: bool = False
    output_bias: bool = False
    tied: bool = True  # the output layer is the embedding

    @property
    def kv_heads(self):
        """K, resolved."""
        return self.n_head if self.n_kv_head is None else self.n_kv_head

    @property
    def width_of_head(self):
        """D, resolved; rounded down where d / H is not whole, which problems() reports."""
        return self.d_model // self.n_head if self.head_width is None else self.head_width


@dataclass(frozen=True)
class Row:
    """One matrix or vector: its sides in letters, and how often the model holds it.

    sides: ("d", "H·D") for a matrix, ("d",) for a vector; numbers: what the letters stand for.
    """

    id: str
    part: str
    title: str
    sides: tuple
    in_blocks: bool
    numbers: dict

    @property
    def shape(self):
        """The sides as numbers."""
        return tuple(_value(side, self.numbers) for side in self.sides)

    @property
    def each(self):
        """Parameters of one copy."""
        return prod(self.shape)

    @property
    def copies(self):
        """How often the model holds it: L, or 1."""
        return self.numbers["L"] if self.in_blocks else 1

    @property
    def count(self):
        """Parameters of all copies."""
        return self.copies * self.each

    @property
    def formula(self):
        """The count in letters: "L × d × H·D"."""
        return formula([self])

    @property
    def filled(self):
        """The same with the numbers filled in."""
        return formula([self], self.numbers)


@dataclass(frozen=True)
class Part:
    """Rows that belong together: what the diagram draws as one part."""

    id: str
    title: str
    rows: tuple

    @property
    def count(self):
        """Parameters of the part in the whole model."""
        return sum(row.count for row in self.rows)

    @property
    def per_block(self):
        """Its parameters in one block; 0 for what stands outside the blocks."""
        return sum(row.each for row in self.rows if row.in_blocks)

    @property
    def formula(self):
        """The count in letters."""
        return formula(self.rows)

    @property
    def filled(self):
        """The same with the numbers filled in."""
        return formula(self.rows, self.rows[0].numbers)


@dataclass(frozen=True)
class Table:
    """The whole count.  rows: every matrix and vector; parts: the same, grouped; they have the same sum."""

    architecture: Architecture
    rows: tuple

    @property
    def parts(self):
        """The parts that have parameters, in the order of the forward pass."""
        found = []
        for part, title in PARTS.items():
            rows = tuple(row for row in self.rows if row.part == part)
            if rows:
                found.append(Part(part, title, rows))
        return tuple(found)

    @property
    def total(self):
        """All parameters, a tied matrix once."""
        return sum(row.count for row in self.rows)

    @property
    def per_block(self):
        """Parameters of one block."""
        return sum(row.each for row in self.rows if row.in_blocks)

    @property
    def blocks(self):
        """Parameters of all blocks together."""
        return sum(row.count for row in self.rows if row.in_blocks)

    @property
    def embedding_share(self):
        """The share of the token embedding (with a separate output matrix, of both), 0 to 1."""
        return sum(self[name].count for name in ("embedding", "output") if name in self) / self.total

    @property
    def tying_saves(self):
        """What one matrix for input and output saves, or would save: V × d."""
        return self.architecture.vocab_size * self.architecture.d_model

    @property
    def doubled(self):
        """The count of the model twice as wide, which may be beyond LIMITS.  See doubled()."""
        return Table(doubled(self.architecture), tuple(_rows(doubled(self.architecture))))

    def __getitem__(self, name):
        """A part or a row by its id."""
        return {**{row.id: row for row in self.rows}, **{part.id: part for part in self.parts}}[name]

    def __contains__(self, name):
        return name in {row.id for row in self.rows} | {row.part for row in self.rows}


PARTS = {
    "embedding": "Embedding",
    "positions": "Positions",
    "attention": "Attention",
    "feed_forward": "Feed-forward",
    "norms": "Norms",
    "output": "Output layer",
}


def count_parameters(settings):
    """The parameters of a model, by matrix and by part -> Table.

    settings: an Architecture, an engine.model.Settings, the store's settings (a dict), or the name
    of one of our models.  Raises ValueError for settings that no model can have.
    """
    architecture = to_architecture(settings)
    found = problems(architecture)
    if found:
        raise ValueError(" ".join(found))
    return Table(architecture, tuple(_rows(architecture)))


def to_architecture(settings):
    """Any of the ways to give settings -> Architecture.  See count_parameters."""
    if isinstance(settings, Architecture):
        return settings
    if isinstance(settings, str):
        if settings not in presets.NAMES:
            raise ValueError(
                f"There is no model named {settings[:40]!r}. They are {', '.join(presets.NAMES)}."
            )
        settings = presets.FAMILY.get(settings, presets.STORE)
    given = settings if isinstance(settings, dict) else vars(settings)
    names = ("vocab_size", "d_model", "n_layer", "n_head", "d_ff", "context")
    # A dict is the store's model, which has no QK-norm, unless it is one of the Sprout family's.
    qk_norm = not isinstance(settings, dict) or settings in presets.FAMILY.values()
    try:
        return Architecture(**{name: given[name] for name in names}, qk_norm=qk_norm)
    except KeyError as missing:
        raise ValueError(f"The settings do not say {missing}.") from None


def problems(architecture):
    """Why no model can have these settings: sentences, each with what would work; empty if it can."""
    a, found = architecture, []
    for name, limit in LIMITS.items():
        value = getattr(a, name)
        if value is None and name in ("n_kv_head", "head_width"):
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= limit:
            given = f"{value:,}" if isinstance(value, (int, float)) and abs(value) < 1e15 else "out of reach"
            found.append(f"{LETTERS[name]} is {given}; it has to be a whole number from 1 to {limit:,}.")
    for name, known in (("norm", NORMS), ("positions", POSITIONS)):
        if getattr(a, name) not in known:
            found.append(f"There is no {name} of this kind; there are {' and '.join(known)}.")
    if found:
        return found
    fixed = nearest(a)
    if a.head_width is None and a.d_model % a.n_head:
        found.append(
            f"A width of {a.d_model:,} can't be shared evenly among {a.n_head:,} heads. "
            f"The nearest width that can is {fixed.d_model:,}."
        )
    elif a.positions == "rotary" and a.width_of_head % 2:
        remedy = (
            f"The nearest stream width that gives an even one is {fixed.d_model:,}."
            if a.head_width is None
            else f"The nearest even head width is {fixed.head_width:,}."
        )
        found.append(
            f"RoPE turns pairs of numbers, so a head's width has to be even; "
            f"it is {a.width_of_head:,}. {remedy}"
        )
    if a.n_head % a.kv_heads:
        found.append(
            f"{a.n_head:,} query heads can't be shared evenly among {a.kv_heads:,} key/value heads. "
            f"The nearest number that divides them is {fixed.n_kv_head:,}."
        )
    return found


def nearest(architecture):
    """The settings nearest to these that a model can have; the same ones where they already work."""
    a = architecture
    bounded = {}
    for name, limit in LIMITS.items():
        value = getattr(a, name)
        if value is not None:
            bounded[name] = min(max(int(value), 1), limit)
    a = replace(a, **bounded)
    if a.norm not in NORMS or a.positions not in POSITIONS:
        a = replace(a, norm="rms", positions="rotary")
    if a.head_width is None:
        step = a.n_head * (2 if a.positions == "rotary" else 1)
        if a.d_model % step:
            times = min((a.d_model + step // 2) // step, LIMITS["d_model"] // step)
            a = replace(a, d_model=max(times, 1) * step)
    elif a.positions == "rotary" and a.head_width % 2:
        a = replace(
            a, head_width=a.head_width + 1 if a.head_width < LIMITS["head_width"] else a.head_width - 1
        )
    if a.n_head % a.kv_heads:
        divisors = [k for k in range(1, a.n_head + 1) if a.n_head % k == 0]
        a = replace(a, n_kv_head=min(divisors, key=lambda k: (abs(k - a.kv_heads), k)))
    return a


def doubled(architecture):
    """The same model twice as wide: d, F and, where it is a setting of its own, D."""
    a = architecture
    width = None if a.head_width is None else 2 * a.head_width
    return replace(a, d_model=2 * a.d_model, d_ff=2 * a.d_ff, head_width=width)


def differences(a, b):
    """The settings in which two architectures differ: {name: (a's, b's)}."""
    pairs = {field.name: (getattr(a, field.name), getattr(b, field.name)) for field in fields(Architecture)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def formula(rows, numbers=None):
    """The sum of rows as text: in letters, or with these numbers filled in.

    Rows of the same sides are taken together: "L × (2 × d² + 2 × d × K × D)".
    """
    inside = _sum([row.sides for row in rows if row.in_blocks], numbers)
    outside = _sum([row.sides for row in rows if not row.in_blocks], numbers)
    terms = []
    if inside:
        several = " + " in inside
        terms.append(f"{_number('L', numbers)} × " + (f"({inside})" if several else inside))
    return " + ".join([*terms, outside] if outside else terms)


def _rows(a):
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


def _value(side, numbers):
    return prod(numbers[letter] for letter in side.split("·"))


def _number(letter, numbers):
    return f"{numbers[letter]:,}" if numbers else letter


def _sum(products, numbers):
    """[("d", "F"), ("F", "d"), ("d", "d")] -> "2 × d × F + d²", in letters or numbers."""
    terms = []
    in_order = [tuple(sorted("·".join(sides).split("·"), key="VPdHKDF".index)) for sides in products]
    for sides, times in Counter(in_order).items():
        letters = Counter(sides)
        factors = [str(times)] if times > 1 else []
        factors += [_number(letter, numbers) + ("²" if n == 2 else "") for letter, n in letters.items()]
        terms.append(" × ".join(factors))
    return " + ".join(terms)
