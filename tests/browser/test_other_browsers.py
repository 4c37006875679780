"""What readers do, in Firefox and in WebKit: half of a class's phones are the latter."""

from urllib.parse import parse_qs, quote, urlsplit

import pytest

import engine
from tests.browser import other_browsers
from tests.browser.lens_page import ZORBIN

CONTROL, ENTER, DOWN, PAGE_DOWN, RIGHT = "\ue009", "\ue007", "\ue015", "\ue00f", "\ue014"
INSTALLED = [
    pytest.param(name, marks=pytest.mark.skipif(not here, reason=f"{name} is not installed"))
    for name, (_, here) in other_browsers.BROWSERS.items()
]
UNCOVERED = "all('.lens tbody tr').filter((row) => row.querySelector('td:not(.covered)')).length"


@pytest.fixture(scope="module", params=INSTALLED)
def visitor(request):
    """A browser, started once for this file."""
    started = other_browsers.BROWSERS[request.param][0]()
    yield started
    started.close()


def chosen(visitor):
    return {name: values[0] for name, values in parse_qs(urlsplit(visitor.address()).query).items()}


def whole(visitor):
    """Nothing failed, and nothing stands out of the screen."""
    assert (
        visitor.run("return all('[data-testid=stException], [data-testid=stAlertContentError]').length") == 0
    )
    visitor.until("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", [(1280, 900), (390, 844)])
def test_the_first_view_is_whole(server, visitor, size):
    visitor.open(f"{server.url}/diagram", *size)
    visitor.until("all('g[role=button][data-id]').length > 8")
    cut = """all("[data-testid=stPopoverButton] *").filter(
        (e) => e.tagName === "P" && e.parentElement.scrollWidth > e.parentElement.clientWidth).length"""
    visitor.until(f"{cut} === 0")
    whole(visitor)


def test_a_tap_on_a_part_shows_its_lines(server, visitor):
    visitor.open(f"{server.url}/diagram?part=norm1")
    visitor.until("named('.listing', /class RMSNorm/)")
    visitor.run("tap(all('g[role=button][data-id=feed_forward]')[0])")
    visitor.until("named('.listing', /class FeedForward|def feed_forward/)")
    visitor.until("location.search.includes('part=feed_forward')")
    visitor.settle()
    whole(visitor)


def test_the_walk_goes_on(server, visitor):
    visitor.open(f"{server.url}/diagram?step=1")
    visitor.until("named('button', /^Next/)")
    for step in (2, 3):
        visitor.run("tap(named('button', /^Next/))")
        visitor.until("new URLSearchParams(location.search).get('step') === arguments[0]", str(step))
        visitor.settle()
    whole(visitor)


def test_the_lens_reads_the_reader_s_own_text(server, visitor):
    visitor.open(f"{server.url}/lens?model=gpt-4")
    visitor.until("all('.lens tbody td').length")
    visitor.run("const field = document.querySelector('textarea'); field.focus(); field.select();")
    visitor.press(*ZORBIN, CONTROL + ENTER)
    model = engine.load("gpt-4")
    trace = engine.run(model, ZORBIN)
    lens = engine.logit_lens(model, trace)
    heads = "all('.lens thead .token').map((e) => e.textContent).join('|')"
    visitor.until(f"{heads} === arguments[0]", "|".join(trace.pieces))
    visitor.run("tap(all('.lens tbody tr')[2].querySelectorAll('td')[4])")
    listed = visitor.run("return all('.lens .candidate').map((e) => [+e.dataset.id, +e.dataset.p])")[:5]
    assert [one for one, _ in listed] == lens.ids[2, 4].tolist()
    assert [p for _, p in listed] == pytest.approx(lens.probabilities[2, 4].tolist(), rel=1e-6)
    visitor.until("location.search.includes('cell=2.4')")
    visitor.settle()
    assert chosen(visitor)["own"] == ZORBIN
    whole(visitor)


def test_class_mode_hears_its_keys(server, visitor):
    visitor.open(f"{server.url}/lens?model=gpt-4&text=own&own={quote(ZORBIN)}")
    visitor.until("all('.lens tbody td').length")
    visitor.run("named('label', /^Class mode/).querySelector('input').click()")
    visitor.until("all('.lens.teaching').length")
    visitor.settle()
    for count, key in enumerate((" ", DOWN, PAGE_DOWN), start=1):
        visitor.press(key)
        visitor.until(f"{UNCOVERED} === arguments[0]", count)
    visitor.until("location.search.includes('shown=3')")
    assert chosen(visitor)["class"] == "1"
    whole(visitor)


def test_a_sweep_runs_to_its_end(server, visitor):
    visitor.open(f"{server.url}/leave_out?model=gpt-1&guess1=50")
    visitor.run("tap(named('button', /^Measure/))")
    visitor.until("named('button', /^Predict again/)", seconds=240)
    visitor.settle()
    visitor.until("document.body.innerText.includes('As trained, the perplexity is')")
    whole(visitor)


def test_a_slider_moves_with_the_keys(server, visitor):
    visitor.open(f"{server.url}/rope")
    before = visitor.address()
    visitor.run("all('[role=slider], input[type=range]').find(seen).focus()")
    visitor.press(RIGHT)
    visitor.until("location.href !== arguments[0]", before)
    whole(visitor)
