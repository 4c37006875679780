"""What a model costs, as tables and sentences."""

from dataclasses import replace

from engine.counting import costs, count_parameters
from views.numbers import counted, figure, percent, short, whole
from views.tables import table

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def size(count):
    """Bytes as 34.6 MB; a kB is 1,000 bytes."""
    for unit, bytes_in_it in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= bytes_in_it:
            return f"{figure(count / bytes_in_it)} {unit}"
    return f"{count:,.0f} bytes"


def amount(n):
    """A number of operations or tokens: 20.51 G, or 5.45 × 10²¹ where no prefix is in daily use."""
    if n < 1e15:
        return short(n)
    head, power = f"{n:.2e}".split("e+")
    return f"{head} × 10{power.lstrip('0').translate(_RAISED)}"


def duration(seconds):
    """Seconds as 3.2 hours, 12 days, 4.1 years."""
    for unit, length in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{figure(seconds / length)} {unit}"
    return f"{figure(float(seconds))} seconds" if seconds >= 1 else f"{figure(1000 * seconds)} milliseconds"


def memory_table(architecture, tokens, texts, bits):
    """Weights at each precision, the cache, and what a pass computes on the way."""
    total = count_parameters(architecture).total
    rows = [
        [f"weights in {name}", f"{whole(total)} × {costs.BITS[name]} bits", size(n)]
        for name, n in costs.weight_bytes(architecture).items()
    ]
    a = architecture
    text = f"{whole(texts)} × {counted(tokens, 'token')}"
    last = f", {whole(a.n_windowed)} of {counted(a.n_layer, 'block')} keep the last {whole(a.window)} alone"
    rows += [
        [f"{_kept(a)} of one token", _cache_of_a_token(a, bits), size(costs.kv_cache(a, bits=bits))],
        [
            f"{_kept(a)} of all texts",
            text + (last if a.window and tokens > a.window else ""),
            size(costs.kv_cache(a, tokens, texts, bits)),
        ],
    ]
    on_the_way = costs.activations(a, tokens, texts)
    if on_the_way is not None:
        rows += [
            ["forward pass, fullest moment", f"{text}, float32", size(on_the_way["forward"])],
            ["training, kept for the gradients", f"{text}, float32", size(on_the_way["training"])],
        ]
    adam = "weight, gradient, Adam's two means: 16 bytes each"
    rows.append(["training, the parameters", adam, size(16 * total)])
    return table("Memory (1 MB is 1,000,000 bytes)", ["what", "how", "size"], rows, numeric=(2,))


def _kept(a):
    return "what keys and values are made from," if a.latent else "keys and values"


def _cache_of_a_token(a, bits):
    if a.latent:
        numbers = f"{a.n_layer} × ({a.latent} + {a.rope_width}) × {bits} bits"
        return f"L × (C + R): {numbers}"
    return f"2 × L × K × D: 2 × {a.n_layer} × {a.kv_heads} × {a.width_of_head} × {bits} bits"


def arithmetic_table(architecture, tokens):
    """Operations for a token, part by part, and the usual estimate beside the exact count."""
    a, exact = architecture, costs.arithmetic(architecture, tokens)
    scores = "2 × H × (D + U)" if a.latent else "4 × H × D"
    seen = f"{figure(costs.seen(a, tokens), 4)} tokens seen in all blocks" if a.window else "L × (T + 1) / 2"
    parts = (
        ("Attention, its matrices", "2 for each parameter", exact.attention_matrices, "attention"),
        ("Attention, scores and sums", f"{scores} × {seen}", exact.scores, "attention"),
        (
            "Experts that a token passes" if a.n_expert else "Feed-forward",
            "2 for each parameter" + (", the router's too" if a.n_expert else ""),
            exact.feed_forward,
            "feed-forward",
        ),
        ("Output layer", f"2 × {'V' if a.tokens_scored else 'Y'} × d", exact.output, "embedding"),
    )
    parts = [part for part in parts if part[2]]
    rows = [[title, how, amount(n), percent(n / exact.forward, tenths=True)] for title, how, n, _ in parts]
    return table(
        f"Operations for a token of a text of {whole(tokens)}, forward",
        ["part", "how", "operations", "share"],
        rows,
        numeric=(2, 3),
        marks=[mark for *_, mark in parts],
        foot=["Forward", "", amount(exact.forward), "100 %"],
    )


def training_table(architecture, tokens, speed):
    """A compute-optimal run: how much text, how many operations, how long.  speed: operations a second."""
    exact, estimate = costs.arithmetic(architecture, tokens).training, costs.six_n(architecture)
    read = costs.optimal_tokens(architecture)
    run = f"{costs.TOKENS_PER_PARAMETER} × N = {amount(read)} tokens"
    named = (
        ("one token, exactly", "3 × forward", exact),
        ("one token, by 6 N", f"6 × {whole(estimate // 6)}", estimate),
        ("compute-optimal run, exactly", run, exact * read),
        ("compute-optimal run, by 6 N", run, estimate * read),
    )
    rows = [[title, how, amount(n), duration(costs.seconds(n, speed))] for title, how, n in named]
    caption = f"Training at {amount(speed)} operations a second"
    return table(caption, ["what", "how", "operations", "time"], rows, numeric=(2, 3))


def cost_notice(architecture, tokens):
    """Sentences: how far the estimate 6 N is off, and why; what grouped or latent keys and a window save."""
    a = architecture
    exact, estimate = costs.arithmetic(a, tokens), costs.six_n(a)
    scores = percent(exact.scores / exact.forward, tenths=True)
    yield (
        f"6 N is {_near(estimate / exact.training)} here: it leaves out attention's scores, {scores} of the "
        f"forward pass at {counted(tokens, 'token')}, and counts {_counted_idly(a)}."
    )
    kept = costs.kept_numbers(a)
    if a.latent:
        whole_ones = a.n_head * (a.width_of_head + a.value_width)
        yield (
            f"A block keeps {counted(kept, 'number')} of a token, from which keys and values are worked out "
            f"again; the keys and values themselves would be {whole(whole_ones)}."
        )
    elif a.kv_heads != a.n_head:
        times = a.n_head // a.kv_heads
        yield f"The cache holds key/value heads only: it is {times} times smaller than with one a query head."
    if a.n_windowed and tokens > a.window:
        all_of_it = size(costs.kv_cache(replace(a, window=0), tokens))
        yield (
            f"Where a token sees the last {whole(a.window)} alone, nothing older is kept: at 16 bits a text "
            f"takes {size(costs.kv_cache(a, tokens))}; without the window it would be {all_of_it}."
        )


def _near(ratio):
    """How near an estimate is: ratio is 1.1 for one that is 10 % too high."""
    if abs(ratio - 1) < 0.01:
        return "within 1 %"
    side = "high" if ratio > 1 else "low"
    if 0.5 < ratio < 2:
        return f"{100 * abs(ratio - 1):.0f} % too {side}"
    return f"too {side} by a factor of {figure(max(ratio, 1 / ratio), 2)}"


def _counted_idly(a):
    """What 6 N counts though nothing is multiplied with it."""
    scored = a.tied and a.tokens_scored
    if scored and a.positions == "rotary":
        return "the embedding once, for the output layer, which is right for a tied model"
    if scored:
        return "the positions too, which are looked up and multiply nothing"
    if a.positions == "learned":
        return "the input embedding and the positions too, which are looked up and multiply nothing"
    return "the input embedding too, which is looked up and multiplies nothing"
