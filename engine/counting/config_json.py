"""Read a config.json, explain it line by line, and find the settings in it.

The families, and what their files leave out, are in engine/counting/families.py.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from engine.counting.architecture import LIMITS, Architecture
from engine.counting.config_lines import Line, lines
from engine.counting.config_text import parsed, shown
from engine.counting.families import FAMILIES, NOT_A_MODEL_TYPE, OBSTACLES
from engine.counting.family import Family
from engine.counting.possible import problems
from engine.errors import ReaderError

REQUIRED = ("vocab_size", "d_model", "n_layer", "n_head", "d_ff")
# What a class has on top: (end of its name, output, whether with a bias, labels or None).
_TOPS = (
    ("ForCausalLM", "tokens", None, None),
    ("LMHeadModel", "tokens", None, None),
    ("ForConditionalGeneration", "tokens", None, None),
    ("ForSequenceClassification", "labels", False, None),
    ("ForTokenClassification", "labels", True, None),
    ("ForQuestionAnswering", "labels", True, 2),
)
# What the library takes for a language model inside a file, which often names only what differs.
INSIDE = {
    "llama": (32_000, 4096, 32, 32, 11_008),
    "mistral": (32_000, 4096, 32, 32, 14_336),
    "qwen2": (151_936, 4096, 32, 32, 22_016),
    "gemma": (256_000, 3072, 28, 16, 24_576),
    "gemma2": (256_000, 2304, 26, 8, 9216),
    "gemma3_text": (262_208, 2304, 26, 8, 9216),
}


@dataclass(frozen=True)
class Reading:
    """What a file says: the family, the settings, every line, and what had to be filled in."""

    family: str
    architecture: Architecture
    lines: tuple[Line, ...]
    assumed: tuple[str, ...]  # sentences


def read(text: str) -> Reading:
    """The text of a config.json -> Reading.  Raises ReaderError, in a sentence, for what can't be counted."""
    data, assumed, inside = _language_model(parsed(text))
    name = _family(data)
    family = FAMILIES[name]
    found = {**family.fixed, **_named(data, family, assumed)}
    more, sentences = family.worked_out(found, data)
    found |= more
    assumed += sentences
    for setting, usual in zip(REQUIRED, INSIDE.get(name, ()) if inside else (), strict=False):
        if setting not in found:
            found[setting] = usual
            assumed.append(f"{family.keys[setting][0]} is left out; the library takes {usual:,}.")
    missing = [family.keys[setting][0] for setting in REQUIRED if setting not in found]
    if missing:
        raise ReaderError(f"{missing[0]} is missing: a {family.title} model can't be counted without it.")
    for key, (settings, usual) in family.switches.items():
        found |= dict.fromkeys(settings, _checked(key, data.get(key, usual), bool))
    architecture = Architecture(**{**found, **_top(data, assumed)})
    wrong = problems(architecture)
    if wrong:
        raise ReaderError(" ".join(wrong))
    every_key = {key for one in FAMILIES.values() for keys in one.keys.values() for key in keys}
    return Reading(family.title, architecture, lines(data, family, every_key, architecture), tuple(assumed))


def _language_model(data: dict[str, Any]) -> tuple[dict[str, Any], list[str], bool]:
    """The part of a file that is about the language model -> (it, sentences, whether it stood inside)."""
    inner = data.get("text_config")
    if inner is None:
        data = {key: value for key, value in data.items() if key != "text_config"}
        return data, [], False
    if not isinstance(inner, dict):
        raise ReaderError(f"text_config is {shown(inner)}; it has to be an object or null.")
    outer = {key: data[key] for key in ("architectures", "tie_word_embeddings") if key in data}
    said = "This file describes several models in one. Only its text_config is counted: the language model."
    return {**outer, **inner}, [said], True


