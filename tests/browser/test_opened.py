"""A folder of checkpoints put beside the app with `-- --models FOLDER`, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests import checkpoints
from tests.browser import harness


@pytest.fixture(scope="module")
def beside(tmp_path_factory):
    """A server that was started with a folder of two checkpoints, one of which can't be opened."""
    models = tmp_path_factory.mktemp("models")
    checkpoints.write("neox", models / "tiny pythia")
    checkpoints.write("llama", models / "broken")
    checkpoints.edit(models / "broken", model_type="mamba")
    with harness.serve(harness.APP, "--", "--models", str(models)) as running:
        yield running
        assert "Traceback" not in running.log()


def test_an_opened_checkpoint_is_chosen_from_the_list_and_read_with_the_lens(beside, open_page):
    page = open_page(f"{beside.url}/lens")
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="Opened · tiny pythia").click()
    first = page.locator("th .token").first
    first.filter(has_text="The").wait_for()  # no marker stands before a text
    harness.until_chosen(page, model="tiny-pythia")
    harness.no_traceback(harness.settled(page))


def test_parallel_blocks_add_below_both_parts(beside, open_page):
    page = open_page(f"{beside.url}/diagram?model=tiny-pythia")
    places = {
        name: harness.box(page.locator(harness.part(name)))
        for name in ("attention", "feed_forward", "addition1", "addition2")
    }
    bottom = {name: box["y"] + box["height"] for name, box in places.items()}
    assert bottom["attention"] < bottom["feed_forward"] < bottom["addition1"] < bottom["addition2"]
    page.locator(harness.part("addition1")).click()
    page.get_by_text("modeling_gpt_neox.py").first.wait_for()
    assert not harness.axe(harness.settled(page))


def test_what_can_not_be_opened_stands_with_its_obstacle(beside, open_page):
    page = open_page(f"{beside.url}/models")
    row = page.get_by_role("row", name="broken")
    row.wait_for()
    expect(row).to_contain_text("a family that is not opened here", use_inner_text=True)
    expect(page.locator(harness.MAIN)).to_contain_text("1 can be opened", use_inner_text=True)
