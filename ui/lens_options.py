"""What can be chosen about the lens beside the model and the text, and the text the model writes on."""

import zlib
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine import families, passing, sampling, weights
from ui import cache, choice, kept, page
from views import lens_words

_DIGITS = st.column_config.NumberColumn(format="%.4g")  # else four decimals, and 0 for what is not
ROWS = {"plain": "After every block", "within": "Within the blocks too", "tuned": "Tuned lens"}


@dataclass(frozen=True)
class Options:
    """rows: a key of ROWS; other: the model to compare with, or None; follow: a token's id, or None."""

    rows: str = "plain"
    other: str | None = None
    follow: int | None = None


def alike(model):
    """The other models with the same tokenizer, whose columns align; their weights are not loaded yet."""
    others = (name for name in families.available() if name != model.name)
    return [name for name in others if families.pieces_of(name) == model.pieces]


def has_tuned_lens(model):
    """Whether there is a tuned lens; one that is damaged is named, and the lens works without it."""
    try:
        return cache.translators(model) is not None
    except weights.WeightsError as error:
        choice.say(str(error))
        return False


def options(model, draw=True, compare=None):
    """The options as the address has them; with draw, their controls too.

    compare: where the control of the compared model stands, if not beside the others.
    """
    lacking = set() if has_tuned_lens(model) else {"tuned"}
    lacking |= {"within"} if "parallel" in model.has else set()  # no stream lies between its two parts
    kinds = [k for k in ROWS if k not in lacking]
    rows = choice.get("rows", "plain", choice.one_of(*ROWS))
    rows = rows if rows in kinds else "plain"
    other, others = choice.get("with", None, choice.a_model), alike(model)
    other = other if other in others else None
    follow = choice.get("follow", None, choice.number(0, 10**6))
    follow = None if follow is None or follow >= model.architecture.vocab_size else follow
    if draw:
        listed = {"options": kinds, "format_func": ROWS.__getitem__, "width": 180}
        choice.bound(st.selectbox, "Rows", "rows", rows, **listed)
        _controls(model, other, others, follow, compare or st)
    return Options(rows, other, follow)


def _controls(model, other, others, follow, compare):
    """Which model to compare with, and which token to follow."""
    if others:
        choice.bound(
            compare.selectbox,
            "Compare with",
            "with",
            other,
            options=(None, *others),
            format_func=lambda name: "No other model" if name is None else families.title(name),
            placeholder="No other model",
            width=150 if compare is st else "stretch",
        )
    shown = "" if follow is None else model.tokenizer.label(follow)
    choice.bound(
        st.text_input,
        "Follow a token",
        "follow",
        shown,
        to_address=lambda typed: _follow(model, typed),
        width=126,
        help="Its probability in every cell. A word, as it stands inside a text; begin with # for an id. "
        "Or tap a candidate beside the grid.",
    )


def _follow(model, typed):
    """What was typed -> the id to follow, None for nothing; the measure goes with it."""
    found = token_of(model, typed)
    choice.put(measure=None if found is None else "follow")
    if found is None and typed.strip():
        choice.say(f"{typed[:40]!r} is no token of this model, so none is followed.")
    return found


def token_of(model, typed):
    """A typed token -> its id: "#512" by number, a word with the space before it where there is one.

    None for nothing.  Of a text of several tokens the first is followed, with a notice.
    """
    if not typed:
        return None
    if typed.startswith("#") and typed[1:].isascii() and typed[1:].isdigit():
        number = int(typed[1:8])
        return number if number < model.architecture.vocab_size else None
    text = typed.replace("·", " ").replace("↵", "\n").replace("⇥", "\t")
    for candidate in (" " + text, text) if not text.startswith(" ") else (text,):
        ids = model.tokenizer.encode(candidate, start=False)
        if len(ids) == 1:
            return ids[0]
    if ids:
        label = model.tokenizer.label(ids[0])
        choice.say(f"“{typed[:40]}” is {len(ids)} tokens; the first of them, “{label}”, is followed.")
    return ids[0] if ids else None


def written(model, ids):
    """The ids the model wrote on after these ids, as the address has them; [] when of another text."""
    raw = choice.get("more", "", _read_more)
    if not raw:
        return []
    stamp, more = raw
    room = model.context - len(ids)
    if stamp != _stamp(model, ids) or max(more) >= model.architecture.vocab_size or len(more) > room:
        return []
    return more


