"""The controls of a model's settings: a preset, and every setting changed from it, in the address.

A side ("a" or "b") is one model: its preset is the choice `a`, a changed setting `a.d`, `a.V` and so on.
"""

from dataclasses import fields, replace

import streamlit as st

from engine.counting import LETTERS, LIMITS, NORMS, POSITIONS, Architecture, differences
from engine.counting.published import BY_ID
from ui import choice

OWN = "own"
TITLES = {**{name: preset.title for name, preset in BY_ID.items()}, OWN: "Your own"}
SWITCHES = {
    "gated": "Gated feed-forward (three matrices)",
    "qk_norm": "QK-norm",
    "tied": "Output tied to the embedding",
    "qkv_bias": "Bias on queries, keys, values",
    "projection_bias": "Bias on attention's output",
    "feed_forward_bias": "Bias in the feed-forward layer",
    "norm_bias": "Bias in the norms",
    "output_bias": "Bias on the output layer",
}
_LABELS = {
    "n_layer": ("Blocks L", "How many blocks."),
    "d_model": ("Width d", "Width of the residual stream."),
    "d_ff": ("Feed-forward F", "Width inside the feed-forward layer."),
    "n_head": ("Heads H", "Query heads in each block."),
    "vocab_size": ("Vocabulary V", "How many different tokens."),
    "n_kv_head": ("Key/value heads K", "Follows H until you set it."),
    "head_width": ("Head width D", "Follows d / H until you set it."),
    "context": ("Positions P", "The longest text. Only learned positions have parameters."),
}  # fmt: skip


def address_name(side, setting):
    """The name of a setting's choice: "a.d"."""
    return f"{side}.{LETTERS.get(setting, setting)}"


def chosen(side, default):
    """The chosen preset's name and the settings, which may be ones that no model can have."""
    name = choice.get(side, default, choice.one_of(*TITLES))
    base = BY_ID[name].architecture if name in BY_ID else Architecture()
    found = {}
    for field in fields(Architecture):
        value = getattr(base, field.name)
        if field.name in LIMITS:
            read = choice.number(1, LIMITS[field.name])
        elif field.name in SWITCHES:
            read = choice.switch
        else:
            read = choice.one_of(*(NORMS if field.name == "norm" else POSITIONS))
        found[field.name] = choice.get(address_name(side, field.name), value, read)
    return name, replace(base, **found)


def choose(side, name, architecture):
    """Choose a preset and whatever differs from it."""
    base = BY_ID[name].architecture if name in BY_ID else Architecture()
    reset(side)
    choice.put(**{side: name})
    for setting, (_, value) in differences(base, architecture).items():
        if value is not None:
            choice.put(**{address_name(side, setting): value})


def reset(side):
    """Back to the preset as it is published."""
    for field in fields(Architecture):
        choice.forget(address_name(side, field.name))


def preset_control(side, label, name):
    """The list of presets; choosing one takes back what was changed."""
    return choice.bound(
        st.selectbox, label, side, name, then=lambda: reset(side), options=list(TITLES),
        format_func=TITLES.__getitem__,
    )  # fmt: skip


def number_control(side, setting, architecture, width="stretch"):
    """A field for one of the numbers."""
    label, help_text = _LABELS[setting]
    resolved = {"n_kv_head": architecture.kv_heads, "head_width": architecture.width_of_head}
    value = resolved.get(setting, getattr(architecture, setting))
    choice.bound(
        st.number_input, label, address_name(side, setting), max(1, value), min_value=1,
        max_value=LIMITS[setting], step=1, help=help_text, width=width,
    )  # fmt: skip


def more_controls(side, architecture, settings=("n_kv_head", "head_width", "context")):
    """The settings that are changed less often, in a sheet that opens."""
    with st.popover("More settings"):
        for setting in settings:
            number_control(side, setting, architecture)
        for setting, known in (("norm", NORMS), ("positions", POSITIONS)):
            choice.bound(
                st.selectbox, setting.capitalize(), address_name(side, setting),
                getattr(architecture, setting), options=list(known), format_func=known.__getitem__,
            )  # fmt: skip
        for setting, label in SWITCHES.items():
            name = address_name(side, setting)
            choice.bound(st.toggle, label, name, getattr(architecture, setting))
