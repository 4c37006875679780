"""Definitions and statements in the syntax tree of a Python file, and the lines they stand on."""

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

STRAIGHT = "without branches"  # asks for a definition but for what stands under its ifs


def straight(node: Any, rows: Sequence[str]) -> Iterator[int]:
    """The lines of a definition but for what stands under its ifs, decorators and docstring included."""
    left_out = {
        number
        for one in ast.walk(node)
        if isinstance(one, ast.If)
        for number in range((one.test.end_lineno or 0) + 1, (one.end_lineno or 0) + 1)
    }
    return (number for number in range(first(node, rows), node.end_lineno + 1) if number not in left_out)


def matching(nodes: Sequence[Any], fragment: str, rows: Sequence[str]) -> list[Any]:
    """The statements in definitions that contain a piece of text; with "#2" at its end, the second alone."""
    words, _, number = re.fullmatch(r"(.*?)( #(\d))?", fragment).groups()  # type: ignore[union-attr]
    found = [s for node in nodes for s in _statements(node) if words in _head(s, rows)]
    found.sort(key=lambda statement: statement.lineno)
    return found[int(number) - 1 : int(number)] if number else found


def definitions(tree: ast.Module) -> dict[str, Any]:
    """{dotted name: node} of the functions, classes, their methods, and the constants of a file."""
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{m.name}": m for m in node.body if isinstance(m, ast.FunctionDef)}
    return found


def _statements(node: ast.AST) -> list[Any]:
    """Every statement inside a definition, docstrings left out."""
    inside = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and n is not node]
    return [n for n in inside if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]


def _head(node: Any, rows: Sequence[str]) -> str:
    """The text of a statement; of one that holds others, the lines before these."""
    last = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
    return "\n".join(rows[node.lineno - 1 : max(last, node.lineno)])


def first(node: Any, rows: Sequence[str] = ()) -> int:
    """The line a node starts on, with its decorators and, inside a function, the comment above it."""
    line = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    while rows and node.col_offset and line > 1 and rows[line - 2].lstrip().startswith("#"):
        line -= 1
    return line


def ranges(numbers: Collection[int]) -> tuple[tuple[int, int], ...]:
    """{3, 4, 5, 9} -> ((3, 5), (9, 9))"""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return tuple((first, last) for first, last in found)
