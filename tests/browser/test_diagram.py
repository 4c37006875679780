"""The diagram in a real browser: a tap shows the lines that run, without asking the server."""

import re

import pytest
from playwright.sync_api import expect

import engine
from tests.browser import harness

ON = ".row.on"
CODE = ".code .listing"


def part(page, part_id):
    return page.locator(f'g[data-id="{part_id}"]')


def shown_lines(page):
    """{line number: text} of the highlighted lines."""
    rows = page.locator(f"{CODE} {ON}")
    numbers = rows.evaluate_all("all => all.map(row => Number(row.dataset.line))")
    texts = rows.evaluate_all("all => all.map(row => row.textContent.replace(/\\n$/, ''))")
    return dict(zip(numbers, texts, strict=True))


def expected_lines(root, part_id, system="sprout"):
    found = engine.parts(system)[part_id]
    rows = (root / found.file).read_text().splitlines()
    return {n: rows[n - 1] for first, last in found.lines for n in range(first, last + 1)}


def measured(page):
    """Wait until the measured numbers are there."""
    page.locator(".chips button").first.wait_for()
    return harness.settled(page)


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_a_tap_on_attention_shows_the_lines_of_the_class_attention(server, open_page, root, screen):
    page = open_page(f"{server.url}/diagram", screen)
    part(page, "feed_forward").click()
    part(page, "attention").click()
    lines = shown_lines(page)
    assert lines == expected_lines(root, "attention")
    assert lines[min(lines)] == "class Attention(nn.Module):"
    harness.settled(page)
    first = page.locator(f'{CODE} .row[data-line="{min(lines)}"]')
    box, around = harness.box(first), harness.box(page.locator(CODE))
    assert around["y"] <= box["y"] <= around["y"] + around["height"], "the lines are not in view"
    harness.no_traceback(page)


# What of the code and the bars stands on the screen, with every part that there is, tapped without scrolling.
IN_ONE_VIEW = """() => {
    const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot)
        .find(r => r?.querySelector("g[data-id]"));
    const tap = id => root.querySelector(`g[data-id="${id}"]`)
        .dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const box = one => one.getBoundingClientRect();
    const found = {};
    tap("attention");
    tap("feed_forward");
    for (const id of [...root.querySelectorAll("g[data-id]")].map(g => g.dataset.id)) {
        if (!["attention", "feed_forward"].includes(id)) tap(id);
        const { top, bottom } = box(root.querySelector(".listing"));
        const seen = [...root.querySelectorAll(".listing .row")].filter(row =>
            box(row).top >= top - 1 && box(row).bottom <= Math.min(bottom, innerHeight) + 1);
        const bars = [...root.querySelectorAll(".reading li")];
        found[id] = {
            rows: seen.length,
            on: seen.some(row => row.matches(".on")),
            bars: bars.filter(bar => box(bar).bottom <= innerHeight).length,
        };
    }
    return found;
}"""


@pytest.mark.parametrize("size", [(1280, 800), (1366, 768), (1920, 1080)], ids=lambda size: f"{size[0]}")
def test_picture_running_lines_and_prediction_are_in_one_view(server, open_page, size):
    page = open_page(f"{server.url}/diagram?model=gpt-4")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    found = measured(page).evaluate(IN_ONE_VIEW)
    assert len(found) > 20
    short = {id: seen for id, seen in found.items() if seen["rows"] < 8 or not seen["on"] or seen["bars"] < 5}
    assert not short


def test_the_chosen_token_is_in_view_in_its_row(server, open_page):
    page = measured(open_page(f"{server.url}/diagram?model=gpt-1&token=30"))
    row, chip = (harness.box(page.locator(s)) for s in (".chips", ".chips button[aria-pressed=true]"))
    assert row["x"] <= chip["x"]
    assert chip["x"] + chip["width"] <= row["x"] + row["width"]


