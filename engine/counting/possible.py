"""Which settings no model can have, and the nearest ones that a model can."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engine.counting.architecture import (
    KINDS,
    LETTERS,
    LIMITS,
    MAY_BE_ABSENT,
    MAY_BE_ZERO,
    NAMES,
    Architecture,
)


def problems(architecture: Architecture) -> list[str]:
    """Why no model can have these settings: sentences, each with what would work; empty if it can."""
    found = [*_out_of_reach(architecture), *_of_no_kind(architecture)]
    if found:
        return found
    fixed = nearest(architecture)
    return [
        *_heads(architecture, fixed),
        *_latent(architecture, fixed),
        *_experts(architecture, fixed),
        *_too_many_blocks(architecture),
    ]


def _out_of_reach(a: Architecture) -> Iterator[str]:
    for name, limit in LIMITS.items():
        value, least = getattr(a, name), _least(name)
        if value is None and name in MAY_BE_ABSENT:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= limit:
            given = f"{value:,}" if isinstance(value, (int, float)) and abs(value) < 1e15 else "out of reach"
            called = LETTERS.get(name) or NAMES[name].capitalize()
            yield f"{called} is {given}; it has to be a whole number from {least} to {limit:,}."


def _least(name: str) -> int:
    return 0 if name in MAY_BE_ZERO else 1


def _of_no_kind(a: Architecture) -> Iterator[str]:
    for name, known in KINDS.items():
        if getattr(a, name) not in known:
            kinds = " and ".join(", ".join(known).rsplit(", ", 1))
            yield f"There is no {name.replace('_', ' ')} of this kind; there are {kinds}."


def _heads(a: Architecture, fixed: Architecture) -> Iterator[str]:
    if a.head_width is None and a.d_model % a.n_head:
        yield (
            f"A width of {a.d_model:,} can't be shared evenly among {a.n_head:,} heads. "
            f"The nearest width that can is {fixed.d_model:,}."
        )
    elif a.positions == "rotary" and a.width_of_head % 2:
        remedy = (
            f"The nearest stream width that gives an even one is {fixed.d_model:,}."
            if a.head_width is None
            else f"The nearest even head width is {fixed.head_width:,}."
        )
        yield (
            f"RoPE turns pairs of numbers, so a head's width has to be even; "
            f"it is {a.width_of_head:,}. {remedy}"
        )
    if a.n_head % a.kv_heads:
        yield (
            f"{a.n_head:,} query heads can't be shared evenly among {a.kv_heads:,} key/value heads. "
            f"The nearest number that divides them is {fixed.n_kv_head:,}."
        )


def _latent(a: Architecture, fixed: Architecture) -> Iterator[str]:
    if not a.latent:
        return
    if a.rope_width > a.width_of_head or a.rope_width % 2:
        yield (
            f"R is {a.rope_width:,}; it has to be even and at most a head's width, {a.width_of_head:,}. "
            f"The nearest such is {fixed.rope_width:,}."
        )
    if not a.value_width:
        yield f"With latent attention, U has to be at least 1; {fixed.value_width:,} works."


def _experts(a: Architecture, fixed: Architecture) -> Iterator[str]:
    if not a.n_expert:
        return
    if not 1 <= a.n_active <= a.n_expert:
        yield (
            f"A token can't pass {a.n_active:,} of {a.n_expert:,} experts. The nearest A that works is "
            f"{fixed.n_active:,}."
        )
    if not a.expert_width:
        yield f"M is 0; it has to be at least {fixed.expert_width}: the width of an expert."
    if a.n_dense >= a.n_layer:
        yield (
            f"L₀ is {a.n_dense:,}, but of {a.n_layer:,} blocks at least one has experts. "
            f"The nearest that works is {fixed.n_dense:,}."
        )


def _too_many_blocks(a: Architecture) -> Iterator[str]:
    if a.window and a.n_full > a.n_layer:
        yield f"{a.n_full:,} blocks can't look back over the whole text: there are {a.n_layer:,}."


def nearest(architecture: Architecture) -> Architecture:
    """The settings nearest to these that a model can have; the same ones where they already work."""
    return _nearest_parts(_nearest_heads(_within_reach(architecture)))


def _within_reach(a: Architecture) -> Architecture:
    bounded: dict[str, Any] = {}
    for name, limit in LIMITS.items():
        value = getattr(a, name)
        if value is not None:
            bounded[name] = min(max(int(value), _least(name)), limit)
    kinds = {name: next(iter(known)) for name, known in KINDS.items() if getattr(a, name) not in known}
    return replace(a, **{**bounded, **kinds})


def _nearest_heads(a: Architecture) -> Architecture:
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


def _nearest_parts(a: Architecture) -> Architecture:
    if a.latent:
        turned = min(a.rope_width, a.width_of_head)
        a = replace(a, rope_width=turned - turned % 2, value_width=a.value_width or a.width_of_head)
    if a.n_expert:
        a = replace(
            a,
            n_active=min(max(a.n_active, 1), a.n_expert),
            expert_width=max(a.expert_width, 1),
            n_dense=min(a.n_dense, a.n_layer - 1),
        )
    return replace(a, n_full=min(a.n_full, a.n_layer)) if a.window else a
