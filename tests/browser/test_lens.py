"""The logit lens in a real browser: taps, keys, the address, and values that are the engine's."""

import numpy as np
import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import engine
from engine import weights
from engine.lens import probability_of
from engine.sampling import write_on
from tests.browser import harness
from tests.browser.lens_page import MODEL, ZORBIN, address, candidates, cell, measured, own, texts_of
from views.numbers import percent

ODD = "tab\there <b>bold</b> $x$ &amp; 🦊 שלום, а and a\n=1+1 " + "`code` *it* "


def shows(page, lens, model, row, column):
    """The panel's five candidates are the engine's: ids, labels, and probabilities to the last bit."""
    ids = lens.ids[row, column].tolist()
    listed = harness.until(page, lambda: candidates(page)[:5], lambda found: [one[0] for one in found] == ids)
    assert [np.float32(one[1]) for one in listed] == lens.probabilities[row, column].tolist()
    assert [one[2] for one in listed] == [model.tokenizer.label(i) for i in lens.ids[row, column]]


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_type_tap_read_and_share(server, fresh_server, open_page, screen):
    model, trace, lens = measured(MODEL, ZORBIN)
    page = open_page(address(server, model=MODEL), screen)
    field = page.get_by_role("textbox", name="The text itself")
    field.fill(ZORBIN)
    field.press("Control+Enter")
    harness.settled(page)
    place = cell(page, 2, len(trace.ids) - 2)
    place.tap() if screen == "phone" else place.click()
    harness.settled(page)
    shows(page, lens, model, 2, len(trace.ids) - 2)
    title = page.locator(".lens .panel h2")
    harness.until(page, lambda: title.evaluate("e => e.getBoundingClientRect().top < innerHeight"), True)
    harness.until_chosen(page, cell=f"2.{len(trace.ids) - 2}")
    harness.no_traceback(page)

    again = open_page(page.url.replace(server.url, fresh_server().url), screen)
    expect(again.get_by_role("textbox", name="The text itself")).to_have_value(ZORBIN)
    shows(again, lens, model, 2, len(trace.ids) - 2)
    expect(cell(again, 2, len(trace.ids) - 2)).to_have_attribute("aria-selected", "true")
    harness.no_traceback(again)


def test_a_typed_text_is_answered_by_the_grid_before_the_page_below_it(server, open_page):
    page, came = open_page(address(server, model=MODEL)), []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda one: came.append(one)))
    page.reload()
    harness.settled(page)
    notice = page.get_by_test_id("stMarkdown").filter(has_text="What to notice.").first
    before = notice.inner_text()
    came.clear()
    field = page.get_by_role("textbox", name="The text itself")
    field.fill(ZORBIN)
    field.press("Control+Enter")
    expect(notice).not_to_have_text(before)
    harness.settled(page)
    messages = [ForwardMsg.FromString(one) for one in came]
    kinds = [one.delta.new_element.WhichOneof("type") for one in messages]
    assert not any(one.WhichOneof("type") == "navigation" for one in messages)  # the page itself didn't run
    assert kinds.index("bidi_component") < kinds.index("text_area") < kinds.index("markdown")
    assert sum(one.WhichOneof("type") == "new_session" for one in messages) == 1  # and nothing ran twice
    harness.no_traceback(page)


def test_a_tap_is_answered_without_the_server(server, open_page):
    model, _, lens = measured(MODEL, ZORBIN)
    page = open_page(own(server, ZORBIN))
    page.context.set_offline(True)
    cell(page, 1, 4).click()
    shows(page, lens, model, 1, 4)


def test_the_keys_walk_the_grid_and_enter_chooses(server, open_page):
    model, trace, lens = measured(MODEL, ZORBIN)
    page = open_page(own(server, ZORBIN, cell="1.2"))
    cell(page, 1, 2).focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    shows(page, lens, model, 2, 3)
    assert harness.chosen(page)["cell"] == "1.2"
    page.keyboard.press("Enter")
    harness.until_chosen(page, cell="2.3")
    page.keyboard.press("End")
    at = "document.activeElement.shadowRoot.activeElement.cellIndex"
    harness.until(page, lambda: page.evaluate(at), len(trace.ids))


def test_the_mouse_over_a_cell_previews_it(server, open_page):
    model, _, lens = measured(MODEL, ZORBIN)
    page = open_page(own(server, ZORBIN, cell="4.1"))
    cell(page, 0, 3).hover()
    shows(page, lens, model, 0, 3)
    page.mouse.move(2, 2)
    shows(page, lens, model, 4, 1)


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_rows_comparing_and_following_are_chosen_without_hunting(server, open_page, screen):
    page = open_page(own(server, ZORBIN, cell="4.1"), screen)
    for name in ("Rows", "Compare with", "Follow a token"):
        expect(page.get_by_label(name, exact=True).first).to_be_visible()
    grid, rows = page.locator(".lens .area"), page.get_by_label("Rows", exact=True).first
    below = harness.box(grid)["y"] < harness.box(rows)["y"]
    assert below == (screen == "phone")  # there, the picture comes first
    if screen == "phone":
        assert harness.box(cell(page, 4, 1))["y"] < 844
    page.get_by_label("Follow a token", exact=True).fill("robot")
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Cells show")).to_have_value("follow")
    harness.until(page, lambda: harness.chosen(page), lambda found: "follow" in found)


