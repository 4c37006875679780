"""A count as a table: every matrix and vector, the parts they belong to, and their sum."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from engine.counting.architecture import Architecture

PARTS = {
    "embedding": "Embedding",
    "positions": "Positions",
    "attention": "Attention",
    "feed_forward": "Feed-forward",
    "experts": "Experts",
    "norms": "Norms",
    "output": "Output layer",
}


# In formulas, what stands first; the sides of a matrix are sorted by it.
_ORDER = ("V", "P", "d", "H", "K", "D", "F", "Y", "E", "M", "S", "Q", "C", "R", "N", "U")


_WIDTHS = set("dFDMQCRNU")


@dataclass(frozen=True)
class Row:
    """One matrix or vector: its sides in letters, and how often the model holds it.

    sides: ("d", "H·D") for a matrix, ("d",) for a vector, ("E", "d", "M") for the matrices of all experts;
    times: the letter for the blocks that hold it ("L", "L₀", "Lₑ"), or "" outside the blocks;
    numbers: what the letters stand for.
    """

    id: str
    part: str
    title: str
    sides: tuple[str, ...]
    times: str
    numbers: dict[str, int]

    @property
    def in_blocks(self) -> bool:
        """Whether it stands in blocks."""
        return bool(self.times)

    @property
    def is_matrix(self) -> bool:
        """Whether it is multiplied with, and not only added or scaled by."""
        return len(self.sides) > 1 and not self.id.endswith(".bias")

    @property
    def shape(self) -> tuple[int, ...]:
        """The sides as numbers."""
        return tuple(_value(side, self.numbers) for side in self.sides)

    @property
    def each(self) -> int:
        """Parameters of one copy."""
        return prod(self.shape)

    @property
    def copies(self) -> int:
        """How often the model holds it: once in each of its blocks, or once."""
        return self.numbers[self.times] if self.in_blocks else 1

    @property
    def count(self) -> int:
        """Parameters of all copies."""
        return self.copies * self.each

    @property
    def growth(self) -> int:
        """How many times as many numbers it holds when every width is doubled: 1, 2 or 4."""
        return 2 ** sum(bool(_WIDTHS & set(side.split("·"))) for side in self.sides)

    @property
    def active(self) -> int:
        """Parameters that work for one token: of the experts only the A that it passes."""
        if not self.id.startswith("experts."):
            return self.count
        return self.count // self.numbers["E"] * self.numbers["A"]

    @property
    def formula(self) -> str:
        """The count in letters: "L × d × H·D"."""
        return formula([self])

    @property
    def filled(self) -> str:
        """The same with the numbers filled in."""
        return formula([self], self.numbers)


@dataclass(frozen=True)
class Part:
    """Rows that belong together: what the diagram draws as one part."""

    id: str
    title: str
    rows: tuple[Row, ...]

    @property
    def count(self) -> int:
        """Parameters of the part in the whole model."""
        return sum(row.count for row in self.rows)

    @property
    def per_block(self) -> int:
        """Its parameters in one block that holds it; 0 for what stands outside the blocks."""
        return sum(row.each for row in self.rows if row.in_blocks)

    @property
    def formula(self) -> str:
        """The count in letters."""
        return formula(self.rows)

    @property
    def filled(self) -> str:
        """The same with the numbers filled in."""
        return formula(self.rows, self.rows[0].numbers)


@dataclass(frozen=True)
class Table:
    """The whole count.  rows: every matrix and vector; parts: the same, grouped; they have the same sum."""

    architecture: Architecture
    rows: tuple[Row, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that have parameters, in the order of the forward pass."""
        found = []
        for part, title in PARTS.items():
            rows = tuple(row for row in self.rows if row.part == part)
            if rows:
                found.append(Part(part, title, rows))
        return tuple(found)

    @property
    def total(self) -> int:
        """All parameters, a tied matrix once."""
        return sum(row.count for row in self.rows)

    @property
    def active(self) -> int:
        """Those that work for one token: all but the experts it does not pass; the embedding whole."""
        return sum(row.active for row in self.rows)

    @property
    def per_block(self) -> int:
        """Parameters of one block; where only some have experts, of one that has."""
        return sum(row.each for row in self.rows if row.times in ("L", "Lₑ"))

    @property
    def blocks(self) -> int:
        """Parameters of all blocks together."""
        return sum(row.count for row in self.rows if row.in_blocks)

    @property
    def embedding_share(self) -> float:
        """The share of the token embedding (with a separate output matrix, of both), 0 to 1."""
        return sum(self[name].count for name in ("embedding", "output") if name in self) / self.total

    @property
    def tying_saves(self) -> int:
        """What one matrix for input and output saves, or would save: V × d.  0 without scores of tokens."""
        a = self.architecture
        return a.vocab_size * a.d_model if a.tokens_scored else 0

    def __getitem__(self, name: str) -> Any:
        """A part or a row by its id."""
        return {**{row.id: row for row in self.rows}, **{part.id: part for part in self.parts}}[name]

    def __contains__(self, name: object) -> bool:
        return name in {row.id for row in self.rows} | {row.part for row in self.rows}


def formula(rows: Sequence[Row], numbers: dict[str, int] | None = None) -> str:
    """The sum of rows as text: in letters, or with these numbers filled in.

    Rows of the same sides are taken together: "L × (2 × d² + 2 × d × K × D)".
    """
    terms = []
    for times in ("L", "L₀", "Lₑ", ""):
        inside = _sum([row.sides for row in rows if row.times == times], numbers)
        if inside and times:
            several = " + " in inside
            inside = f"{_number(times, numbers)} × " + (f"({inside})" if several else inside)
        terms += [inside] if inside else []
    return " + ".join(terms)


def _value(side: str, numbers: dict[str, int]) -> int:
    return prod(numbers[letter] for letter in side.split("·"))


def _number(letter: str, numbers: dict[str, int] | None) -> str:
    return f"{numbers[letter]:,}" if numbers else letter


def _sum(products: list[tuple[str, ...]], numbers: dict[str, int] | None) -> str:
    """[("d", "F"), ("F", "d"), ("d", "d")] -> "2 × d × F + d²", in letters or numbers."""
    terms = []
    in_order = [tuple(sorted("·".join(sides).split("·"), key=_ORDER.index)) for sides in products]
    for sides, times in Counter(in_order).items():
        letters = Counter(sides)
        factors = [str(times)] if times > 1 else []
        factors += [_number(letter, numbers) + ("²" if n == 2 else "") for letter, n in letters.items()]
        terms.append(" × ".join(factors))
    return " + ".join(terms)