def test_a_tap_needs_no_server(server, open_page, root):
    page = open_page(f"{server.url}/diagram")
    # Clicking and reading happen in one go: no answer could have come in between.
    lines = page.evaluate(
        """() => {
            const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot)
                .find(r => r?.querySelector("g[data-id]"));
            root.querySelector('g[data-id="loss"]').dispatchEvent(new MouseEvent("click", { bubbles: true }));
            return [...root.querySelectorAll(".code .row.on")].map(row => Number(row.dataset.line));
        }"""
    )
    assert lines == [*expected_lines(root, "loss")]


def test_the_switch_of_the_model_changes_only_numbers(server, open_page):
    page = measured(open_page(f"{server.url}/diagram?model=gpt-1&part=embedding"))
    before = page.locator("g[data-id]").evaluate_all("all => all.map(g => g.dataset.id)")
    code = page.locator(CODE).inner_text()
    expect(part(page, "embedding")).to_contain_text("8,192 × 128")
    page.locator(".card summary").click()
    expect(page.locator(".card")).to_contain_text("1,048,576 of the model’s 1,311,168", use_inner_text=True)
    page.get_by_role("combobox", name="Model").scroll_into_view_if_needed()
    harness.settled(page)  # a list that is open while the page scrolls shuts
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="Sprout").click()
    harness.until_chosen(page, model="sprout")
    expect(part(page, "embedding")).to_contain_text("8,192 × 384")
    measured(page)
    expect(page.locator(".card")).to_contain_text("3,145,728 of the model’s 17,309,056", use_inner_text=True)
    assert page.locator("g[data-id]").evaluate_all("all => all.map(g => g.dataset.id)") == before
    expect(page.locator(CODE)).to_have_text(code)
    expect(part(page, "embedding")).to_have_attribute("aria-pressed", "true")
    harness.no_traceback(page)


def test_the_keyboard_reaches_and_opens_every_part(server, open_page):
    page = open_page(f"{server.url}/diagram")
    part(page, "tokens").focus()
    order = ["tokens"]
    for _ in range(14):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            """() => { let e = document.activeElement; while (e.shadowRoot) e = e.shadowRoot.activeElement;
                return e.dataset.id ?? null; }"""
        )
        if focused is None:
            break
        order.append(focused)
    assert (
        order
        == (
            "tokens embedding stream block blocks norm1 attention addition1 norm2 feed_forward addition2 "
            "final_norm output loss tie"
        ).split()
    )
    part(page, "attention").focus()
    page.keyboard.press("Enter")
    expect(part(page, "attention")).to_have_attribute("aria-expanded", "true")
    part(page, "causal_softmax").focus()
    page.keyboard.press("Space")
    expect(page.locator(".card h2")).to_have_text("Causal softmax")
    page.keyboard.press("Shift+Tab")
    harness.no_traceback(page)


def test_a_line_leads_to_its_part_and_then_to_the_part_around_it(server, open_page, root):
    page = open_page(f"{server.url}/diagram")
    line = next(n for n, text in expected_lines(root, "attention").items() if "is_causal=True" in text)
    row = page.locator(f'{CODE} .row[data-line="{line}"]')
    row.click()
    expect(part(page, "causal_softmax")).to_have_attribute("aria-pressed", "true")
    row.click()
    expect(part(page, "attention")).to_have_attribute("aria-pressed", "true")
    row.locator("button").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(part(page, "attention_output")).to_have_attribute("aria-pressed", "true")


def test_copied_code_has_no_line_numbers(server, open_page, root):
    page = open_page(f"{server.url}/diagram?part=addition1")
    text = page.evaluate(
        """() => {
            const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot)
                .find(r => r?.querySelector("g[data-id]"));
            const all = getSelection();
            all.selectAllChildren(root.querySelector(".code pre"));
            return all.toString();
        }"""
    )
    wanted = (root / "engine/model.py").read_text()
    assert text.strip("\n") == wanted.strip("\n")