def test_a_swipe_moves_the_grid_and_not_the_page(server, open_page):
    page = open_page(own(server, ZORBIN, cell="4.1"), "phone")
    harness.fits(page)
    box = page.locator(".lens .scroll")
    before = box.evaluate("e => e.scrollLeft")
    swipe(page, box)
    harness.until(page, lambda: box.evaluate("e => e.scrollLeft"), lambda now: now > before + 50)
    assert page.evaluate("scrollX") == 0


def swipe(page, box):
    """A finger that moves 200 px to the left on the grid."""
    client = page.context.new_cdp_session(page)
    box.scroll_into_view_if_needed()
    at = harness.box(box)
    x, y = at["x"] + at["width"] - 30, at["y"] + 60
    for kind, moved in [("Start", 0), *(("Move", 20 * step) for step in range(1, 11)), ("End", None)]:
        points = [] if moved is None else [{"x": x - moved, "y": y}]
        client.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})


def test_odd_tokens_stand_literally_in_their_columns(server, open_page):
    model, trace, lens = measured(MODEL, ODD)
    page = open_page(own(server, ODD))
    heads = page.locator(".lens thead th .token")
    harness.until(page, heads.all_text_contents, list(trace.pieces))
    drawn = page.locator(".lens tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(td => td.textContent))"
    )
    assert drawn == [[model.tokenizer.label(i) for i in row] for row in lens.ids[:, :, 0]]
    expect(page.locator(".lens b")).to_have_count(0)
    harness.no_traceback(page)


def test_the_frame_is_where_the_top_candidate_is_the_real_next_token(server, open_page):
    _, _, lens = measured("gpt-1", ZORBIN)
    page = open_page(address(server, model="gpt-1", text="own", own=ZORBIN))
    framed = page.locator(".lens tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(td => td.classList.contains('right')))"
    )
    assert framed == (lens.ids[:, :, 0] == lens.next_ids).tolist()


def test_a_long_text_is_cut_with_a_notice_that_says_where(server, open_page):
    text = "dog " * 700
    page = open_page(own(server, text))
    limit = measured(MODEL, "a")[0].context
    notice = page.get_by_text("It is cut after")
    assert f"reads {limit}" in notice.inner_text()
    expect(page.locator(".lens thead th .token")).to_have_count(limit)
    harness.no_traceback(page)


@pytest.mark.parametrize("query", [
    "cell=99.9999", "cell=%00", "measure=x&cell=1", "model=store&text=own&cell=1.0", "text=own&own=",
    "text=own&own=%F0%9F%A6%8A%EF%BF%BD%00", "follow=-1&with=gpt-9&lens=x&within=2&class=7&guess=%7B",
])  # fmt: skip
def test_a_forged_address_is_never_punished(server, open_page, query):
    page = open_page(f"{server.url}/lens?{query}")
    expect(page.locator(".lens tbody td")).not_to_have_count(0)
    harness.no_traceback(page)


