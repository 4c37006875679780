"""A class plays along: one projector and five phones, a whole game in real browsers."""

import io
import math
import re

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

import engine
from engine import guessing
from tests.browser import harness
from tests.said import close, number

TEXT = "Once upon a time there was a dog."
PLACES = (7, 8)
NAMES = ("Ada", "<b>Bob</b>", "", "\u202eeve", "$x$")
FIRST = ("a", "a", "the", "an", "<b>$x$</b>")
SECOND = ("dog", "cat", "dog", "dog", "dog")


@pytest.fixture
def place(fresh_server, tmp_path, monkeypatch):
    """The address of a server with rooms of its own."""
    monkeypatch.setenv("EXPLORER_ROOMS", f"sqlite:///{tmp_path}/rooms.sqlite")
    return fresh_server().url


def read_code(page):
    """The address that the QR code on the page holds, read from a picture of it."""
    picture = Image.open(io.BytesIO(page.locator("img.qr").screenshot()))
    found = zxingcpp.read_barcode(picture)
    return found.text if found else ""


def join(page, name):
    page.get_by_label("Nickname").fill(name)
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_text("You are in.").wait_for()


def vote(page, word):
    """Type a word and wait until the server has it."""
    page.get_by_role("textbox", name="What comes next?").fill(word)
    page.get_by_role("button", name=re.compile("^(Vote|Change)$")).click()
    page.get_by_text("Sending …").wait_for(state="hidden")
    page.get_by_text("Your vote:").wait_for()


def surprises(votes):
    """By hand: the mean surprise of votes [(right, all)] at each place, and of gpt-1 there."""
    model = engine.load("gpt-1")
    room = [-math.log((k + 1 / 8192) / (n + 1)) for k, n in votes]
    found = model.surprises(model.tokenizer.encode(TEXT))
    return sum(room) / len(room), float(sum(found[p - 1] for p in PLACES[: len(votes)])) / len(votes)


def score(page):
    """{who: its mean in nats} of the projector's table."""
    rows = page.locator(".table tr").all_inner_texts()
    split = [row.split("\t") for row in rows if "nats" in row and row.count("\t") == 4]
    return {row[0]: number(row[2].split()[0]) for row in split}


def opened(browser, address):
    """A projector that has opened a room for the text above."""
    page = harness.new_page(harness.new_context(browser, "projector"))
    page.goto(f"{address}/guess?text=own&own={TEXT.replace(' ', '+')}&where=picked&picked=7-8")
    harness.settled(page)
    page.get_by_text("Play it with a class").click()
    page.get_by_role("button", name="Open a room").click()
    page.locator("img.qr").wait_for()
    return page


def joined(browser, link):
    """Five phones that followed the QR code -> (pages, the connections of the third)."""
    phones, lines = [], []
    for n, name in enumerate(NAMES):
        phone = harness.new_page(harness.new_context(browser, "phone"))
        if n == 2:
            phone.route_web_socket(
                re.compile("stream"), lambda line: lines.append([line, line.connect_to_server()])
            )
        phone.goto(link)
        join(phone, name)
        phones.append(phone)
    return phones, lines


def test_a_whole_game_with_five_phones(place, browser):
    projector = opened(browser, place)
    harness.until(projector, lambda: harness.chosen(projector), lambda found: "steer" in found)
    wanted = re.compile(re.escape(place) + r"/join\?room=[A-Z]{4}")
    link = harness.until(projector, lambda: read_code(projector), wanted.fullmatch)
    phones, lines = joined(browser, link)
    projector.get_by_text("5 phones joined").wait_for()
    projector.get_by_role("button", name="Begin").click()

    for phone, word in zip(phones, FIRST, strict=True):
        vote(phone, word)
    vote(phones[3], "a")  # a change of mind
    lines[-1][0].close()  # a lost connection, with a vote on its way
    phones[2].get_by_role("textbox", name="What comes next?").fill("a")
    phones[2].get_by_role("button", name="Change").click()
    phones[2].locator(".mine code", has_text="·a").wait_for()
    phones[0].reload()
    phones[0].locator(".mine code", has_text="·a").wait_for()  # known again, and not twice
    projector.get_by_text("5 of 5 phones answered").wait_for()
    shown = projector.locator("body").inner_text()
    assert "·a" not in shown
    assert "nats" not in shown

    projector.keyboard.press("PageDown")  # a presenter's clicker
    projector.locator(".beside").wait_for()
    phones[0].get_by_text("Right: a point for you.").wait_for()
    phones[4].get_by_text("No point this time.").wait_for()
    check_score(projector, [(4, 5)])
    right = projector.locator("section.room li.right")
    harness.until(projector, lambda: right.inner_text().split(), ["·a", "4"])

    projector.get_by_role("button", name="Next place").click()
    for phone, word in zip(phones, SECOND, strict=True):
        vote(phone, word)
    projector.get_by_role("button", name="Show the answer").click()
    projector.locator("section.room li.right", has_text="·dog").wait_for()
    check_score(projector, [(4, 5), (4, 5)])
    phones[0].get_by_text("2 points of 2 so far").wait_for()
    phones[1].get_by_text("1 point of 2 so far").wait_for()
    finish(projector, phones)


def check_score(projector, votes):
    by_hand, of_gpt1 = surprises(votes)
    wanted = {"The room": by_hand, "gpt-1": of_gpt1}

    def by_both(told):
        return wanted.keys() <= told.keys() and all(close(told[who], mean) for who, mean in wanted.items())

    harness.until(projector, lambda: score(projector), by_both)
    room = guessing.perplexity([by_hand])
    said = projector.get_by_text("reads like a model of perplexity").first
    harness.until(projector, said.inner_text, lambda text: close(perplexity(text), room))


def perplexity(text):
    return number(re.search(r"perplexity ([\d.]+)", text)[1].rstrip("."))


def finish(projector, phones):
    projector.get_by_role("button", name="Finish").click()
    projector.get_by_text("Most points").wait_for()
    expect(projector.locator("b", has_text="Bob")).to_have_count(0)
    phones[0].get_by_text("The game is over.").wait_for()
    projector.get_by_role("button", name="End the room").click()
    phones[0].get_by_text("There is no room").wait_for()
    for page in (projector, *phones):
        heard = [one for one in harness.complaints(page) if "disconnected" not in one]
        assert not heard or page is phones[2], heard  # whose connection was cut
