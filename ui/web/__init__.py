"""How a component reaches the browser: Streamlit takes its markup, style and script each as one text."""

import re
from pathlib import Path

import streamlit as st

UI = Path(__file__).parents[1]
_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function|class) )", re.MULTILINE)
_NAME = re.compile(r"^(?:async )?(?:const|let|function|class) (\w+)", re.MULTILINE)
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

    Each module comes once, after those it imports; what they export stands beside each other.  Raises
    ValueError where that would not mean the same: a renamed import, a name that two modules have, a
    default export other than the asked module's own.
    """
    order = _ordered(UI / name)
    parts = [_bare(path, asked=path == order[-1]) for path in order]
    names = [found for part in parts for found in _NAME.findall(part)]
    twice = {one for one in names if names.count(one) > 1}
    if twice:
        raise ValueError(f"{name}: more than one module has the name {', '.join(sorted(twice))}.")
    return "\n".join(parts)


def _ordered(path, before=()):
    """The module and all it imports, each once, what is imported first.  Circles are refused."""
    if path in before:
        raise ValueError(f"{path.name} imports itself.")
    found = {}
    for imported in _IMPORT.findall(path.read_text(encoding="utf-8")):
        found |= dict.fromkeys(_ordered((path.parent / imported).resolve(), (*before, path)))
    return [*found, path]


def _bare(path, asked):
    """A module's text without imports and exports, but for the asked module's default."""
    source = path.read_text(encoding="utf-8")
    renamed = [found[0] for found in _IMPORT.finditer(source) if " as " in found[0]]
    bare = _EXPORT.sub("", _IMPORT.sub("", source))
    left = [found[0] for found in _LEFT.finditer(bare)]
    if asked and left and left[0].startswith("export default "):
        left = left[1:]
    if renamed or left:
        raise ValueError(f"{path.name}: {(renamed + left)[0].strip()!r} can't be put into one module.")
    return bare