def _read_more(raw):
    stamp, _, more = raw.partition(".")
    more = [int(one) for one in more.split("-")]
    if not all(0 <= one < 10**6 for one in more) or len(more) > 512:
        raise ValueError(raw)
    return stamp, more


def _stamp(model, ids):
    said = np.array(ids, dtype="<i8").tobytes() + model.pieces[:8].encode()
    return f"{zlib.crc32(said):08x}"


def writing(model, ids, more):
    """The controls to write the text on, and what happens to every token before the next draw."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        settings = _how_to_draw()
        n = choice.get("write", 12, choice.number(1, 60))
        choice.bound(st.slider, "Tokens", "write", n, min_value=1, max_value=60)
        seed = choice.get("seed", 0, choice.number(0, 10**6))
        choice.bound(
            st.number_input,
            "Seed",
            "seed",
            seed,
            min_value=0,
            max_value=10**6,
            help="The same seed draws the same tokens.",
        )
    room = model.context - len(ids) - len(more)
    with st.container(horizontal=True):
        if st.button("Write on", disabled=room <= 0):
            _write(model, ids, more, min(n, room), seed, settings)
        if more and st.button("Take it back"):
            choice.put(more=None)
            st.rerun()
        if room <= 0:
            st.caption(page.literal(f"The text fills the {model.context} tokens {model.title} reads."))
    logits = cache.trace(model, [*ids, *more], scores=False).logits[-1]
    draw = sampling.before_draw(logits, **settings)
    st.markdown("Before the next token is drawn: " + lens_words.kept(draw, **settings))
    _fates(model, draw)


def _how_to_draw():
    """The controls of a draw -> the settings that engine.sampling takes."""
    heat = round(choice.get("heat", 0.8, choice.number(0, 2, float)), 2)
    top_k = choice.get("topk", 0, choice.number(0, 10**4))
    top_p = choice.get("topp", 0.95, choice.number(0.01, 1, float))
    choice.bound(
        st.slider,
        "Temperature",
        "heat",
        heat,
        min_value=0.0,
        max_value=2.0,
        step=0.05,
        help="Scores are divided by it before the softmax; 0 always takes the likeliest token.",
    )
    choice.bound(
        st.number_input,
        "Top-k",
        "topk",
        top_k,
        min_value=0,
        max_value=10**4,
        help="Keep so many of the likeliest tokens; 0 keeps all.",
    )
    choice.bound(
        st.slider,
        "Top-p",
        "topp",
        top_p,
        min_value=0.01,
        max_value=1.0,
        step=0.01,
        help="Keep the fewest likeliest tokens that hold this share of the probability; 1 keeps all.",
    )
    return {"temperature": heat, "top_k": top_k or None, "top_p": top_p}


def _fates(model, draw):
    """Every token before a draw, with what becomes of it."""
    fates = ("kept", "dropped by top-k", "dropped by top-p", "dropped by temperature 0")
    shares = {
        "probability, %": 100 * draw.plain,
        "at this temperature, %": 100 * draw.tempered,
        "drawn from, %": 100 * draw.drawn_from,
    }
    columns = {
        "rank": range(1, len(draw.ids) + 1),
        "id": draw.ids,
        "token": [model.tokenizer.label(i) for i in draw.ids],
        **shares,
        "fate": [fates[one] for one in draw.fate],
    }
    st.dataframe(columns, hide_index=True, height=300, column_config=dict.fromkeys(shares, _DIGITS))


def _write(model, ids, more, n, seed, settings):
    bar = st.progress(0.0, "The model writes …")
    new = list(more)
    drawn = sampling.write_on(model, [*ids, *more], n, seed=seed + len(more), **settings)
    for one in kept.stepwise(passing.reading(model, len(new) + len(ids) + n), drawn):
        new.append(one)
        bar.progress((len(new) - len(more)) / n, "The model writes …")
    last = len(ids) + len(more) - 1
    written = "-".join(map(str, new))
    choice.put(more=f"{_stamp(model, ids)}.{written}", cell=f"{model.architecture.n_layer}.{last}")
    st.rerun()


def cut(model, ids, lost):
    """Say where a text was cut, if it was."""
    if lost:
        st.warning(page.literal(lens_words.cut(model, ids, lost)))
