"""A count as a table: every matrix and vector, the parts they belong to, and their sum."""

from collections import Counter
from dataclasses import dataclass
from math import prod

from engine.counting.architecture import Architecture

PARTS = {
    "embedding": "Embedding",
    "positions": "Positions",
    "attention": "Attention",
    "feed_forward": "Feed-forward",
    "norms": "Norms",
    "output": "Output layer",
}


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

    def __getitem__(self, name):
        """A part or a row by its id."""
        return {**{row.id: row for row in self.rows}, **{part.id: part for part in self.parts}}[name]

    def __contains__(self, name):
        return name in {row.id for row in self.rows} | {row.part for row in self.rows}


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
