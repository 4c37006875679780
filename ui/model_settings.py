"""The controls of a model's settings: a preset, and every setting changed from it, in the address.

A side ("a" or "b") is one model: its preset is the choice `a`, a changed setting `a.d`, `a.V` and so on.
"""

from dataclasses import fields, replace

import streamlit as st

from engine import families
from engine.counting import KINDS, LETTERS, LIMITS, MAY_BE_ZERO, Architecture, differences
from engine.counting.published import BY_ID
from ui import choice

OWN = "own"
SWITCHES = {
    "gated": "Gated feed-forward (three matrices)",
    "qk_norm": "QK-norm",
    "tied": "Output tied to the embedding",
    "qkv_bias": "Bias on queries, keys, values",
    "projection_bias": "Bias on attention's output",
    "feed_forward_bias": "Bias in the feed-forward layer",
    "norm_bias": "Bias in the norms",
    "output_bias": "Bias on the output layer",
    "final_norm": "Final norm",
    "sinks": "Sinks: a score for each head",
    "router_bias": "Bias on the router",
}
_KINDS = {
    "norm": "Norm",
    "positions": "Positions",
    "block_norms": "Norms in a block",
    "output": "Output layer",
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
    "spare_positions": ("Spare positions", "Learned positions beside those of a text."),
    "window": ("Window", "How many tokens a token sees, itself one of them; 0: all. It bounds the cache."),
    "n_full": ("Blocks without window", "Blocks that look back over the whole text all the same."),
    "n_label": ("Labels Y", "What a classifier tells apart; counted where the output layer scores labels."),
    "n_expert": ("Experts E", "Feed-forward layers that a block can choose from; 0: one layer, no choice."),
    "n_active": ("Passed A", "How many experts a token passes."),
    "expert_width": ("Expert's width M", "Width inside an expert."),
    "n_shared": ("Shared experts S", "Experts that every token passes."),
    "n_dense": ("Blocks without L₀", "Blocks that have one feed-forward layer of width F in their place."),
    "latent": (
        "Keys and values C",
        "How many numbers keys and values are worked out from (DeepSeek 2024); 0: straight from the stream.",
    ),
    "query_rank": ("Queries Q", "The same for queries; 0: straight from the stream."),
    "rope_width": ("Rotated R", "With C: how many numbers of a head are rotated."),
    "value_width": ("Value's width U", "With C: the width of a value."),
}
_EXPERTS = ("n_expert", "n_active", "expert_width", "n_shared", "n_dense")
_LATENT = ("latent", "query_rank", "rope_width", "value_width")
SELDOM = ("n_kv_head", "head_width", "context", "spare_positions", "window", "n_full", "n_label")


def address_name(side, setting):
    """The name of a setting's choice: "a.d", or "a.window" where it has no letter of the keyboard."""
    letter = LETTERS.get(setting, setting)
    return f"{side}.{letter if letter.isascii() else setting}"


def called(setting):
    """What a sentence calls a setting: its letter, or its control's words."""
    if setting in LETTERS:
        return LETTERS[setting]
    label = SWITCHES.get(setting) or _KINDS.get(setting) or _LABELS[setting][0]
    return label if label.startswith("QK") else label[0].lower() + label[1:]


def titles():
    """{name: title} of all that can be chosen: presets, models that were added, and settings of one's own."""
    presets = {name: preset.title for name, preset in BY_ID.items()}
    added = {name: families.title(name) for name in families.available() if families.is_added(name)}
    return {**presets, **added, OWN: "Your own"}


def published(name):
    """What a name stands for before anything is changed; settings of one's own begin as Sprout's."""
    if families.is_added(name):
        return families.architecture_of(name)
    return BY_ID[name].architecture if name in BY_ID else Architecture()


def usual():
    """The reader's model of the other pages, if it can be chosen here; Sprout before one was chosen."""
    name = choice.chosen_model("sprout")
    return name if name in titles() else "sprout"


def chosen(side, default):
    """The chosen preset's name and the settings, which may be ones that no model can have."""
    choice.belong(side, [address_name(side, field.name) for field in fields(Architecture)])
    name = choice.get(side, default, choice.one_of(*titles()))
    base, found = published(name), {}
    for field in fields(Architecture):
        value = getattr(base, field.name)
        found[field.name] = choice.get(address_name(side, field.name), value, _reader(field.name))
    return name, replace(base, **found)


def _reader(setting):
    if setting in LIMITS:
        return choice.number(_least(setting), LIMITS[setting])
    return choice.switch if setting in SWITCHES else choice.one_of(*KINDS[setting])


def _least(setting):
    return 0 if setting in MAY_BE_ZERO else 1


def choose(side, name, architecture):
    """Choose a preset and whatever differs from it."""
    base = published(name)
    reset(side)
    choice.put(**{side: name})
    resolved = {"n_kv_head": architecture.kv_heads, "head_width": architecture.width_of_head}
    for setting, (_, value) in differences(base, architecture).items():
        choice.put(**{address_name(side, setting): resolved[setting] if value is None else value})


def reset(side):
    """Back to the preset as it is published."""
    for field in fields(Architecture):
        choice.forget(address_name(side, field.name))


def preset_control(side, label, name):
    """The list of presets; choosing one takes back what was changed."""
    return choice.bound(
        st.selectbox,
        label,
        side,
        name,
        then=lambda: reset(side),
        options=list(titles()),
        format_func=titles().__getitem__,
    )


def number_control(side, setting, architecture, width="stretch"):
    """A field for one of the numbers."""
    label, help_text = _LABELS[setting]
    resolved = {"n_kv_head": architecture.kv_heads, "head_width": architecture.width_of_head}
    value = resolved.get(setting, getattr(architecture, setting))
    least = _least(setting)
    choice.bound(
        st.number_input,
        label,
        address_name(side, setting),
        max(least, value),
        min_value=least,
        max_value=LIMITS[setting],
        step=1,
        help=help_text,
        width=width,
    )


def more_controls(side, architecture, settings=SELDOM):
    """The settings that are changed less often, in a sheet that opens."""
    with st.popover("More settings"):
        sizes, parts, experts, latent = st.tabs(["Sizes", "Norms, biases", "Experts", "Latent keys"])
        with sizes:
            _numbers(side, settings, architecture)
        with parts:
            for setting, label in _KINDS.items():
                known, name = KINDS[setting], address_name(side, setting)
                choice.bound(
                    st.selectbox,
                    label,
                    name,
                    getattr(architecture, setting),
                    options=list(known),
                    format_func=known.__getitem__,
                )
            _switches(side, [one for one in SWITCHES if one != "router_bias"], architecture)
        with experts:
            st.caption("Several feed-forward layers in a block, of which a token passes a few.")
            _numbers(side, _EXPERTS, architecture)
            _switches(side, ["router_bias"], architecture)
        with latent:
            st.caption("Keys and values worked out from fewer numbers, which are all that is kept.")
            _numbers(side, _LATENT, architecture)


def _numbers(side, settings, architecture):
    for setting in settings:
        number_control(side, setting, architecture)


def _switches(side, settings, architecture):
    for setting in settings:
        name = address_name(side, setting)
        choice.bound(st.toggle, SWITCHES[setting], name, getattr(architecture, setting))