def test_a_link_opens_the_part_it_names(server, open_page, root):
    page = open_page(f"{server.url}/diagram?part=rope&model=store&block=3&head=2")
    expect(part(page, "rope")).to_have_attribute("aria-pressed", "true")
    assert shown_lines(page) == expected_lines(root, "rope", "store")
    measured(page)
    expect(page.locator(".journey h3")).to_contain_text("in block 3", use_inner_text=True)
    part(page, "loss").click()
    page.wait_for_url(re.compile("part=loss"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_diagram_is_accessible_with_everything_open(server, open_page, scheme):
    page = measured(open_page(f"{server.url}/diagram?part=causal_softmax&model=gpt-1", scheme=scheme))
    part(page, "feed_forward").click()
    part(page, "causal_softmax").click()
    harness.settled(page)
    assert harness.axe(page) == []


def test_the_walk_goes_on_with_buttons_and_arrow_keys_and_its_link_comes_back(server, open_page):
    page = open_page(f"{server.url}/diagram")
    page.get_by_role("button", name="Start the guided walk").click()
    expect(part(page, "tokens")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Next").click()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(part(page, "norm1")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".walk")).to_contain_text("Step 4 of", use_inner_text=True)
    page.wait_for_url(re.compile("step=4"))
    harness.settled(page)
    again = open_page(f"{server.url}/diagram?step=4")
    expect(part(again, "norm1")).to_have_attribute("aria-pressed", "true")
    expect(again.locator(".walk")).to_contain_text("Step 4 of", use_inner_text=True)
    again.keyboard.press("ArrowRight")
    expect(part(again, "queries")).to_have_attribute("aria-pressed", "true")
    harness.no_traceback(again)


def test_the_matrix_of_a_head_is_a_tap_away_and_follows_the_head(server, open_page):
    page = measured(open_page(f"{server.url}/diagram?model=gpt-1&part=attention&token=3"))
    page.get_by_text("The whole matrix of head 1 of block 1").click()
    canvas = page.get_by_role("img", name="The attention of head 1 of block 1, all tokens")
    canvas.wait_for()
    assert canvas.evaluate("e => e.width") == page.locator(".chips button").count()
    ends = page.locator(".weights .axis").all_inner_texts()
    assert [said.split() for said in ends] == [
        ["0", "the", "token", "looked", "at", str(page.locator(".chips button").count() - 1)],
        ["0", "the", "token", "that", "looks", str(page.locator(".chips button").count() - 1)],
    ]
    before = canvas.screenshot()
    page.get_by_role("button", name="Head 2").click()
    other = page.get_by_role("img", name="The attention of head 2 of block 1, all tokens")
    other.wait_for()
    assert other.screenshot() != before
    harness.settled(page)
    assert harness.axe(page) == []
    harness.no_traceback(page)


def test_back_returns_to_the_part_before(server, open_page):
    page = open_page(f"{server.url}/diagram")
    for part_id in ("tokens", "output"):
        part(page, part_id).click()
        page.wait_for_url(re.compile(f"part={part_id}"))
        harness.settled(page)
    page.go_back()
    page.wait_for_url(re.compile("part=tokens"))
    page.wait_for_function(
        "() => [...document.querySelectorAll('*')].some(e => "
        "e.shadowRoot?.querySelector('g[data-id=tokens][aria-pressed=true]'))"
    )


def test_the_slider_walks_the_vector_up_without_a_server(server, open_page):
    page = measured(open_page(f"{server.url}/diagram?model=gpt-4&part=stream"))
    widths = "all => all.map(line => Number(line.getAttribute('stroke-width')))"
    before = page.locator(".vector").evaluate_all(widths)
    slider = page.get_by_role("slider", name="Block")
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator(".journey h3")).to_contain_text("in block 4", use_inner_text=True)
    after = page.locator(".vector").evaluate_all(widths)
    assert before != after
    assert (before[0], before[-1]) == (after[0], after[-1])
    assert after[-2] == after[-1]  # leaving the last block is entering the final norm
    page.wait_for_url(re.compile("block=4"))
    page.locator(".chips button").nth(3).click()
    page.wait_for_function("location.search.includes('token=3')")
    harness.settled(page)
    expect(page.locator(".journey h3")).to_contain_text("token 3,", use_inner_text=True)
    harness.no_traceback(page)


def test_the_first_load_fetches_no_plotly(server, browser):
    context = harness.new_context(browser)
    page, asked = harness.new_page(context), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server.url}/diagram")
    measured(page)
    assert not [url for url in asked if "plotly" in url.lower()]
    context.close()


def test_the_second_picture_marks_what_differs(server, open_page):
    page = open_page(f"{server.url}/diagram?compare=gpt2")
    second = page.locator("svg[aria-label='GPT-2 small']")
    second.locator('g[data-id="positions"]').click()
    differing = second.locator("g.differs").evaluate_all("all => all.map(g => g.dataset.id)")
    assert {"positions", "norm1", "attention", "feed_forward", "final_norm"} <= set(differing)
    expect(page.get_by_role("heading", name="Positions")).to_be_visible()
    assert harness.axe(page) == []
    harness.no_traceback(page)


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_the_outline_leads_through_the_whole_file(server, open_page, root, screen):
    page = open_page(f"{server.url}/code", screen)
    page.get_by_role("button", name="Attention Each token").click()
    expect(page.locator(".listing .row")).to_have_count(
        len((root / "engine/model.py").read_text().splitlines())
    )
    shown = page.locator(ON).evaluate_all("all => all.map(row => Number(row.dataset.line))")
    assert shown == [*expected_lines(root, "attention")]
    page.wait_for_url(re.compile("definition=Attention"))
    if screen == "desktop":  # on a phone, Streamlit's own drawer of pages is a list that axe complains of
        assert harness.axe(page) == []
    harness.no_traceback(page)


def test_an_answer_of_the_server_leaves_the_focus_and_the_picture_alone(server, open_page):
    page = measured(open_page(f"{server.url}/diagram?part=causal_softmax&model=gpt-4"))
    page.evaluate(
        """() => { const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot)
            .find(r => r?.querySelector("g[data-id]")); root.querySelector(".picture svg").kept = true; }"""
    )
    focused = """() => { let e = document.activeElement; while (e.shadowRoot) e = e.shadowRoot.activeElement;
        return e.ariaLabel ?? e.textContent; }"""
    page.get_by_role("button", name="Head 3").click()
    page.wait_for_url(re.compile("head=3"))
    harness.settled(page)
    harness.until(page, lambda: page.evaluate(focused), "Head 3")
    slider = page.get_by_role("slider", name="Block")
    slider.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        harness.settled(page)
    expect(page.locator(".journey h3")).to_contain_text("in block 3", use_inner_text=True)
    harness.until(page, lambda: page.evaluate(focused), "Block")
    chip = page.locator(".chips button").nth(2)
    chip.click()
    page.wait_for_url(re.compile("token=2"))
    harness.settled(page)
    harness.until(page, lambda: page.evaluate(focused), f"token 2, {chip.inner_text()}")
    assert page.locator(".picture svg").evaluate("svg => svg.kept")


MARK = """() => {
    const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot)
        .find(r => r?.querySelector(".tools"));
    const held = [...root.querySelectorAll(".tools input, .walk input, .walk button, .chips button")];
    window.__held ??= held;
    return window.__held.filter(one => one.isConnected && held.includes(one)).length;
}"""


def test_what_a_finger_may_be_on_stays_when_the_numbers_arrive(server, open_page):
    page = measured(open_page(f"{server.url}/diagram?model=gpt-4&step=4"))
    held = page.evaluate(MARK)
    assert held > 10
    page.locator(".chips button").nth(2).click()
    harness.until_chosen(page, token="2")
    harness.settled(page)
    expect(page.locator(".chips button").nth(2)).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(MARK) == held
    page.get_by_role("button", name="Text").first.click()
    page.get_by_role("textbox", name="The text itself").fill("One day")
    page.keyboard.press("Control+Enter")
    harness.until_chosen(page, own="One day")
    measured(page)
    assert page.evaluate(MARK) == 5, "the slider, the switch and the walk's three buttons"
