"""Who wrote “Paris”, in a real checkpoint, and where “France” is read: as was measured by hand."""

import numpy as np
import pytest

import engine
from engine import attribution, heads, patching
from engine.attribution import Question
from tests import smollm2
from ui import pairs


@pytest.fixture(scope="module")
def model():
    smollm2.gguf_file()
    return smollm2.model()


@pytest.fixture(scope="module")
def passed(model):
    return engine.run(model, "The capital of France is", attribution.keep(model))


def test_the_parts_sum_to_the_score_of_paris(model, passed):
    asked = Question(4, 30, int(passed.logits[-1].argmax()))
    found = attribution.direct(model, passed, asked)
    assert abs(found.total - found.score) < 1e-4
    assert found.units.shape == (30, 1536)


def test_before_the_mean_is_taken_off_the_last_feed_forward_layers_and_a_head_wrote_most(model, passed):
    """+6.98, +2.86 and +2.82, in a plain script of another hand."""
    out = model.directions[passed.logits[-1].argmax()].astype(float)
    along = attribution.reading(model, passed.streams[30, -1]).direction(out)
    wrote = {f"{b + 1}": float(passed.feed_forward_added[b, -1] @ along) for b in range(30)}
    for block in range(30):
        shares = heads.shares(model, passed.gathered[block, -1], block) @ along
        wrote |= {f"{block + 1}.{h + 1}": float(share) for h, share in enumerate(shares)}
    order = sorted(wrote, key=wrote.get, reverse=True)
    assert order[:3] == ["30", "29", "24.5"]
    assert [round(wrote[one], 2) for one in order[:3]] == [6.98, 2.86, 2.82]
    assert sum(wrote.values()) + float(passed.streams[0, -1] @ along) == pytest.approx(17.37, abs=0.02)


def test_the_country_is_read_where_that_head_is(model):
    one = pairs.of_model(model)["capital"]
    ids = [model.tokenizer.encode(one[which]) for which in ("first", "second")]
    both = patching.pair(model, *ids, pairs.answers(model, one))
    assert [model.tokenizer.label(i) for i in both.answers] == ["·Paris", "·Rome"]
    country, last = both.differ[0], len(ids[0]) - 1
    back = {row: patching.cells(model, both, "stream", row, range(5)).back for row in (0, 12, 23, 24, 30)}
    np.testing.assert_allclose([back[row][country] for row in back], [1, 1, 1, 0, 0], atol=0.05)
    np.testing.assert_allclose([back[row][last] for row in back], [0, 0, 0, 1, 1], atol=0.05)
