"""Which lines of the running code each part of a model is: found in the syntax tree, never stored.

A part is written down as what to look for: a definition by its dotted name ("Attention"), or, after a
colon, the statements in it that contain a piece of text ("Attention.forward: self.qkv(").  Finding
them reads the file only; no model is imported for it.  The file of an opened checkpoint is the installed
transformers library's own.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata, util
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from engine import families, presets
from engine.errors import ReaderError
from engine.families import lines
from engine.families.checkpoints import lines as library_lines
from engine.one_at_a_time import PARSING
from engine.syntax import STRAIGHT, definitions, first, matching, ranges, straight

ROOT = Path(__file__).parent.parent
FILES = {
    **{family: file for family, (file, _) in (lines.FAMILIES | library_lines.FAMILIES).items()},
    "counting": "engine/counting/rows.py",
    "lens": "engine/lens.py",
    "rotation": "engine/rope.py",
    "norms": "engine/norms.py",
    "gates": "engine/gate.py",
    "growth": "engine/stream.py",
    "attribution": "engine/attribution.py",
    "patching": "engine/patching.py",
    "precision": "engine/precision.py",
    "tiny": "engine/tiny_training.py",
    "guessing": "engine/guessing.py",
}
_LIBRARY = "transformers/"  # what files of the library's begin with
# Parts in a file of their own.
_ELSEWHERE = {**lines.ELSEWHERE, "total": "engine/counting/table.py"}
SHOWN = {  # the files a reader can read whole
    "engine/model.py": "Sprout, gpt-4 and gpt-1",
    "engine/store.py": "The store's model",
    "engine/tokenizer.py": "The tokenizer",
    "engine/generation.py": "Writing on",
    "engine/families/hooks.py": "How a pass is watched",
}


class SourceError(ReaderError):
    """Lines that can't be shown, because they are not there or are not what is running."""


@dataclass(frozen=True)
class Part:
    """One part of a model and the lines it is made of."""

    id: str
    title: str
    file: str  # from the project's folder
    lines: tuple[tuple[int, int], ...]  # ((first, last), …), from 1, both ends included, in order
    text: str  # these lines as they stand, pieces parted by an empty line


_COUNTING = {
    "rows": (
        "Every matrix and vector",
        "rows",
        "_norm",
        "_attention",
        "_heads",
        "_latent_attention",
        "_feed_forward",
        "_layer",
        "_output",
    ),
    "total": ("Their sum", "Row.each", "Row.count", "Table.total"),
}

_LENS = {
    "reading": ("Each row read as if it were the last", "readout", "_read"),
    "lens": ("Row by row", "logit_lens"),
}
# What the pages of parts compute beside a model's own pass.
_BESIDE = {
    "rotation": {
        "speeds": ("How fast each pair turns", "speeds", "wavelengths"),
        "turn": ("A vector turned", "speeds", "pairs", "turn"),
        "score": ("A score of two turned vectors", "score"),
        "score_at": ("The score at a distance", "score_at"),
        "learned": ("A vector for each position", "learned_tables", "score_learned"),
    },
    "norms": {
        "by_hand": ("Both norms by hand", "rms", "rms_norm", "layer_norm", "by_hand"),
        "sizes": ("The size of every vector", "rms", "sizes"),
        "gains": ("The gains", "gains"),
    },
    "gates": {
        "curve": ("Three functions", "silu", "relu", "gelu"),
        "units": ("Gate times value", "products", "most_active"),
        "shut": ("Nearly shut, and why", "NEARLY_SHUT", "nearly_shut", "scores", "why_shut"),
        "driving": ("The texts that drive a unit", "products", "peaks", "driving"),
        "width": ("Both widths", "widths"),
    },
    "attribution": {
        "direct": ("A score as a sum", "Reading.direction", "reading", "output_direction", "direct"),
    },
    "patching": {
        "left_out": ("A part left out", "leaving_out", "without_each"),
        "cells": ("Another text's stream put in", "Pair.back", "putting_in", "exchanged"),
    },
    "growth": {"measure": ("What is measured of the stream", "measure")},
    "precision": {
        "rounding": ("Rounding", "rounded", "outliers", "rounded_stream"),
        "passes": ("The passes with rounding", "readings", "runner"),
    },
    "tiny": {
        "learn": ("The loop that trains", "repeated", "learn"),
        "look": ("What is measured on the way", "look"),
    },
    "guessing": {
        "worth": ("What votes are worth", "share", "nats"),
        "matched": ("A typed word as a piece", "matched"),
        "decoys": ("The decoys", "candidates"),
    },
}
_TABLES = {
    **_BESIDE,
    **{family: table for family, (_, table) in (lines.FAMILIES | library_lines.FAMILIES).items()},
    "counting": _COUNTING,
    "lens": _LENS,
}


