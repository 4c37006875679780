"""What the page on length shows: loss by position, read in three ways, and what follows from it."""

import math

from views import plots
from views.numbers import counted, figure, whole

TIMES = 4  # the training length: so far the rows go
LITTLE = 0.05  # nats: less is told as less than this
_LINES = (
    ("whole", "accent", "solid", 2.5),
    ("near", "attention", "dash", 1.5),
    ("alone", "norm", "dot", 1.5),
)


def readings(window):
    """The three ways of reading, as the plot names them."""
    return "read in one go", f"attention held to the latest {whole(window)} tokens", "each text by itself"


def curve(loss, window, dark=False):
    """Surprise by position -> (figure, columns)."""
    lines = zip(_LINES, readings(window), strict=True)
    traces = [_line(loss, line, said, dark) for line, said in lines]
    end = _training_end(window, dark)
    made = plots.chart(traces, "position in the row, tokens", "loss, nats a token", dark, shapes=[end])
    return made, columns(loss, window)


def _line(loss, line, said, dark):
    """The curve of one way of reading."""
    name, mark, dash, width = line
    return {
        "x": (loss.starts + loss.ends - 1) / 2,
        "y": getattr(loss, name),
        "type": "scatter",
        "mode": "lines+markers",
        "name": said,
        "hovertemplate": "around position %{x:.0f}: %{y:.3f} nats<extra></extra>",
        "line": {"color": plots.colour(mark, dark), "width": width, "dash": dash},
    }


def _training_end(window, dark):
    """The line where training ended."""
    label = {"text": "training ended here", "textposition": "end", "textangle": 0, "xanchor": "left"}
    line = {"color": plots.colour("stream", dark), "width": 2}
    upright = {"type": "line", "x0": window, "x1": window, "y0": 0, "y1": 1, "yref": "paper"}
    return {**upright, "line": line, "label": label}


def columns(loss, window):
    """The figures as columns, for a file."""
    said = (f"loss, {name}" for name in readings(window))
    return {
        "from position": loss.starts,
        "to position": loss.ends - 1,
        **dict(zip(said, (loss.whole, loss.near, loss.alone), strict=True)),
    }


def sentences(loss, window, joined):
    """What was measured, in words.  joined: whether training joined several texts in a row, too."""
    whole_row, near, alone = loss.beyond
    if any(map(math.isnan, (*loss.beyond, *loss.within))):
        return ["Too little was read to compare."]
    said = [
        f"Up to position {whole(window)} the loss is {figure(loss.within[0])} nats a token, read in one go. "
        f"Beyond it, {figure(whole_row)}; with attention held to the latest {whole(window)} tokens, "
        f"{figure(near)}; with each text by itself, {figure(alone)}."
    ]
    said.append(_far(whole_row - near))
    return [*said, _other_texts(near - alone, joined)]


def _far(extra):
    """What looking back farther than in training costs: nothing else differs between the two readings."""
    if extra > LITTLE:
        return (
            f"Looking back farther than in training costs {figure(extra)} nats: RoPE gives an angle "
            "for every distance, but training showed these weights neither such distances nor so many tokens "
            "to share attention among."
        )
    if extra < -LITTLE:
        return f"Looking back farther than in training helps here, by {figure(-extra)} nats."
    return f"Looking back farther than in training changes the loss by no more than {LITTLE} nats here."


def _other_texts(extra, joined):
    """What the other texts in view cost, within the distances of training."""
    trained = "" if joined else "; in training every text stood alone"
    if extra > LITTLE:
        return f"That other texts are in view costs {figure(extra)} nats{trained}."
    if extra < -LITTLE:
        return f"That other texts are in view helps, by {figure(-extra)} nats{trained}."
    return f"That other texts are in view changes the loss by no more than {LITTLE} nats{trained}."


def promise(window, rows):
    """What is promised and what is not."""
    return (
        f"*Promised*: every position gets its angle, and a pass runs to the end, here {TIMES} times the "
        f"{whole(window)} tokens of training. *Not promised*: that what comes out is of use. The curves are "
        f"means over {counted(rows, 'row')} of our own texts, joined end to end; the first token of a text "
        "is not counted, since nothing tells which text comes next. Another model, another text or another "
        "base can behave quite differently, so treat the training length as the limit until you have "
        "measured."
    )
