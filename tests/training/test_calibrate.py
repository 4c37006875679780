"""Temperature scaling by the final norm's gain."""

import pytest
import torch

from engine import measures
from tests import tiny
from training import __main__ as training_main
from training import calibrate, checkpoint, corpus
from training.evaluate import held_out_nats


@pytest.fixture
def rows():
    return [tiny.stories_tokenizer().encode(text) for text in measures.own_stories()[:6]]


def test_a_factor_of_the_scores_is_a_factor_of_the_gain(rows):
    network = tiny.sprout_network().eval()
    nats = calibrate.nats_by_factor(network, rows)
    for place in (0, calibrate.FACTORS.index(1.0), 40):
        scaled = tiny.sprout_network().eval()
        with torch.no_grad():
            scaled.final_norm.gain *= calibrate.FACTORS[place]
        assert held_out_nats(scaled, rows) == pytest.approx(float(nats[place]), abs=1e-5)


def test_a_model_that_is_too_sure_is_made_less_sure(rows, tmp_path, monkeypatch):
    network = tiny.sprout_network()
    with torch.no_grad():
        network.final_norm.gain *= 8
    tiny.write_checkpoint(tmp_path / "sure", network)
    tiny.stories_tokenizer().save(tmp_path / "tokenizer.json")
    texts = list(measures.own_stories()[:6])
    found = corpus.Corpus([], {"tinystories": texts})
    monkeypatch.setattr(training_main.corpus, "read_stories", lambda _folder: found)
    given = f"calibrate {tmp_path}/sure --corpus x --tokenizer {tmp_path}/tokenizer.json --out {tmp_path}/out"
    args = training_main.parser().parse_args(given.split())
    args.act(args)
    before, after = (checkpoint.restore(tmp_path / name) for name in ("sure", "out"))
    assert torch.allclose(after["weights"]["final_norm.gain"], 0.8 * before["weights"]["final_norm.gain"])
    assert all(
        torch.equal(weight, after["weights"][name])
        for name, weight in before["weights"].items()
        if name != "final_norm.gain"
    )
    assert held_out_nats(checkpoint.model_of(after), rows) < held_out_nats(checkpoint.model_of(before), rows)
