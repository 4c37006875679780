"""All that a page says, and what is wrong with it whatever it is about."""

import html
import re

from tests.pages.reader import data_of

# Keys of what components are given that hold no prose: code, the reader's own pieces, drawings.
_NOT_PROSE = {
    "text", "rows", "files", "pieces", "picture", "tokens", "labels", "frame", "grids", "outline", "values",
    "ramp", "weights", "ids", "next", "vocabulary",
}  # fmt: skip
_NOUNS = {
    one: {
        "box": "boxes",
        "guess": "guesses",
        "matrix": "matrices",
        "query": "queries",
        "story": "stories",
    }.get(one, one + "s")
    for one in (
        "block box candidate column dimension gate guess head key layer letter matrix model number pair "
        "parameter part piece place position product query row story text token unit vector weight word"
    ).split()
}
_BETWEEN = r"(?:(?:other|more|right|wrong|nearly \w+|different|new|real|hidden|whole|further) )?"
_LONE = r"(?<![\w.,⁻−·×/=~-])"  # where a number begins
_PLURAL_OF_ONE = re.compile(rf"(\w*)[ -]?{_LONE}1 {_BETWEEN}(?:{'|'.join(_NOUNS.values())})\b")
# "block 1 tokens" is no count of tokens: the number belongs to the word before it.
_NUMBERED = {*_NOUNS, "step", "norm", "seed", "gpt", "question", "rank", "row", "at", "m", "n", "a", "is"}
_WRONG = {
    "a singular of many": rf"{_LONE}(?:[2-9]|[1-9]\d+|\d+,\d+) (?:{'|'.join(_NOUNS)})\b(?![-'’])",
    "a share rounded to none or all": r"[-−+]0(?:\.0+)? ?%|(?<![\d.])0\.0+ ?%|\b100\.0+ ?%",
    "a number as Python writes it": (
        r"\b(?:nan|NaN|inf|Infinity|None(?! [a-z])|undefined)\b|\bnp\.|\d[eE][-+]?\d|array\(|dtype"
    ),
    "spaces or stops doubled": (
        r"[^\s|.]  +[^\s|]|\.\s+\.|(?<!\.)\.\.(?![.,])| [.,;](?=\s|$)|,,|(?<!\w)\(\s*\)|“”"
    ),
    "a sentence without words": r"^[\s.,;:]+$",
}  # fmt: skip


def _strings(data, key=""):
    if isinstance(data, str):
        yield key, data
    elif isinstance(data, dict):
        for name, one in data.items():
            if name not in _NOT_PROSE:
                yield from _strings(one, name)
    elif isinstance(data, list):
        for one in data:
            yield from _strings(one, key)


def _plain(body):
    """HTML -> its texts, one an element."""
    body = re.sub(r"<(style|svg|code|pre)\b.*?</\1>", "", body, flags=re.S)
    return [html.unescape(one) for one in re.split(r"<[^>]*>", body)]


def texts(reader):
    """[(where, sentence)] of all prose on the page, the reader's own words not in it."""
    found = []
    for node in reader.nodes():
        if node.type in ("markdown", "caption", "error", "warning", "info"):
            found.append((node.type, node.value))
        elif node.type == "html":
            found += [("html", one) for one in _plain(node.proto.body)]
        elif node.type == "bidi_component":
            found += [(f"component {key}", one) for key, one in _strings(data_of(node)) if " " in one]
        elif node.type == "table":
            found += [("table", str(one)) for column in node.value.values.T for one in column]
        elif getattr(node, "label", ""):
            found.append(("label", node.label))
    return [(where, one) for where, one in found if one.strip()]


def _ours(text):
    """A sentence without what it quotes: the reader's words, names in code, formulas."""
    text = re.sub(r"\\(.)", r"\1", text)
    return re.sub(r"“[^”]*”|`[^`]*`|\*\*[^*]*\*\*|\$[^$]*\$", "…", text)


def complaints(reader):
    """What is wrong with the page's prose, a line each."""
    found = []
    for where, text in texts(reader):
        for line in _ours(text).splitlines() if where != "html" else [_ours(text)]:
            found += [f"{kind}, in {where}: {line[:600]!r}" for kind in _kinds(line, where)]
    return found


def _kinds(line, where):
    for match in _PLURAL_OF_ONE.finditer(line):
        if match.group(1).lower() not in _NUMBERED:
            yield "a plural of one"
    whole = not where.startswith(("component", "html", "table"))  # a sentence, and not a piece of one
    for kind, pattern in _WRONG.items():
        if (whole or not kind.startswith(("spaces", "a sentence"))) and re.search(pattern, line):
            yield kind


def unescaped(reader, mark):
    """Where the reader's markup, each with this mark in it, would be interpreted."""
    wrong = []
    for node in reader.nodes():
        if node.type == "html" and re.search(rf"<(?:b|i|img)[^>]*>{mark}", node.proto.body):
            wrong.append(f"html: {node.proto.body[:200]}")
        if node.type in ("markdown", "caption", "error", "warning", "info"):
            shown = re.sub(r"\\.", "", node.value)
            if re.search(rf"<b>{mark}|\$[^$]*{mark}|:red\[{mark}|\]\({mark}", shown):
                wrong.append(f"{node.type}: {node.value[:200]}")
    return wrong
