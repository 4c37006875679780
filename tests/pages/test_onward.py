"""No page is an island: each leads on, and those about a part lead back to it and are led to from it."""

import pytest

from engine.counting.published import BY_ID
from tests.pages.reader import SHORT, Reader, page_names
from ui import shell
from views import diagram, diagram_links


def links(reader):
    """{label: (page, its query)} of the page's links."""
    found = [one.proto for one in reader.at.get("page_link")]
    return {one.label: (one.page, one.query_string) for one in found}


@pytest.mark.parametrize("page", page_names())
def test_a_page_ends_with_what_comes_next(page):
    reader = Reader(page, **SHORT)
    onward = [label for label in links(reader) if label.startswith("**Next: ")]
    assert len(onward) == 1
    title = next(
        title for entries in shell.MENU.values() for name, title, _ in entries if name == shell.after(page)
    )
    assert onward[0].startswith(f"**Next: {title}.**")
    assert not reader.trouble()


@pytest.mark.parametrize("page", page_names())
def test_every_page_is_in_the_menu_with_a_line(page):
    lines = {name: line for entries in shell.MENU.values() for name, _, line in entries}
    assert lines[page].endswith((".", "?"))
    assert len(lines[page]) < 70


def test_the_path_leads_through_every_page_it_names_and_back():
    there = [name for name in shell.PATH if name in shell.names()]
    reached, at = [], shell.START
    while at not in reached:
        reached.append(at)
        at = shell.after(at)
    assert reached == there
    assert all(shell.after(name) in shell.names() for name in shell.names())


@pytest.mark.parametrize("name", ["gpt-4", "store"])
def test_a_part_leads_to_its_page_and_the_page_back_to_a_part(name):
    a = BY_ID[name].architecture
    drawn = diagram.drawn(a)
    led_to = {page for part in drawn for page, _ in diagram_links.pages(part, a, shell.names())}
    assert {"stream", "norm", "attention", "rope", "gate", "lens", "depth"} <= led_to
    assert led_to <= {*shell.names()}
    assert led_to <= {*shell.IN_THE_PICTURE}
    assert {*shell.IN_THE_PICTURE.values()} <= {*drawn}


def test_the_way_back_names_the_part():
    found = links(Reader("rope", **SHORT))["Its place in the picture"]
    assert found[1] == "part=rope"
