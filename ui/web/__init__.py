"""How a component reaches the browser: Streamlit takes its markup, style and script each as one text."""

import re
from pathlib import Path

import streamlit as st

UI = Path(__file__).parents[1]
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def component(name, *styles):
    """Register the component of the folder ui/<name> -> the function that mounts it.

    Its files are <name>.html, .css and .js.  styles: files below ui/ that go before its own style, of
    which there may be none.
    """
    own = f"{name}/{name}"
    styles = [*styles, *([f"{own}.css"] if (UI / f"{own}.css").exists() else [])]
    return st.components.v2.component(
        name, html=text(f"{own}.html"), css=text(*styles), js=script(f"{own}.js")
    )


def text(*names):
    """The text of files below ui/, one after the other."""
    return "\n".join((UI / name).read_text(encoding="utf-8") for name in names)


def script(name):
    """A module below ui/ with all modules that it imports, as one module without imports.

    Each module comes once, after those it imports, closed off so that only what it exports is seen.
    Raises ValueError where that would not mean the same: a renamed import, another kind of export, a
    default export other than the asked module's own.
    """
    order = _ordered(UI / name)
    known = {path: f"module{number}" for number, path in enumerate(order)}
    return "\n".join([*(_closed(path, known) for path in order[:-1]), _own(order[-1], known)])


def _ordered(path, before=()):
    """The module and all it imports, each once, what is imported first.  Circles are refused."""
    if path in before:
        raise ValueError(f"{path.name} imports itself.")
    found = {}
    for _, imported in _IMPORT.findall(path.read_text(encoding="utf-8")):
        found |= dict.fromkeys(_ordered((path.parent / imported).resolve(), (*before, path)))
    return [*found, path]


def _closed(path, known):
    """A module as an object of what it exports."""
    source = _joined(path, known)
    exported = ", ".join(_EXPORT.findall(source))
    bare = _EXPORT.sub("", source)
    _refuse(path, _LEFT.search(bare))
    return f"const {known[path]} = (() => {{\n{bare}return {{ {exported} }};\n}})();"


def _own(path, known):
    """The asked module, with its default export."""
    bare = _EXPORT.sub("", _joined(path, known))
    found = _LEFT.search(bare)
    default = found and found[0].startswith("export default ")
    _refuse(path, _LEFT.search(bare, found.end()) if default else found)
    return bare


def _joined(path, known):
    """A module's text, its imports taken from the modules before it."""
    source = path.read_text(encoding="utf-8")
    for found in _IMPORT.finditer(source):
        _refuse(path, " as " in found[1] and found)
    return _IMPORT.sub(lambda one: f"const {one[1]} = {known[(path.parent / one[2]).resolve()]};\n", source)


def _refuse(path, found):
    if found:
        raise ValueError(f"{path.name}: {found[0].strip()!r} can't be put into one module.")
