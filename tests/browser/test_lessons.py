"""A lesson taught in a real browser: through all its states by a presenter's clicker and by the buttons."""

from tests.browser import harness
from views import lessons

LENS = lessons.ready()["lens"]


def at(page, number):
    """Wait until a state is shown, and hold its address against the plan."""
    step = LENS.steps[number]
    page.wait_for_url(f"**/{step.page}?**lesson=lens.{number}**")
    page.get_by_text(step.ask).wait_for()
    harness.settled(page)
    chosen = harness.until_chosen(page, **step.chosen)
    others = {*chosen} - {*step.chosen, "lesson"}
    assert not others & {"with", "cell", "shown", "picked", "rows", "said"}, (
        others
    )  # nothing of an earlier state


def test_a_clicker_leads_through_a_lesson_and_uncovers_rows_on_the_way(server, open_page):
    page = open_page(f"{server.url}/lessons", "projector")
    page.get_by_role("button", name="Begin", exact=True).click()
    at(page, 0)
    page.keyboard.press("PageDown")
    at(page, 1)
    rows = page.locator(".lens .strip").first.locator("tbody tr")
    for _ in range(rows.count()):
        page.keyboard.press("PageDown")
    rows.last.locator("td:not(.covered)").first.wait_for()
    page.keyboard.press("PageDown")  # all rows are shown: the lesson goes on
    at(page, 2)
    page.get_by_role("button", name="Previous", exact=True).click()
    at(page, 1)
    page.get_by_role("button", name="Leave the lesson").click()
    page.get_by_role("button", name="Leave the lesson").wait_for(state="hidden")
    harness.until_chosen(page, lesson=None)
    harness.no_traceback(page)
