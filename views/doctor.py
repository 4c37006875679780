"""What the doctor shows: what a model declares, what was measured, and what follows from it."""

import math

from engine import counting, doctor
from engine.counting import count_parameters
from engine.families.changes import plainly
from views.bars import Bar, perplexity
from views.numbers import counted, figure, form, whole

AS_DECLARED = "as declared"
_LOOK = {  # what to do where a declared detail loses, by the kind of what it lost to
    "base": "Look for rope_theta, or rope_parameters, in the config.json that came with the weights.",
    "neighbours": "The rows of queries and keys most likely stand as in GGUF and the first Llama files, "
    "pairs side by side: convert the file anew, with a program that puts the pairs half a head apart.",
    "epsilon": "Look for rms_norm_eps, or layer_norm_eps, in the config.json that came with the weights.",
    "no-rope": "Either these weights were trained without RoPE, or they are turned in a wrong way.",
    "no-qk-norm": "Either these weights were trained without QK-norm, or its gains are wrong.",
    "untied": "Random numbers do better than the embedding as output matrix: the model was most likely "
    "trained with one of its own. Look for lm_head among the weights, and set tie_word_embeddings to false.",
    "tied": "The output matrix in the file is not the one that was trained. Set tie_word_embeddings to true, "
    "or get the file anew.",
    "spare": "The file holds an output matrix of its own, and its config.json leaves it unused: set "
    "tie_word_embeddings to false.",
    "unscaled": "Look for rope_scaling, or rope_parameters, in the config.json that came with the weights.",
}
_CALLED = {
    "base": "RoPE's base", "neighbours": "The pairs that RoPE turns", "epsilon": "ε in the norms",
    "no-rope": "RoPE", "no-qk-norm": "QK-norm", "untied": "The output matrix", "tied": "The output matrix",
    "spare": "The output matrix", "unscaled": "The stretching of RoPE's angles",
}  # fmt: skip
_OUTPUTS = {"tied": "the embedding as output matrix", "spare": "the file's own output matrix"}


def name(change):
    """What a reading is called; None is as declared."""
    if change is None:
        return AS_DECLARED
    return _OUTPUTS.get(change.kind) or str(change)


def _longest(model):
    said = counted(model.architecture.context, "token")
    return (
        said if model.context == model.architecture.context else f"{said}, {whole(model.context)} read here"
    )


def declared(model):
    """How the model is run here -> [(detail, what is declared)]."""
    a = model.architecture
    rows = [
        ("Norm", f"{counting.NORMS[a.norm]}, ε = {plainly(model.epsilon)}"),
        ("Where the norms stand", _norms(model)),
        ("Positions", _positions(model)),
        ("QK-norm", "yes" if "qk_norm" in model.has else "no"),
        ("Feed-forward layer", "gated, three matrices" if a.gated else "no gate, two matrices"),
        ("Output matrix", "the embedding (tied)" if a.tied else "one of its own"),
        ("Heads", f"{whole(a.n_head)} of queries, {whole(a.kv_heads)} of keys and values"),
        ("How far back a token sees", f"{whole(a.window)} tokens" if a.n_windowed else "to the beginning"),
        ("Vocabulary", _vocabulary(model)),
        ("Longest text", _longest(model)),
    ]
    return rows


def _norms(model):
    a = model.architecture
    if model.parallel:
        return "before attention and the feed-forward layer, which read the same stream"
    said = {"two": "before each part", "four": "before and after each part", "one": "one before both parts"}
    return said[a.block_norms] + (", and one at the end" if a.final_norm else "")


def _positions(model):
    a = model.architecture
    if a.positions != "rotary":
        return f"learned, for {counted(a.context, 'place')}"
    share = (
        ""
        if model.rotated == a.width_of_head
        else f", {model.rotated} of {a.width_of_head} numbers of a head"
    )
    return f"RoPE, base {model.rope_base:,.10g}{share}, pairs half a head apart"


def _vocabulary(model):
    rows, pieces = model.architecture.vocab_size, len(model.tokenizer)
    same = f"{counted(rows, 'row')}, one for each piece of the tokenizer"
    return same if rows == pieces else f"{counted(rows, 'row')}; the tokenizer has {counted(pieces, 'piece')}"


def compared(changes, read):
    """{change: Compared} of what is read so far, against it as declared.  read: {change: Reading}."""
    if None not in read:
        return {}
    return {one: doctor.compare(one, read[None], read[one]) for one in changes if one in read}


def bars(changes, read, found):
    """The bars, as declared first."""
    shown = [Bar(AS_DECLARED, doctor.perplexity(read[None]) if None in read else None, mark="norm")]
    return shown + [_bar(one, found.get(one)) for one in changes]


def _bar(change, one):
    if one is None:
        return Bar(name(change))
    note = f"{signed(one.extra)} ± {figure(one.error, 1)} nats a token"
    return Bar(name(change), one.perplexity, note=note, mark="accent" if one.better else "attention")


