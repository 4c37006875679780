"""Which settings no model can have, and the nearest ones that a model can."""

from dataclasses import replace

from engine.counting.architecture import LETTERS, LIMITS, NORMS, POSITIONS


def problems(architecture):
    """Why no model can have these settings: sentences, each with what would work; empty if it can."""
    a, found = architecture, []
    for name, limit in LIMITS.items():
        value = getattr(a, name)
        if value is None and name in ("n_kv_head", "head_width"):
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= limit:
            given = f"{value:,}" if isinstance(value, (int, float)) and abs(value) < 1e15 else "out of reach"
            found.append(f"{LETTERS[name]} is {given}; it has to be a whole number from 1 to {limit:,}.")
    for name, known in (("norm", NORMS), ("positions", POSITIONS)):
        if getattr(a, name) not in known:
            found.append(f"There is no {name} of this kind; there are {' and '.join(known)}.")
    if found:
        return found
    fixed = nearest(a)
    if a.head_width is None and a.d_model % a.n_head:
        found.append(
            f"A width of {a.d_model:,} can't be shared evenly among {a.n_head:,} heads. "
            f"The nearest width that can is {fixed.d_model:,}."
        )
    elif a.positions == "rotary" and a.width_of_head % 2:
        remedy = (
            f"The nearest stream width that gives an even one is {fixed.d_model:,}."
            if a.head_width is None
            else f"The nearest even head width is {fixed.head_width:,}."
        )
        found.append(
            f"RoPE turns pairs of numbers, so a head's width has to be even; "
            f"it is {a.width_of_head:,}. {remedy}"
        )
    if a.n_head % a.kv_heads:
        found.append(
            f"{a.n_head:,} query heads can't be shared evenly among {a.kv_heads:,} key/value heads. "
            f"The nearest number that divides them is {fixed.n_kv_head:,}."
        )
    return found


def nearest(architecture):
    """The settings nearest to these that a model can have; the same ones where they already work."""
    a = architecture
    bounded = {}
    for name, limit in LIMITS.items():
        value = getattr(a, name)
        if value is not None:
            bounded[name] = min(max(int(value), 1), limit)
    a = replace(a, **bounded)
    if a.norm not in NORMS or a.positions not in POSITIONS:
        a = replace(a, norm="rms", positions="rotary")
    if a.head_width is None:
        step = a.n_head * (2 if a.positions == "rotary" else 1)
        if a.d_model % step:
            times = min((a.d_model + step // 2) // step, LIMITS["d_model"] // step)
            a = replace(a, d_model=max(times, 1) * step)
    elif a.positions == "rotary" and a.head_width % 2:
        a = replace(
            a, head_width=a.head_width + 1 if a.head_width < LIMITS["head_width"] else a.head_width - 1
        )
    if a.n_head % a.kv_heads:
        divisors = [k for k in range(1, a.n_head + 1) if a.n_head % k == 0]
        a = replace(a, n_kv_head=min(divisors, key=lambda k: (abs(k - a.kv_heads), k)))
    return a