def system_of(name: str) -> str:
    """The system a model's name belongs to, whose file runs it; a system is its own.  Raises SourceError."""
    family = families.family_of(name) or name
    if family in _TABLES:
        return family
    raise SourceError(f"There is no source for {str(name)[:40]!r}; there is for {', '.join(presets.NAMES)}.")


def parts(name: str) -> dict[str, Part]:
    """A model's or a system's name -> {id: Part}, in the order of the pass.

    Raises SourceError when a file on disk is not the code that is running, or lacks a part.
    """
    system = system_of(name)
    return {part_id: _part(system, part_id) for part_id in _TABLES[system]}


def text_of(file: str) -> str:
    """A file whole, as it stands on disk, checked to be the code that is running.

    file: from the project's folder, such as "engine/model.py", or "transformers/…" of the library's.
    Raises SourceError.
    """
    try:
        text = (_library() if file.startswith(_LIBRARY) else ROOT).joinpath(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file} can't be read ({error}), so no lines are shown.") from error
    module = sys.modules.get(file.removesuffix(".py").replace("/", "."))
    # While another thread is still importing a module there is nothing to compare yet.
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        changed = _changed(text, module, module.__file__)
        if changed:
            raise SourceError(
                f"{file} was changed on disk after it was loaded: {changed} is not the code that is running. "
                "Restart the app to run the new code, or restore the file."
            )
    return text


@cache
def _library() -> Path:
    """The folder that holds the transformers library; importing it would take long."""
    found = util.find_spec("transformers")
    if found is None or found.origin is None:
        raise SourceError("The transformers library is not installed, so its lines can't be shown.")
    return Path(found.origin).parent.parent


def named(file: str) -> str:
    """A file as a page names it: one of the library's with the version that is installed."""
    if not file.startswith(_LIBRARY):
        return file
    return f"transformers {metadata.version('transformers')}: {file.removeprefix(_LIBRARY)}"


def outline(file: str) -> list[tuple[str, int, int, str]]:
    """The definitions of a file in order, for a table of contents: [(dotted name, first, last, duty)].

    duty: the first sentence of its docstring, or "".
    """
    found = []
    for name, node in definitions(_tree(text_of(file), file)).items():
        if not isinstance(node, ast.Assign):
            words = (ast.get_docstring(node) or "").split("\n\n")[0]
            found.append((name, first(node), node.end_lineno, " ".join(words.split())))
    return found


def _part(system: str, part_id: str) -> Part:
    title, *wanted = _TABLES[system][part_id]
    elsewhere = _ELSEWHERE | (library_lines.ELSEWHERE if system in library_lines.FAMILIES else {})
    file = elsewhere.get(part_id, FILES[system])
    return _found(part_id, title, file, tuple(wanted), text_of(file))


@lru_cache(maxsize=256)
def _found(part_id: str, title: str, file: str, wanted: tuple[str, ...], text: str) -> Part:
    tree, rows = _tree(text, file), text.splitlines()
    defined = definitions(tree)
    numbers: set[int] = set()
    for one in wanted:
        name, _, fragment = one.partition(": ")
        nodes = [defined[name]] if name in defined else []
        if fragment == STRAIGHT:
            numbers |= {number for node in nodes for number in straight(node, rows)}
        elif fragment:
            nodes = matching(nodes, fragment, rows)
        if not nodes:
            raise SourceError(f"{file} has no {one!r} any more, which the part {title!r} is made of.")
        for node in nodes if fragment != STRAIGHT else ():
            numbers |= set(range(first(node, rows), node.end_lineno + 1))
    lines = ranges(numbers)
    pieces = ["\n".join(rows[start - 1 : end]) for start, end in lines]
    return Part(part_id, title, file, lines, "\n\n".join(pieces) + "\n")


