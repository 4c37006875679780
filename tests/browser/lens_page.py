"""The lens page in a browser: its address, its cells, and what the engine says of the same text."""

import functools
from urllib.parse import quote

import engine

ZORBIN = "Once upon a time there was a robot named Zorbin Plax. Zorbin"
MODEL = "gpt-4"
CELL = ".lens table >> nth=0 >> tbody tr >> nth={row} >> td >> nth={column}"


@functools.cache
def measured(name, text):
    model = engine.load(name)
    trace = engine.run(model, text)
    return model, trace, engine.logit_lens(model, trace)


def address(server, **chosen):
    return f"{server.url}/lens?" + "&".join(f"{k}={quote(str(v))}" for k, v in chosen.items())


def own(server, text, **chosen):
    return address(server, text="own", own=text, model=MODEL, **chosen)


def cell(page, row, column):
    return page.locator(CELL.format(row=row, column=column))


def candidates(page):
    """[(id, probability, label), …] as the panel shows them."""
    return page.locator(".lens .panel .candidate").evaluate_all(
        "all => all.map(one => [+one.dataset.id, +one.dataset.p, one.querySelector('code').textContent])"
    )


def texts_of(page, row):
    return page.locator(f".lens table >> nth=0 >> tbody tr >> nth={row} >> td").all_text_contents()