def _family(data: dict[str, Any]) -> str:
    """The model_type, or what the class's name says.  Raises ReaderError for families not read here."""
    known = ", ".join(name for name in FAMILIES if name not in NOT_A_MODEL_TYPE)
    kind = data.get("model_type")
    if kind is None and "dim" in data and "n_layers" in data:
        return "mistral params.json" if "hidden_dim" in data else "llama params.json"
    if kind is None:
        first = _class(data).lower()
        stems = {name: name.replace("_text", "").replace("_", "") for name in FAMILIES}
        ends = r"(for|lmhead|model)"
        kind = next((name for name, stem in stems.items() if re.match(stem + ends, first)), None)
    if kind is None:
        raise ReaderError(f"The file does not say its model_type. These are read: {known}.")
    name = kind.strip().lower().replace("-", "_") if isinstance(kind, str) else None
    if name in FAMILIES and name not in NOT_A_MODEL_TYPE:
        return name
    obstacle = OBSTACLES.get(name or "") or OBSTACLES.get(str(name).replace("_", "-"))
    if obstacle:
        raise ReaderError(f"The family {shown(kind)} is not counted here: {obstacle}. These are: {known}.")
    raise ReaderError(
        f"The family {shown(kind)} is not known here, so its blocks may hold parts that would be missed. "
        f"These are read: {known}."
    )


def _named(data: dict[str, Any], family: Family, assumed: list[str]) -> dict[str, Any]:
    """The settings that have a line of their own, and the usual ones for those that are left out."""
    found = {}
    for setting, keys in family.keys.items():
        key, value = _value(data, keys)
        if value is not None:
            found[setting] = _checked(key, value, bool if setting == "tied" else int)
        elif setting in family.usual and (setting in ("tied", "context") or key not in data):
            usual = family.usual[setting]
            found[setting] = usual
            left_out = (
                f"is null; {json.dumps(usual)} is taken"
                if key in data
                else f"is left out; the library takes {json.dumps(usual)}"
            )
            assumed.append(f"{key} {left_out}.")
    return found


def _value(data: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, Any]:
    """The line that a setting stands in, by the first of its names that is there -> (name, value)."""
    there = [key for key in keys if data.get(key) is not None]
    if len({shown(data[key]) for key in there}) > 1:
        raise ReaderError(f"{' and '.join(there)} are names of one setting, and differ. Keep one of them.")
    if there:
        return there[0], data[there[0]]
    return next((key for key in keys if key in data), keys[0]), None


def _class(data: dict[str, Any]) -> str:
    """The first class that the file names, or ""."""
    classes = data.get("architectures")
    first = classes[0] if isinstance(classes, list) and classes else ""
    return first if isinstance(first, str) else ""


def _top(data: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    """What the class has above the final norm.  Without a class, the output layer of a language model."""
    name = _class(data)
    if not name:
        return {}
    for end, output, bias, labels in _TOPS:
        if name.endswith(end) and output == "tokens":
            return {}
        if name.endswith(end):
            assumed.append(f"{name} scores labels, not tokens: it has no output layer for tokens.")
            return {"output": output, "output_bias": bias, "n_label": labels or _labels(data)}
    if name.endswith("Model") and not re.search(r"(Heads|Reward|Head)Model$", name):
        assumed.append(f"{name} ends with the final norm: it has no output layer.")
        return {"output": "none", "output_bias": False}
    raise ReaderError(
        f"What the class {shown(name)} has above the final norm is not known here. Write a class that ends "
        "in ForCausalLM in its place to count the language model."
    )


def _labels(data: dict[str, Any]) -> int:
    """How many labels a classifier tells apart: two where the file does not say."""
    names, count = data.get("id2label"), data.get("num_labels")
    if isinstance(names, dict):
        return len(names)
    if count is None:
        return 2
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= LIMITS["n_label"]:
        raise ReaderError(f"num_labels is {shown(count)}; it has to be a whole number from 1.")
    return count


def _checked(key: str, value: Any, kind: type) -> Any:
    if kind is bool and isinstance(value, bool):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    wanted = "true or false" if kind is bool else "a whole number"
    raise ReaderError(f"{key} is {shown(value)}; it has to be {wanted}.")
