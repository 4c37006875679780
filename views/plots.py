"""What all curves and bars share: the marks' colours, and labels that show text as it is."""

from views import marks

HEIGHT = 420  # pixels
QUIET = ("#8a8a86", "#8f919a")  # lines and areas that only help to read


def colour(name, dark=False):
    """The colour of a thing, by its name in marks.BY_NAME; "quiet" for what only helps to read."""
    pair = QUIET if name == "quiet" else marks.BY_NAME[name]
    return pair[bool(dark)]


# The looks of lines that stand for models, by their places in the list: a colour, a dash and a symbol each.
_COLOURS = ("norm", "embedding", "accent", "feed-forward", "attention", "tie")
_DASHES = ("dot", "dash", "solid", "dashdot", "longdash")
_SYMBOLS = ("circle", "square", "diamond", "x", "triangle-up", "cross", "star")


def look(place, dark=False):
    """How the model at a place of the list is drawn, in Plotly's terms: its line and its markers."""
    mark, dash = _COLOURS[place % len(_COLOURS)], _DASHES[place % len(_DASHES)]
    return {
        "line": {"color": colour(mark, dark), "width": 3, "dash": dash},
        "marker": {"size": 10, "symbol": _SYMBOLS[place % len(_SYMBOLS)]},
    }


def escape(text):
    """A text -> the Plotly label that shows exactly this text: no tags, entities or formulas."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;")):
        text = text.replace(sign, entity)
    return text


def chart(traces, x, y, dark=False, height=HEIGHT, **layout):
    """Plotly traces -> a figure in the calm look of all pages.  x, y: the axes' titles, or axis settings."""
    import plotly.graph_objects as go

    def axis(given):
        wanted = given if isinstance(given, dict) else {"title": given}
        ink = colour("norm", dark)
        return {"zeroline": False, "automargin": True, "fixedrange": True, "color": ink, **wanted}

    return go.Figure(
        traces,
        {
            "height": height,
            "dragmode": False,
            "margin": {"l": 8, "r": 8, "t": 32, "b": 8},
            "legend": {"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0},
            "xaxis": axis(x),
            "yaxis": axis(y),
            **layout,
        },
    )


def scatter(mode, x, y, name, hover, **look):
    """Points or a line, in Plotly's terms.  mode: "lines", "markers" or both; hover: what a place says."""
    said = f"{hover}<extra></extra>"
    return {"type": "scatter", "mode": mode, "x": x, "y": y, "name": name, "hovertemplate": said, **look}


def chosen(x, y, name, hover, dark=False, size=14):
    """The places that the reader chose."""
    return scatter("markers", x, y, name, hover, marker={"color": colour("accent", dark), "size": size})


def limit_line(y, text, mark, dark, side):
    """A dashed line across a plot at y, named on its side: "top" or "bottom" of the words touches it."""
    shade = colour(mark, dark)
    return {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "xref": "paper",
        "y0": y,
        "y1": y,
        "line": {"color": shade, "dash": "dash", "width": 2},
        "label": {"text": text, "textposition": "start", "yanchor": side, "font": {"color": shade}},
    }