def signed(x):
    """0.0293 -> "+0.0293"; -0.5 -> "−0.500"."""
    return ("+" if x >= 0 else "−") + figure(abs(x))


def columns(read, found):
    """The figures as columns, for a file."""
    base = doctor.perplexity(read[None])
    return {
        "as": [AS_DECLARED, *map(name, found)],
        "perplexity": [base, *(one.perplexity for one in found.values())],
        "nats a token above as declared": [0.0, *(one.extra for one in found.values())],
        "standard error": [0.0, *(one.error for one in found.values())],
    }


def findings(model, read, found, broken, sizes):
    """What is wrong, as far as measured -> [(what was found, what to do)]."""
    said = [
        (_broken(one, model), "Get the file anew, or look where it was last changed.") for one in broken or ()
    ]
    said += _losing(sorted((one for one in found.values() if one.better), key=lambda one: one.extra))
    if None in read and doctor.perplexity(read[None]) >= model.architecture.vocab_size:
        said.append(
            (_no_better(model, read), "Something above, or something that is not tried here, is wrong.")
        )
    if sizes is not None and not sizes.largest <= doctor.FLOAT16:
        said.append(
            (
                f"The stream reaches {_size(sizes.largest)}, and float16 ends at "
                f"{whole(int(doctor.FLOAT16))}.",
                "Run it in float32 or bfloat16.",
            )
        )
    return said


def _losing(better):
    """The setting that reads our texts best, and what to do; the others may follow from the same mistake."""
    if not better:
        return []
    first, *others = better
    remedy = _LOOK[first.change.kind]
    if others:
        named = ", ".join(f"“{name(one.change)}”" for one in others)
        remedy += f" Better than as declared too, by less: {named}. Mend the first, then examine again."
    return [(_loses(first), remedy)]


def _loses(one):
    return (
        f"{_CALLED[one.change.kind]}: with “{name(one.change)}” a token costs {figure(-one.extra)} nats less "
        f"than as declared (± {figure(one.error, 1)}); the perplexity is {perplexity(one.perplexity)} then."
    )


def _no_better(model, read):
    rows = model.architecture.vocab_size
    return (
        f"As declared the perplexity is {perplexity(doctor.perplexity(read[None]))}: no better than guessing "
        f"evenly among all {counted(rows, 'piece')}."
    )


def _broken(one, model):
    titles = {row.id: row.title for row in count_parameters(model.architecture).rows}
    where = titles[one.row] + ("" if one.block is None else f" of block {one.block + 1}")
    where = where[0].upper() + where[1:]
    if one.fault == "zeros":
        return f"{where}: {form(one.count, 'its one number is', 'all its numbers are')} zero."
    return f"{where}: {counted(one.count, 'number')} {form(one.count, 'is', 'are')} infinite or no number."


def _size(x):
    if not math.isfinite(x):
        return "beyond all numbers"
    return whole(round(x)) if x < 1e15 else figure(x)


def healthy(model, tried):
    """What is said where nothing was found.  tried: how many alternatives were measured."""
    details = (
        f"none of {counted(tried, 'other setting')}" if tried else "no other setting could be tried, and none"
    )
    return (
        f"No finding: {details} reads our texts better by more than {doctor.GAIN} nats a token and "
        f"{doctor.SURE:g} standard errors, and no weight is all zero or not finite."
    )


def sizes_said(sizes):
    """What is noticed of the stream's numbers."""
    row = "entering block 1" if sizes.row == 0 else f"after block {sizes.row}"
    said = f"The largest number in the stream is {_size(sizes.largest)}, {row}."
    if sizes.largest <= doctor.FLOAT16:
        said += f" float16 holds numbers up to {whole(int(doctor.FLOAT16))}."
    share = f"{whole(sizes.dimensions)} of {counted(sizes.width, 'dimension')}"
    holds = form(sizes.dimensions, "holds", "hold")
    return (
        f"{said} {share} {holds} a number of six root mean squares or more somewhere: with one step for a "
        "whole "
        "vector, such numbers make 8 bits coarse for the rest."
    )


def apart_said(apart, ids):
    """How a pass compares with the reader's file."""
    positions = counted(apart.positions, "position")
    said = (
        f"Over {positions} of {counted(ids, 'token')} the scores differ by at most "
        f"{figure(apart.largest)}; the "
        f"file's own lie up to {figure(apart.spread)} apart."
    )
    if apart.first is None:
        return f"{said} The likeliest token is the same {'there' if apart.positions == 1 else 'at each'}."
    return (
        f"{said} The likeliest token is the same at {whole(apart.same_top)} of {whole(apart.positions)}; "
        "the first "
        f"that differs is position {apart.first}, counted from 0."
    )
