"""What a model costs, as tables and sentences."""

from engine.counting import costs, count_parameters
from views.numbers import figure, percent, short, whole
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
    each = f"2 × {a.n_layer} × {a.kv_heads} × {a.width_of_head} × {bits} bits"
    text = f"{whole(texts)} × {whole(tokens)} tokens"
    rows += [
        ["keys and values of one token", f"2 × L × K × D: {each}", size(costs.kv_cache(a, bits=bits))],
        ["keys and values of all texts", text, size(costs.kv_cache(a, tokens, texts, bits))],
    ]
    on_the_way = costs.activations(a, tokens, texts)
    rows += [
        ["forward pass, fullest moment", f"{text}, float32", size(on_the_way["forward"])],
        ["training, kept for the gradients", f"{text}, float32", size(on_the_way["training"])],
        ["training, the parameters", "weight, gradient, Adam's two means: 16 bytes each", size(16 * total)],
    ]  # fmt: skip
    return table("Memory (1 MB is 1,000,000 bytes)", ["what", "how", "size"], rows, numeric=(2,))


def arithmetic_table(architecture, tokens):
    """Operations for a token, part by part, and the usual estimate beside the exact count."""
    exact = costs.arithmetic(architecture, tokens)
    parts = (
        ("Attention, its matrices", "2 for each parameter", exact.attention_matrices, "attention"),
        ("Attention, scores and sums", "4 × L × H × D × (T + 1) / 2", exact.scores, "attention"),
        ("Feed-forward", "2 for each parameter", exact.feed_forward, "feed-forward"),
        ("Output layer", "2 × V × d", exact.output, "embedding"),
    )
    rows = [[title, how, amount(n), percent(n / exact.forward, tenths=True)] for title, how, n, _ in parts]
    return table(
        f"Operations for a token of a text of {whole(tokens)}, forward",
        ["part", "how", "operations", "share"],
        rows, numeric=(2, 3), marks=[mark for *_, mark in parts],
        foot=["Forward", "", amount(exact.forward), "100 %"],
    )  # fmt: skip


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
    """Sentences: how far the estimate 6 N is off, and why; what grouped keys save."""
    exact, estimate = costs.arithmetic(architecture, tokens), costs.six_n(architecture)
    off = estimate / exact.training - 1
    near = "within 1 %" if abs(off) < 0.01 else f"{100 * abs(off):.0f} % too {'high' if off > 0 else 'low'}"
    idle = (
        "counts the embedding once, for the output layer, which is right for a tied model"
        if architecture.tied
        else "counts the input embedding too, which is looked up and multiplies nothing"
    )
    scores = percent(exact.scores / exact.forward, tenths=True)
    yield (
        f"6 N is {near} here: it leaves out attention's scores, {scores} of the forward pass "
        f"at {whole(tokens)} tokens, and {idle}."
    )
    if architecture.kv_heads != architecture.n_head:
        times = architecture.n_head // architecture.kv_heads
        yield f"The cache holds key/value heads only: it is {times} times smaller than with one a query head."
