"""The RMSNorm page, driven without a browser."""

from functools import partial

import pytest

from tests.pages import reader

opened = partial(reader.sound, page="norm")


def said(at):
    return " ".join(one.value for one in [*at.markdown, *at.caption])


@pytest.mark.parametrize("idea", ["size", "mean", "epsilon", "gains", "order"])
@pytest.mark.parametrize("model", ["gpt-1", "store"])
def test_every_idea_says_what_to_notice(root, idea, model):
    assert "What to notice" in said(opened(root, rms=idea, model=model, norm="1000", power="-6"))


@pytest.mark.parametrize(("model", "eps"), [("gpt-1", "10⁻⁶"), ("store", "10⁻⁵")])
def test_by_hand_equals_the_library_on_the_readers_text(root, model, eps):
    at = opened(root, model=model)
    assert "differ in no number by more" in said(at)
    assert eps in said(at)
    assert list(at.table[0].value["where"]) == ["embedding", "after the last block"]


@pytest.mark.parametrize("own", ["", "\u202eabc\u0000", "🙂" * 900, "$x$ <|end|> [a](b) <b>"])
def test_odd_texts_and_addresses_are_measured_too(root, own):
    at = opened(root, model="gpt-1", text="own", own=own, rms="mean", power="nan", epsilon="0", norm="-1")
    assert "What to notice" in said(at)