@pytest.mark.parametrize("name", [n for n in weights.available() if n != MODEL])
def test_every_model_has_its_lens(server, open_page, name):
    page = open_page(address(server, model=name))
    listed = harness.until(page, lambda: candidates(page), lambda found: len(found) >= 5)
    assert all(0 <= p <= 1 for _, p, _ in listed)
    expect(page.locator(".lens tbody tr")).to_have_count(engine.load(name).architecture.n_layer + 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lens_is_accessible(server, open_page, scheme):
    assert harness.axe(open_page(own(server, ZORBIN, cell="2.3"), scheme=scheme)) == []


def says(page, row, texts):
    """Wait until a row of the grid says this."""
    harness.until(page, lambda: texts_of(page, row), texts)


def shown(p):
    """As the grid writes a probability: a softmax gives none all or nothing."""
    return percent(np.clip(p, 1e-9, 1 - 1e-9, dtype=float))


def test_the_measures_show_the_engines_numbers(server, open_page):
    model, trace, lens = measured(MODEL, ZORBIN)
    page = open_page(own(server, ZORBIN, cell="2.3"))
    select = page.get_by_role("combobox", name="Cells show")
    select.select_option("rank")
    says(page, 2, [*(f"{rank:,}" for rank in lens.next_rank[2, :-1]), "–"])
    select.select_option("next")
    says(page, 3, [shown(p) for p in lens.next_probability[3]])
    select.select_option("entropy")
    says(page, 1, ["< 0.01" if h < 0.005 else f"{h:.2f}" for h in lens.entropy[1]])
    select.select_option("divergence")
    says(page, model.architecture.n_layer, ["0"] * len(trace.ids))
    harness.settled(page)
    page.reload()
    harness.settled(page)
    expect(page.get_by_role("combobox", name="Cells show")).to_have_value("divergence")
    harness.no_traceback(page)


def test_a_token_is_followed_through_every_cell(server, open_page):
    model, trace, lens = measured(MODEL, ZORBIN)
    page = open_page(own(server, ZORBIN, cell="1.4"))
    page.locator(".lens .candidate").first.click()
    token = int(lens.ids[1, 4, 0])
    harness.until_chosen(page, follow=str(token))
    expected = probability_of(model, lens, trace.streams, token)
    says(page, 1, [shown(p) for p in expected[1]])
    harness.no_traceback(page)


def test_two_models_stand_in_linked_cells(server, open_page):
    _, _, other = measured("gpt-1", ZORBIN)
    page = open_page(own(server, ZORBIN, **{"with": "gpt-1"}))
    expect(page.locator(".lens table")).to_have_count(2)
    cell(page, engine.load(MODEL).architecture.n_layer, 6).click()
    harness.settled(page)
    chosen = page.locator(".lens table >> nth=1 >> td[aria-selected=true]")
    place = "e => [e.parentNode.rowIndex - 1, e.cellIndex - 1]"
    harness.until(page, lambda: chosen.evaluate(place), [1, 6])
    listed = page.locator(".lens .panel ol >> nth=1 >> .candidate").evaluate_all(
        "all => all.map(one => +one.dataset.id)"
    )
    assert listed[:5] == other.ids[1, 6].tolist()
    page.locator(".lens .scroll >> nth=0").evaluate("e => { e.scrollLeft = 90; }")
    second = page.locator(".lens .scroll >> nth=1")
    harness.until(page, lambda: second.evaluate("e => e.scrollLeft"), 90)
    harness.no_traceback(page)


def test_what_is_taken_away_opens_offline_and_holds_the_values(server, open_page, browser, tmp_path):
    model, _, lens = measured(MODEL, ODD)
    page = open_page(own(server, ODD))
    kept = {}
    for label in ("Download CSV", "Download page (HTML)", "Save picture"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        kept[label] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(kept[label])
    assert kept["Download CSV"].read_text("utf-8").count("\n") > lens.ids.shape[0] * lens.ids.shape[1]
    assert kept["Save picture"].read_bytes().startswith(b"\x89PNG")
    offline = harness.new_page(harness.new_context(browser))
    offline.context.set_offline(True)
    offline.goto(kept["Download page (HTML)"].as_uri())
    cell(offline, 2, 3).click()
    shows(offline, lens, model, 2, 3)
    assert not harness.complaints(offline)
    offline.context.close()
    harness.no_traceback(page)


def test_the_model_writes_on_and_the_lens_shows_what_it_wrote(server, open_page):
    page = open_page(own(server, ZORBIN, heat=0, write=3))
    before = page.locator(".lens thead th .token").count()
    page.get_by_text("Let the model write on").click()
    harness.settled(page)
    expect(page.get_by_text("Temperature 0 keeps the likeliest token alone")).to_be_visible()
    page.get_by_role("button", name="Write on", exact=True).click()
    harness.settled(page)
    model, trace, _ = measured(MODEL, ZORBIN)
    wrote = list(write_on(model, trace.ids, 3, temperature=0))
    heads = page.locator(".lens thead th .token")
    written = [model.tokenizer.label(i) for i in wrote]
    harness.until(page, lambda: heads.all_text_contents()[before:], written)
    expect(page.locator(".lens thead th.written")).to_have_count(len(wrote))
    harness.no_traceback(page)


def test_512_columns_scroll(server, open_page):
    page = open_page(own(server, "dog " * 511, cell="0.500"), "phone")
    box = page.locator(".lens .scroll")
    frames = box.evaluate(
        """async (box) => {
            box.scrollLeft = 0;
            let frames = 0;
            for (; frames < 30; frames++) {
                await new Promise(requestAnimationFrame);
                box.scrollLeft += 100;
            }
            return [frames, box.scrollLeft];
        }"""
    )
    assert frames == [30, 3000]


def test_what_was_before_training_fits_a_phone(server, open_page):
    page = open_page(own(server, "Zorbin met Zorbin."), "phone")
    page.get_by_text("Before its training").click()
    table = page.get_by_role("region", name="The top candidate, before and after training")
    table.wait_for()
    harness.until(page, lambda: table.evaluate("box => box.scrollWidth <= box.clientWidth"), True)
    harness.no_traceback(page)
