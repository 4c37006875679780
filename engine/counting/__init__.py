"""Counting parameters: a model's settings -> every matrix, the parts and the total.

architecture.py holds the settings, possible.py tells which no model can have, rows.py writes down every
matrix, table.py sums them.  published.py has the settings of known models.  config_json.py reads them from
a file: config_text.py takes it in, families.py and family.py know what the families call them, and
config_lines.py tells what depends on each line.  tensors.py holds a count against the tensors of a file,
costs.py tells what a model costs.
"""

from engine.counting.architecture import (
    KINDS,
    LETTERS,
    LIMITS,
    MAY_BE_ABSENT,
    MAY_BE_ZERO,
    NORMS,
    POSITIONS,
    Architecture,
    differences,
    doubled,
    to_architecture,
)
from engine.counting.possible import nearest, problems
from engine.counting.rows import count_parameters, twice
from engine.counting.table import PARTS, Part, Row, Table, formula

__all__ = [
    "KINDS", "LETTERS", "LIMITS", "MAY_BE_ABSENT", "MAY_BE_ZERO", "NORMS", "PARTS", "POSITIONS",
    "Architecture", "Part", "Row", "Table", "count_parameters", "differences", "doubled", "formula",
    "nearest", "problems", "to_architecture", "twice",
]  # fmt: skip
