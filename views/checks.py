"""The list of checks as HTML: green, red or not run, in words and signs and not by colour alone."""

from html import escape

from views import costs
from views.numbers import counted, form

WHAT = {
    "NumPy against PyTorch's saved logits": "All logits of one text, as PyTorch's training code wrote them.",
    "NumPy against PyTorch, now": "PyTorch's own norm, attention and SiLU; RoPE by complex numbers.",
    "NumPy against Hugging Face transformers": "The same weights in LlamaForCausalLM.",
    "PyTorch against Hugging Face transformers": "The same weights in the library's own code.",
    "RoPE by hand": "Lengths are kept, and only the distance counts.",
    "The tied matrix is one matrix": "Embedding and output share their numbers.",
    "No token sees the future": "Later tokens are exchanged; nothing before them may move.",
    "Looking changes nothing": "A watched pass, bit for bit.",
    "Counted is stored": "The formula against the file.",
}
CSS = """
.checks { list-style: none; margin: 0 !important; padding: 0 !important; }
.checks li { display: grid; grid-template-columns: 2.2rem minmax(12rem, 22rem) 1fr; gap: .2rem .8rem;
  padding: .6rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.checks b { font-weight: 600; }
.checks .sign { font-size: 1.3rem; line-height: 1.2; font-weight: 700; text-align: center; }
.checks .yes .sign { color: light-dark(#1a7431, #6fd08c); }
.checks .no .sign { color: light-dark(#b3261e, #ff8a80); }
.checks .open .sign { color: var(--mark-norm); }
.checks small { display: block; font-size: .85rem; color: var(--mark-norm); }
@media (max-width: 640px) {
  .checks li { grid-template-columns: 2.2rem 1fr; }
  .checks .found { grid-column: 2; }
}
"""
_SIGNS = {True: ("yes", "✓", "holds"), False: ("no", "✗", "does not hold"), None: ("open", "–", "not run")}


def html(title, wanted, outcomes):
    """The list.  wanted: titles; outcomes: {title: Outcome} of those that ran."""
    rows = []
    for name in wanted:
        outcome = outcomes.get(name)
        kind, sign, word = _SIGNS[outcome.passed if outcome else None]
        rows.append(
            f'<li class="{kind}"><span class="sign" aria-hidden="true">{sign}</span>'
            f"<span><b>{escape(name)}</b>: {word}<small>{escape(WHAT[name])}</small></span>"
            f'<span class="found">{escape(told(outcome)) if outcome else ""}</span></li>'
        )
    return (
        f'<style>{CSS}</style><ul class="checks" aria-label="Checks of {escape(title)}">{"".join(rows)}</ul>'
    )


def told(outcome):
    """What a check found, in one sentence with its numbers.  outcome: of engine.checks."""
    return _TOLD[outcome.kind](**outcome.facts)


def _rope(spread, longer, scores):
    return (
        f"Three pairs at distance 3 differ by at most {_small(spread)}; turning to position 77 changes the "
        f"length by {_small(longer)}; the known scores 0.217, 0.217, −0.765 came out as "
        f"{', '.join(f'{score:.3f}'.replace('-', '−') for score in scores)}."
    )


def _causal(first, last, before, after):
    exchanged = f"Tokens {first} to {last} were" if last > first else f"Token {first} was"
    return (
        f"{exchanged} exchanged: before {'them' if last > first else 'it'} no logit moved by more than "
        f"{_small(before)}, from there on by up to {after:.1f}."
    )


def _logits(shape, largest, close):
    T, V = shape
    return (
        f"{T * V:,} logits ({counted(T, 'position')} × {V:,} tokens): the largest difference is "
        f"{_small(largest)}, and less than {close:g} counts as the same."
    )


def _tied(one, shape):
    verb = "use one and the same" if one else "do not use the same"
    return f"Embedding and output {verb} {shape[0]:,} × {shape[1]} numbers in memory."


def _small(x):
    """A small difference as it is written: 0, or 1.9 × 10⁻⁶."""
    if x == 0:
        return "0"
    digits, power = f"{x:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


_TOLD = {
    "rope": _rope,
    "tied": _tied,
    "causal": _causal,
    "logits": _logits,
    "shapes": lambda ours, expected: f"The shapes differ: {ours} and {expected}.",
    "looking": lambda different, logits: f"{different} of {logits:,} logits differ.",
    "counted": lambda expected, stored: f"{expected:,} counted from the settings, {stored:,} stored.",
    "not run": lambda why: why,
}


def versions(found):
    """With which versions the checks run here.  found: {name: version, or None}."""
    said = [f"{name} {version}" if version else f"{name} not installed" for name, version in found.items()]
    return f"Here with {', '.join(said)}."


def memory(kept, working, budget):
    """What is kept for all readers, in bytes: the models among it, and what is being worked on now."""
    said = f"Kept for all readers: {costs.size(kept)} of models and results"
    said += f", and {costs.size(working)} in work" if working else ""
    return f"{said}, of {costs.size(budget)} that the server may use for them."


def sentence(wanted, outcomes):
    """How many hold, which do not, and which could not be run."""
    ran = {name: outcomes[name].passed for name in wanted if name in outcomes}
    held, wrong, open_ = ([name for name in ran if ran[name] is one] for one in (True, False, None))
    said = ["No check has run."]
    if held or wrong:
        among = counted(len(held) + len(wrong), "check")
        said = [f"{len(held)} of {among} that ran {form(len(held), 'holds', 'hold')}."]
    if wrong:
        said.append(f"Not so: {', '.join(wrong)}.")
    if open_:
        said.append(f"Could not be run: {', '.join(open_)}.")
    return " ".join(said)
