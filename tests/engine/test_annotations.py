"""A notebook that imports the engine is told by its editor what every function takes and gives."""

import ast
import importlib.util
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Readers are shown these two whole and line by line, on a phone too: there the letters of the docstrings,
# "(T, d) -> (T, V)", say more than types would, which can't name a shape.
PLAIN = {"engine/model.py", "engine/store.py"}
FILES = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "engine").rglob("*.py"))]


def public(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef, bool]]:
    """(dotted name, function, whether it is a method) of a module's public functions and methods."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name, node, False
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for one in node.body:
                if isinstance(one, ast.FunctionDef) and (one.name[0] != "_" or one.name.endswith("__")):
                    yield f"{node.name}.{one.name}", one, True


def lacking(text: str) -> list[str]:
    """What has no type in a module's public functions: "name: argument", or "name: ->"."""
    found = []
    for name, node, is_method in public(ast.parse(text)):
        a = node.args
        taken = [*a.posonlyargs, *a.args, *a.kwonlyargs, *(one for one in (a.vararg, a.kwarg) if one)]
        bound = is_method and "staticmethod" not in map(ast.unparse, node.decorator_list)
        found += [f"{name}: {one.arg}" for one in taken[bound:] if one.annotation is None]
        found += [f"{name}: ->"] if node.returns is None else []
    return found


@pytest.mark.parametrize("file", [file for file in FILES if file not in PLAIN])
def test_every_public_function_says_what_it_takes_and_gives(file):
    assert lacking((ROOT / file).read_text(encoding="utf-8")) == []


def test_the_two_files_that_are_read_whole_stay_plain_and_short():
    assert set(FILES) >= PLAIN
    for file in PLAIN:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert lacking(text)  # the day they are annotated, they leave this list
        assert len(text.splitlines()) < 200


def test_what_lacks_a_type_is_found():
    text = "def f(a: int, *b, c=1): ...\nclass C:\n    def g(self, x: int) -> int: ...\ndef _h(x): ..."
    assert lacking(text) == ["f: c", "f: b", "f: ->"]


def test_the_checker_reads_the_whole_engine():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert settings["packages"] == ["engine", "rooms"]
    assert settings["disallow_untyped_defs"]
    free = [o["module"] for o in settings["overrides"] if o.get("disallow_untyped_defs") is False]
    assert free == [sorted(file.removesuffix(".py").replace("/", ".") for file in PLAIN)]


def test_the_engine_is_marked_as_typed():
    assert (Path(importlib.util.find_spec("engine").origin).parent / "py.typed").is_file()
