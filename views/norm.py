"""What the RMSNorm page shows, and the sentences that its measurement makes true."""

import numpy as np

from views import plots
from views.numbers import figure, form, within

SAME = 1e-4  # by hand and the library's are called equal up to here


def both_ends(first, last):
    """The measurement at both ends as a table: {heading: values}, a row for each end."""
    ends = (("embedding", first), ("after the last block", last))
    return {
        "where": [name for name, _ in ends],
        "root mean square before": [figure(float(one.before.mean())) for _, one in ends],
        "after": [f"{one.after.mean():.4f}" for _, one in ends],
        "largest difference from PyTorch's": [scientific(one.difference) for _, one in ends],
        "largest mean after RMSNorm": [figure(float(np.abs(one.mean_after).max()), 2) for _, one in ends],
        "after LayerNorm": [scientific(float(np.abs(one.layer_mean_after).max())) for _, one in ends],
    }


def scientific(x):
    """1.2e-07 -> "1.2 × 10⁻⁷"; 0 -> "0" """
    if x == 0:
        return "0"
    digits, power = f"{x:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def columns(first, last, labels):
    """Everything measured, a row for each token: {heading: values}."""
    table = {"position": list(range(len(labels))), "token": list(labels)}
    for name, one in (("embedding", first), ("last", last)):
        table |= {
            f"{name}: root mean square before": one.before.tolist(),
            f"{name}: after": one.after.tolist(),
            f"{name}: mean before": one.mean_before.tolist(),
            f"{name}: mean after RMSNorm": one.mean_after.tolist(),
            f"{name}: mean after LayerNorm": one.layer_mean_after.tolist(),
        }
    return table


def size_plot(first, last, labels, dark=False):
    """Root mean square of each token's vector, before and after, at both ends of the model."""
    traces = [
        _points(values, name, mark, symbol, labels, dark)
        for values, name, mark, symbol in (
            (first.before, "embedding, before", "embedding", "circle-open"),
            (first.after, "embedding, after", "embedding", "circle"),
            (last.before, "after the last block, before", "stream", "diamond-open"),
            (last.after, "after the last block, after", "stream", "square-open"),
        )
    ]
    ticks = [float(f"{digit}e{power}") for power in range(-4, 5) for digit in (1, 3)]
    y = {
        "title": "root mean square",
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{tick:,g}" for tick in ticks],
    }
    return plots.chart(traces, "position in the text", y, dark)


def size_sentence(first, last):
    """Before, after, and whether it is what the library computes."""
    start = (
        f"Before, a token's numbers have a root mean square of {figure(float(first.before.mean()))} on "
        f"average in the embedding and {figure(float(last.before.mean()))} after the last block."
    )
    after = np.concatenate((first.after, last.after))
    low, high = float(after.min()), float(after.max())
    level = (
        "After, with gain 1, every one is at 1.00."
        if low > 0.995 and high < 1.005
        else f"After, with gain 1, they lie between {figure(low)} and {figure(high)}: "
        "below 1 where a vector was so small that ε counts."
    )
    apart = max(first.difference, last.difference)
    check = (
        f"By hand and PyTorch's own rms_norm differ in no number by more than about {scientific(apart)}."
        if apart < SAME
        else f"By hand and PyTorch's own rms_norm differ by up to {scientific(apart)}, "
        "more than rounding explains."
    )
    return f"{start} {level} {check}"


def _points(values, name, mark, symbol, labels, dark):
    """One mark for each token, in Plotly's terms; labels are the tokens'."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.arange(len(labels)),
        "y": values,
        "name": name,
        "text": [plots.escape(label) for label in labels],
        "marker": {"color": plots.colour(mark, dark), "size": 9, "symbol": symbol},
        "hovertemplate": "%{text}: %{y:.4g}<extra></extra>",
    }


def mean_plot(one, labels, dark=False):
    """The mean of each token's numbers after RMSNorm and after LayerNorm."""
    traces = [
        _points(values, name, mark, symbol, labels, dark)
        for values, name, mark, symbol in (
            (one.mean_after, "after RMSNorm", "accent", "circle"),
            (one.layer_mean_after, "after LayerNorm", "norm", "x"),
        )
    ]
    return plots.chart(traces, "position in the text", "mean of the vector's numbers", dark)


def mean_sentence(one, label):
    """That RMSNorm scales and does not centre.  label: function from a position to Markdown."""
    at = int(np.abs(one.mean_after).argmax())
    mean = float(one.mean_after[at])
    centred = float(np.abs(one.layer_mean_after).max())
    if abs(mean) < 0.01:
        return (
            "RMSNorm does not centre, but these vectors have means near 0 anyway: after it the largest in "
            f"size is {figure(mean, 2)}. After LayerNorm, it is {scientific(centred)}."
        )
    return (
        f"RMSNorm scales, it does not centre: after it, the numbers of {label(at)} still average "
        f"{figure(mean, 2)}. LayerNorm takes each vector's mean away first; after it, the largest mean is "
        f"{scientific(centred)} in size."
    )


