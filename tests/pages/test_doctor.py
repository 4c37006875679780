"""The doctor's page, driven without a browser."""

import io
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import engine
from engine import doctor, families
from tests import tiny
from tests.families import stranger
from tests.pages import reader

opened = partial(reader.sound, page="doctor")


def said(at):
    return " ".join(one.value for one in (*at.markdown, *at.success, *at.warning, *at.info)).replace("\\", "")


@pytest.fixture
def few_texts(monkeypatch):
    monkeypatch.setattr("engine.doctor.other_settings.TEXTS", 2)


def test_a_healthy_model_is_told_to_be_healthy(root, few_texts):
    at = opened(root, model="gpt-1")
    assert "Next, the same texts are read" in said(at)
    next(one for one in at.button if one.label == "Examine").click()
    at.run()
    assert not at.exception
    tried = len(doctor.alternatives(engine.load("gpt-1")))
    assert f"none of {tried} other settings" in said(at)
    assert not at.warning


def test_a_link_to_an_examination_shows_it(root, few_texts):
    assert "No finding" in said(opened(root, model="gpt-1", look="gpt-1-doctor"))


def test_a_stranger_is_examined_as_far_as_it_can_be(root, few_texts):
    with families.added(stranger()) as model:
        at = opened(root, model=model.name, look=f"{model.name}-doctor")
        assert "Findings" in [one.value for one in at.header]
        assert at.success or at.warning


def test_numbers_made_elsewhere_are_held_against_the_models(root):
    with families.added(replace(tiny.model("sprout"), name="tiny")) as model:
        at = opened(root, model=model.name)
        out = io.BytesIO()
        ids = np.array([0, 4, 7])
        np.savez(out, ids=ids, logits=model.logits(ids))
        at.get("file_uploader")[0].upload("reference.npz", out.getvalue(), "application/octet-stream")
        at.run()
        assert "the scores differ by at most" in said(at)
        assert "The likeliest token is the same at each" in said(at)
