"""Addresses: what was chosen opens again from its link, and no forged one breaks a page."""

import json

import pytest

from tests.pages import forging
from tests.pages.reader import SHORT, Reader, page_names

pytestmark = pytest.mark.no_cover  # the engine's own tests tell what they run; to note each line takes long
FEW = 20  # forged addresses in each of the tests below
TWO = (0, -1)  # which of a control's values are tried: the first and the last that it does not have


@pytest.mark.parametrize("block", range(15))
def test_no_forged_address_breaks_a_page(block):
    found = [forging.complaint(seed) for seed in range(FEW * block, FEW * (block + 1))]
    assert not [one for one in found if one], "\n".join(one for one in found if one)


@pytest.mark.parametrize("raw", forging.NESTED)
@pytest.mark.parametrize("name", ["guesses", "cell", "more", "follow"])
def test_no_nesting_is_too_deep_for_the_lens(name, raw):
    assert not [one for one in Reader("lens", **{name: raw}).trouble() if not one.startswith("warning")]


def test_a_text_in_the_address_is_cut_as_a_typed_one():
    reader = Reader("norm", model="gpt-1", text="own", own="word " * 9_000)
    assert len(reader.address["own"]) == 20_000
    assert "Only the first 20,000 letters of the 45,000" in " ".join(one.value for one in reader.at.warning)
    again = Reader("norm", **reader.address)
    assert again.address == reader.address
    assert "Only the first" not in " ".join(one.value for one in again.at.warning)


def shown(reader):
    """What the page shows, and how its controls stand; the count of its runs is left out."""
    texts = [
        (one.type, str(one.value)) for one in reader.nodes() if one.type in ("markdown", "caption", "table")
    ]
    made = [given for _, given in reader.components() if given]  # without data: what stands around the page
    data = [{**given, "start": None, "run": None, "journey": None} for given in made]
    controls = [
        (one.key, one.now) for one in reader.controls() if one.kind not in ("button", "expander", "radio")
    ]
    return texts, json.dumps(data, sort_keys=True), controls


def moved(page):
    """Views of a page in which one control, or a tab and one control of it, is moved from how it opens."""
    for control in Reader(page, **SHORT).controls():
        if control.kind in ("button", "expander", "radio", "checkbox"):
            continue
        others = [one for one in control.choices if one != control.now]
        for choice in {others[at] for at in TWO} if others else ():
            reader = Reader(page, **SHORT)
            yield reader.choose((reader.control(control.key), choice)), f"{control.label} = {choice}"


@pytest.mark.parametrize("page", page_names())
def test_what_was_chosen_opens_again_from_its_link(page):
    for reader, how in moved(page):
        again = Reader(page, **reader.address)
        assert again.address == reader.address, how
        assert shown(again) == shown(reader), how
