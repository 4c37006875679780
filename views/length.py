"""What the page on length shows: loss by position, and what it promises."""

from views import plots
from views.numbers import counted, figure, whole


def curve(loss, window, dark=False):
    """Surprise by position -> (figure, columns)."""
    middle = (loss.starts + loss.ends - 1) / 2
    hover = "around position %{x:.0f}: %{y:.3f} nats<extra></extra>"
    traces = [
        {
            "x": middle, "y": loss.whole, "type": "scatter", "mode": "lines+markers", "hovertemplate": hover,
            "name": "read in one go",
            "line": {"color": plots.colour("accent", dark), "width": 2.5},
        },
        {
            "x": middle, "y": loss.pieces, "type": "scatter", "mode": "lines+markers", "hovertemplate": hover,
            "name": f"the same tokens, in pieces of {window}",
            "line": {"color": plots.colour("norm", dark), "width": 1.5, "dash": "dot"},
        },
    ]  # fmt: skip
    end = {
        "type": "line", "x0": window, "x1": window, "y0": 0, "y1": 1, "yref": "paper",
        "line": {"color": plots.colour("stream", dark), "width": 2},
        "label": {"text": "training ended here", "textposition": "end", "textangle": 0, "xanchor": "left"},
    }  # fmt: skip
    made = plots.chart(traces, "position in the text, tokens", "loss, nats a token", dark, shapes=[end])
    return made, columns(loss)


def columns(loss):
    """The figures as columns, for a file."""
    return {
        "from position": loss.starts,
        "to position": loss.ends - 1,
        "loss in one go": loss.whole,
        "loss in pieces": loss.pieces,
    }


def sentences(loss, window):
    """What was measured, in words."""
    inside = loss.ends - 1 <= window
    within, beyond = float(loss.whole[inside].mean()), float(loss.whole[~inside].mean())
    in_pieces = float(loss.pieces[~inside].mean())
    extra = beyond - in_pieces
    said = [
        f"Up to position {whole(window)} the loss is {figure(within)} nats a token; beyond it, "
        f"{figure(beyond)}, and for the same tokens read in pieces {figure(in_pieces)}."
    ]
    last = float(loss.whole[-1] - loss.pieces[-1])
    if extra > 0.05:
        said.append(
            f"The length itself costs {figure(extra)} nats: RoPE gives an angle for every position, but the "
            f"model can't use distances it never saw. At the end it costs {figure(last)}."
        )
    elif extra < -0.05:
        said.append(f"Reading on helps here, by {figure(-extra)} nats: more of the text before is of use.")
    else:
        said.append("Here the length itself costs next to nothing.")
    return said


def promise(window, rows):
    """What is promised and what is not."""
    return (
        "*Promised*: every position gets its angle, and a pass runs to the end, up to four times the "
        f"{window} tokens of training. *Not promised*: that what comes out is of use. The curve is the mean "
        f"over {counted(rows, 'row')} of our own texts, joined end to end; another model, "
        "another text or another base can behave quite differently, so treat the training length as the "
        "limit until you have measured."
    )
