"""The parameter calculator in a real browser: type a model, read the sum, share it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import harness

# GPT-2 medium, typed into the calculator, and what its published tensors hold.
TYPED = {"Blocks L": 24, "Width d": 1024, "Feed-forward F": 4096, "Heads H": 16}
GPT2_MEDIUM = 354_823_168


def total(page, number):
    """Wait until the whole model has so many parameters."""
    expect(page.locator("dl.figures dd").first).to_have_text(f"{number:,}")


def column_sum(page, caption, column):
    """The whole numbers in a table's column: those of the lines, and the one in the last row."""
    table = page.get_by_role("table", name=caption)
    cells = table.locator(f"tr > :nth-child({column})").all_inner_texts()[1:]
    *lines, last = [int(cell.replace(",", "")) for cell in cells]
    return sum(lines), last


@pytest.mark.parametrize("screen", harness.SCREENS)
def test_type_a_model_read_the_sum_and_share_it(server, fresh_server, open_page, screen):
    page = open_page(f"{server.url}/parameters?a=gpt2", screen)
    total(page, 124_439_808)
    for label, value in TYPED.items():
        field = page.get_by_label(label, exact=True)
        field.fill(str(value))
        field.press("Enter")
        harness.settled(page)
    total(page, GPT2_MEDIUM)
    harness.until(page, lambda: column_sum(page, "By part", 2), (GPT2_MEDIUM, GPT2_MEDIUM))
    if "phone" in screen:
        page.get_by_text("Every matrix and vector, in the order of the forward pass").tap()
    harness.until(page, lambda: column_sum(page, "By matrix", 2), (GPT2_MEDIUM, GPT2_MEDIUM))
    harness.fits(page)
    harness.no_traceback(page)
    harness.until_chosen(page, **{"a": "gpt2", "a.d": "1024", "a.L": "24"})
    if screen == "phone":
        again = open_page(page.url.replace(server.url, fresh_server().url), screen)
        total(again, GPT2_MEDIUM)


def test_back_takes_back_a_setting(server, open_page):
    page = open_page(f"{server.url}/parameters?a=gpt2")
    field = page.get_by_label("Width d", exact=True)
    field.fill("960")
    field.press("Enter")
    harness.settled(page)
    expect(page.locator("dl.figures dd").first).not_to_have_text("124,439,808")
    page.go_back()
    harness.settled(page)
    total(page, 124_439_808)


def test_more_settings_untie_the_output(server, open_page):
    page = open_page(f"{server.url}/parameters?a=gpt2", "phone")
    page.get_by_role("button", name="More settings").tap()
    page.get_by_role("tab", name="Norms, biases").tap()
    page.get_by_text("Output tied to the embedding").tap()
    harness.settled(page)
    total(page, 163_037_184)
    harness.no_traceback(page)


def test_double_it_and_use_the_nearest(server, open_page):
    page = open_page(f"{server.url}/parameters?a=gpt-1&a.d=130")
    expect(page.get_by_text(re.compile("has to be even|shared evenly")).first).to_be_visible()
    page.get_by_role("button", name="Use the nearest").click()
    harness.settled(page)
    total(page, 1_311_168)
    page.get_by_role("button", name="Double d and F").click()
    harness.settled(page)
    expect(page.get_by_role("table", name="Doubling d and F")).to_be_visible()
    total(page, 2 * 8192 * 128 + 4 * (4 * 128**2 + 3 * 128 * 512) + 2 * (2 * 32 + 3 * 128))


SECTIONS = ("Compare", "Cost", "Our files", "A config.json", "Time")


def test_every_section_fits_a_phone(server, open_page):
    page = open_page(f"{server.url}/parameters", "phone")
    for section in SECTIONS:
        page.get_by_role("radio", name=section).tap()
        harness.settled(page)
        harness.fits(page)
    harness.no_traceback(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_section_is_accessible(server, open_page, scheme):
    page = open_page(f"{server.url}/parameters?a=gpt2&a.d=770", scheme=scheme)
    for section in SECTIONS:
        page.get_by_role("radio", name=section).click()
        harness.settled(page)
        assert harness.axe(page) == [], section


def test_an_uploaded_config_is_counted(server, open_page):
    page = open_page(f"{server.url}/parameters?count=config")
    config = b'{"model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 12, "n_head": 12}'
    page.locator("input[type=file]").set_input_files(
        {"name": "config.json", "mimeType": "application/json", "buffer": config}
    )
    page.get_by_text("This page's address holds the text").wait_for()
    harness.settled(page)
    address = page.url
    page.get_by_role("button", name="Take these settings").click()
    harness.settled(page)
    total(page, 124_439_808)
    reopened = open_page(address)
    expect(reopened.get_by_text("Family: GPT-2.")).to_be_visible()
    harness.no_traceback(page)


def test_a_forged_link_is_said_to_be_one(server, open_page):
    page = open_page(f"{server.url}/parameters?a=gpt-5&a.d=%3Cb%3E&a.L=%24x%24&count=no")
    expect(page.get_by_text("makes no sense here")).to_have_count(4)
    total(page, 17_309_056)
    harness.no_traceback(page)
