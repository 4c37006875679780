"""How the code is written: short files, short functions, names that tell, and no model asked by its name."""

import ast
import re
from statistics import median

import pytest

from tests.test_architecture import ROOT, project_files

PRODUCT = ("app.py", "engine", "rooms", "views", "ui", "pages", "training", "bench")
LONGEST = {".py": 400, ".js": 300}  # lines of a file
FUNCTION = 50  # lines
# Words that say of any module of ours what says nothing.
SAYS_NOTHING = {"file", "view", "views", "word", "words"}
BY_NAME = re.compile(r"""[=!]= ["'](store|sprout)["']|isinstance\([^()]*settings, dict""")
MAY_NAME = ("engine/families/", "engine/presets.py", "tests/", "training/")


def files(suffix: str) -> list[str]:
    """The project's files with this suffix, weights and the like left out."""
    return [path.relative_to(ROOT).as_posix() for path in project_files() if path.suffix == suffix]


PYTHON = files(".py")


def parsed(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text("utf-8"))


def functions(names: list[str]) -> list[tuple[int, str]]:
    """(lines, file:name) of every function, methods and nested ones too."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        (node.end_lineno - node.lineno + 1, f"{name}:{node.name}")
        for name in names
        for node in ast.walk(parsed(name))
        if isinstance(node, kinds)
    ]


def renamed(tree: ast.Module) -> list[tuple[str, str]]:
    """(module, alias) for every module of ours that is imported under another name."""
    return [
        (one.name, one.asname)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for one in node.names
        if one.asname and is_module(node.module, one.name)
    ]


def is_module(package: str, name: str) -> bool:
    at = ROOT.joinpath(*package.split("."), name)
    return at.with_suffix(".py").is_file() or (at / "__init__.py").is_file()


def tells(alias: str, module: str) -> bool:
    """Whether a word of the alias is one of the module's, as "cost" is of "costs"."""
    return any(
        mine.startswith(theirs) or theirs.startswith(mine)
        for mine in set(alias.split("_")) - SAYS_NOTHING
        for theirs in set(module.strip("_").split("_")) - SAYS_NOTHING
        if mine and theirs
    )


@pytest.mark.parametrize("suffix", LONGEST)
def test_no_file_is_long(suffix):
    lengths = {name: len((ROOT / name).read_text("utf-8").splitlines()) for name in files(suffix)}
    assert lengths
    assert not {name: n for name, n in lengths.items() if n > LONGEST[suffix]}


def test_no_function_is_long():
    assert not [found for found in functions(PYTHON) if found[0] > FUNCTION]


@pytest.mark.parametrize("whose", [PRODUCT, ("tests",)], ids=["product", "tests"])
def test_most_functions_are_short(whose):
    lengths = [n for n, _ in functions([name for name in PYTHON if name.split("/")[0] in whose])]
    assert len(lengths) > 100
    assert median(lengths) <= 8
    assert sum(n <= 22 for n in lengths) / len(lengths) >= 0.9


def test_no_import_is_excused_line_by_line():
    excuse = "noqa: " + "E402"
    assert not [name for name in PYTHON if excuse in (ROOT / name).read_text("utf-8")]


def test_modules_are_imported_under_names_that_tell():
    assert tells("gate_view", "gate")
    assert not tells("view", "gate_view")
    wrong = [
        f"{name}: {module} as {alias}"
        for name in PYTHON
        for module, alias in renamed(parsed(name))
        if not tells(alias, module)
    ]
    assert not wrong, wrong


def test_no_page_asks_what_a_model_is_called():
    assert BY_NAME.search('if model.name == "store":')
    wrong = [
        f"{name}: {line.strip()}"
        for name in PYTHON
        if not name.startswith(MAY_NAME)
        for line in (ROOT / name).read_text("utf-8").splitlines()
        if BY_NAME.search(line)
    ]
    assert not wrong, wrong
