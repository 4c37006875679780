"""Pre-norm and post-norm as two drawings, side by side."""

CSS = """
.orders { display: flex; flex-wrap: wrap; gap: 1rem 3rem; justify-content: center; }
.orders figure { margin: 0; flex: 1 1 18rem; max-width: 30rem; }
.orders figcaption { font-weight: 600; text-align: center; margin-bottom: 0.3rem; }
.orders svg { width: 100%; height: auto; }
.orders { color: var(--st-text-color); font-family: var(--st-font); }
.orders text { fill: currentColor; font-size: 15px; text-anchor: middle; dominant-baseline: central; }
.orders .stream { stroke: var(--mark-stream); stroke-width: 6; fill: none; }
.orders .road { stroke: var(--mark-stream); stroke-width: 2; fill: none; }
.orders rect, .orders circle { fill: var(--st-background-color); stroke-width: 2.5; }
.orders circle { stroke: var(--mark-stream); }
.orders .attention { stroke: var(--mark-attention); }
.orders .feed { stroke: var(--mark-feed-forward); }
.orders .norm { stroke: var(--mark-norm); }
.orders pre { text-align: center; margin: 0.3rem 0 0; font: 0.85rem var(--st-code-font); }
"""

PRE = "x = x + attention(norm(x))\nx = x + feed_forward(norm(x))"
POST = "x = norm(x + attention(x))\nx = norm(x + feed_forward(x))"


def html():
    """Both drawings: the stream runs down at the left, each part sits on a side road."""
    pre = _drawing(
        "Pre-norm", "as in our models", "the norms stand on the side roads", PRE, norm_in_stream=False
    )
    post = _drawing(
        "Post-norm", "Vaswani et al. 2017", "the norms stand in the stream", POST, norm_in_stream=True
    )
    return f'<div class="orders">{pre}{post}</div>'


def _drawing(name, whose, what, code, norm_in_stream):
    halves = "".join(
        _half(top, part, mark, norm_in_stream)
        for top, part, mark in ((10, "attention", "attention"), (190, "feed-forward", "feed"))
    )
    return (
        f"<figure><figcaption>{name}, {whose}</figcaption>"
        f'<svg viewBox="0 0 300 380" role="img" aria-label="{name}: {what}">'
        f'<path class="stream" d="M70 0 V380"/>{halves}</svg><pre>{code}</pre></figure>'
    )


def _half(top, part, mark, norm_in_stream):
    """One addition: a road that leaves the stream, passes its parts and comes back."""
    boxes = [(part, mark, 205, top + (60 if norm_in_stream else 80))]
    boxes.append(("norm", "norm", 70, top + 145) if norm_in_stream else ("norm", "norm", 205, top + 28))
    end = top + (105 if norm_in_stream else 130)
    drawn = f'<path class="road" d="M70 {top} H205 V{end} H84"/>'
    for label, kind, x, y in boxes:
        drawn += (
            f'<rect class="{kind}" x="{x - 62}" y="{y - 18}" width="124" height="36" rx="6"/>'
            f'<text x="{x}" y="{y}">{label}</text>'
        )
    plus = f'<circle cx="70" cy="{end}" r="13"/><text x="70" y="{end}">+</text>'
    return drawn + plus