def epsilon_plot(size, eps, dark=False):
    """Root mean square after against before, for this ε -> (figure, columns)."""
    before = np.logspace(-6, 2, 161)
    after, hover = size_after(before, eps), "%{x:.2g} → %{y:.4f}"
    look = {"color": plots.colour("norm", dark), "width": 3}
    traces = [
        plots.scatter("lines", before, after, "after RMSNorm", hover, line=look),
        plots.chosen([size], [size_after(size, eps)], "your vector", hover, dark),
    ]
    x = {"title": "root mean square before", "type": "log", "exponentformat": "power", "dtick": 1}
    made = plots.chart(traces, x, "root mean square after", dark, shapes=[_root_line(eps, dark)])
    return made, {"before": before, "after": after}


def _root_line(eps, dark):
    """A line at √ε, from below which ε outweighs a vector."""
    return {
        "type": "line",
        "x0": eps**0.5,
        "x1": eps**0.5,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": plots.colour("quiet", dark), "dash": "dash", "width": 2},
        "label": {"text": "√ε", "textposition": "end", "font": {"color": plots.colour("norm", dark)}},
    }


def size_after(size, eps):
    """Root mean square after RMSNorm with gain 1, of a vector whose root mean square is `size`."""
    return size / np.sqrt(size**2 + eps)


def epsilon_title(eps, title=None):
    """An ε as a list shows it.  title: of the model that has it."""
    size = scientific(eps).removeprefix("1.0 × ")
    return f"{size}, as in {within(title)}" if title else size


def epsilon_sentence(size, eps, smallest):
    """What ε does to a vector of this size.  smallest: the smallest root mean square in the reader's text."""
    after = float(size_after(size, eps))
    share = 1 - after
    if share < 0.01:
        now = f"At this size ε takes away less than 1 %: after the norm, {after:.4f}."
    elif size**2 < eps:
        now = (
            f"This vector is smaller than √ε, so ε outweighs it: {figure(after)} after the norm. Without "
            "ε, it would be brought to 1, rounding errors and all, and a vector of zeros would be "
            "divided by 0."
        )
    else:
        now = f"ε takes something away here: {figure(after)} instead of 1."
    real = float(size_after(smallest, eps))
    text = f"The smallest vector in the stream of your text has a root mean square of {figure(smallest)}"
    if real > 0.99:
        return f"{now} {text}: this ε takes less than 1 % from it."
    return f"{now} {text}: this ε leaves it at {figure(real)}."


def gain_plot(gain, dark=False):
    """A norm's learned gains, a bar a dimension -> (figure, columns)."""
    trace = {
        "type": "bar",
        "x": np.arange(len(gain)),
        "base": 1,
        "y": gain - 1,
        "customdata": gain,
        "marker": {"color": plots.colour("norm", dark)},
        "hovertemplate": "dimension %{x}: %{customdata:.4f}<extra></extra>",
    }
    made = plots.chart([trace], "dimension", "gain (1 before training)", dark, bargap=0)
    return made, {"dimension": np.arange(len(gain)), "gain": gain.astype(float)}


def gain_sentence(gain):
    """From where to where the gains go, and what that does to the root mean square.  gain (width,)"""
    low, high = int(gain.argmin()), int(gain.argmax())
    width, size = len(gain), figure(float(np.sqrt((gain.astype(float) ** 2).mean())))
    after = (
        "The norm brings a vector to root mean square 1; if all of its numbers were of one size, these gains "
        f"would then bring it to {size}."
    )
    if gain.max() == gain.min():
        return f"All {width} gains are {figure(float(gain[0]))}. {after}"
    spread = (
        f"Training has moved these {width} gains from 1 to between {figure(float(gain[low]))} "
        f"(dimension {low}) and {figure(float(gain[high]))} (dimension {high}); their mean is "
        f"{figure(float(gain.mean()))}."
    )
    return " ".join([spread, after, *_closed_or_turned(gain)])


def _closed_or_turned(gain):
    """How many gains are near 0, and how many below it."""
    shut, negative = int((np.abs(gain) < 0.1).sum()), int((gain < 0).sum())
    found = []
    if shut:
        nearly = form(shut, "nearly closes its dimension", "nearly close their dimensions")
        found.append(f"{shut} {nearly} (below 0.1 in size).")
    if negative:
        found.append(f"{negative} {form(negative, 'turns', 'turn')} the sign.")
    return found


def other_norm_sentence(title, biased):
    """What is shown of a model that has LayerNorm in the place of RMSNorm.  biased: with learned biases."""
    learned = "its gains, not its biases" if biased else "its gains"
    return (
        f"{title} has LayerNorm, not RMSNorm: it takes each vector's mean away first. Its vectors are normed "
        f"here by hand, without what it learned; “Learned gains” shows {learned}."
    )


def order_sentence(rms):
    """What pre-norm lets the stream do.  rms (L+1,): mean root mean square of the stream's rows."""
    goes = "grows" if rms[-1] > rms[0] else "goes"
    return (
        "Pre-norm: the norm stands in the side road, and the stream itself is only added to. In this "
        f"model and text its root mean square {goes} from {figure(float(rms[0]))} to "
        f"{figure(float(rms[-1]))}. Post-norm: the norm stands in the stream, which is brought back to 1, "
        "times the gains, after every addition, and every gradient has to pass all of these norms."
    )