@lru_cache(maxsize=16)
def _tree(text: str, file: str) -> ast.Module:
    try:
        with PARSING:
            return ast.parse(text)
    except SyntaxError as error:
        raise SourceError(
            f"{file} is not valid Python (line {error.lineno}), so no lines are shown."
        ) from error


@lru_cache(maxsize=16)
def _changed(text: str, module: ModuleType, path: str) -> str | None:
    """The name of something in the text that is not what the module runs, or None.

    Functions are compared as compiled code, down to the line and column of every instruction; the
    defaults of their arguments, and plain constants, by value.
    """
    try:
        with PARSING:
            compiled = compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}"
    on_disk = {code.co_qualname: code for code in _functions(compiled)}
    running = dict(_running(module, path))
    for name in [*on_disk, *running]:
        if name not in on_disk or name not in running or running[name].__code__ != on_disk[name]:
            return name
    for name, node in definitions(_tree(text, path)).items():
        if isinstance(node, ast.FunctionDef) and name in running:
            wanted = [_value(d) for d in node.args.defaults]
            wanted_by_name = [_value(d) for d in node.args.kw_defaults if d is not None]
            function = running[name]
            had = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
            pairs = zip([*wanted, *wanted_by_name], had, strict=False)
            if len(had) != len(wanted) + len(wanted_by_name) or any(_differs(*pair) for pair in pairs):
                return f"a default of {name}"
        if isinstance(node, ast.Assign) and _differs(_value(node.value), vars(module).get(name)):
            return name
        if isinstance(node, ast.ClassDef):
            held = vars(vars(module)[name])
            for field, value in _fields(node).items():
                if _differs(value, held.get(field)):
                    return f"{name}.{field}"
    return None


def _fields(node: ast.ClassDef) -> dict[str, Any]:
    """The annotated fields of a class that have a default -> {name: its value}."""
    fields = [f for f in node.body if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)]
    return {f.target.id: _value(f.value) for f in fields if f.value is not None}  # type: ignore[union-attr]


_UNKNOWN = object()


def _value(node: ast.expr) -> Any:
    """A literal's value; _UNKNOWN for anything that is computed."""
    try:
        return ast.literal_eval(node)  # of a node: nothing is parsed
    except ValueError:
        return _UNKNOWN


def _differs(wanted: Any, had: Any) -> bool:
    return wanted is not _UNKNOWN and (type(wanted) is not type(had) or wanted != had)


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The compiled functions and methods of a module, those inside others left to the others."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & 2:  # CO_NEWLOCALS: a function, not a class body
                if not constant.co_name.startswith("<"):
                    yield constant
            else:
                yield from _functions(constant)


def _running(module: ModuleType, path: str) -> Iterator[tuple[str, Any]]:
    """(dotted name, function) of every function and method of a module that was compiled from this file."""

    def unwrapped(thing: Any) -> Any:
        thing = getattr(thing, "func", thing) if not isinstance(thing, property) else thing.fget
        thing = getattr(thing, "__func__", thing)  # a class method
        while hasattr(thing, "__wrapped__"):
            thing = thing.__wrapped__
        return thing

    spaces: list[tuple[str, Any]] = [("", vars(module))]
    spaces += [
        (f"{name}.", vars(thing))
        for name, thing in vars(module).items()
        if isinstance(thing, type) and thing.__module__ == module.__name__
    ]
    for prefix, space in spaces:
        for name, thing in list(space.items()):
            function = unwrapped(thing)
            code = getattr(function, "__code__", None)
            # What a dataclass writes for itself was compiled from no file.
            if isinstance(code, CodeType) and code.co_filename == path:
                yield prefix + name, function
