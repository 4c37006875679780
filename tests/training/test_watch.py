"""What is measured while training: the stages equal a measurement made anew, and nothing is disturbed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from engine import heads, measures, stages, weights
from tests import tiny
from tests.training.test_loop import PLAN, new_run, resumed, same
from training import checkpoint, export, keep_stages, watch
from training.__main__ import command_of, parser

ALL_MOMENTS = watch.MOMENTS
MOMENTS = (0, 300, 900)
BUDGET = replace(PLAN, tokens=1200, dropout=0.1)
SETTINGS = replace(tiny.SPROUT, context=160)  # the names that measure copying need the room
DOCUMENTS = tuple(tiny.stories_tokenizer().encode(t)[: SETTINGS.context] for t in measures.own_stories()[:6])


def new_watch(folder, command="python -m training train gpt-4"):
    tokenizer = tiny.stories_tokenizer()
    known = [tokenizer.encode(text) for text in measures.own_stories()]
    about = {"command": command, "seed": 0}
    return watch.Watch("gpt-4", tokenizer, SETTINGS, list(DOCUMENTS), known, folder, about)


@pytest.fixture(autouse=True)
def few_moments(monkeypatch):
    """Stages of a training of 1,200 tokens."""
    monkeypatch.setattr(watch, "MOMENTS", MOMENTS)
    monkeypatch.setattr(watch, "WRITTEN", 6)


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A whole run that was watched, its folder and its stages."""
    folder = tmp_path_factory.mktemp("watched")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch, "MOMENTS", MOMENTS)
        patch.setattr(watch, "WRITTEN", 6)
        run = new_run(BUDGET, context=SETTINGS.context)
        assert run.train(folder, watch=new_watch(folder))
    return run, folder, stages.read(folder / stages.FILE)


def alike(one, other):
    for name, array in one.items():
        if name == "read":
            for kept, again in zip(array, other["read"], strict=True):
                alike(kept, again)
        else:
            np.testing.assert_array_equal(array, other[name], err_msg=name)


def test_a_stage_is_measured_at_every_moment_and_at_the_end(watched):
    run, _, found = watched
    assert len(found) == len(MOMENTS) + 1
    assert all(
        moment <= tokens < moment + 4 * 48 for moment, tokens in zip(MOMENTS, found.tokens[:-1], strict=True)
    )
    assert found.tokens[-1] == run.progress.tokens
    assert found.held_out[-1] < found.held_out[0]


def test_the_last_stage_equals_a_measurement_made_anew(watched):
    _, folder, found = watched
    model = checkpoint.model_of(checkpoint.restore(folder / checkpoint.FILE))
    alike(stages.apart(found)[-1], {"tokens": found.tokens[-1], **new_watch(folder.parent).measure(model)})


def test_the_figures_are_those_that_a_card_holds(watched, tmp_path):
    """The same functions on the same weights, as they are shipped."""
    _, folder, found = watched
    tiny.stories_tokenizer().save(tmp_path / "tokenizer.json")
    home = tmp_path / "weights" / "gpt-4"
    script = tmp_path / "train.sh"
    script.write_text("python -m training train gpt-4 --watch")
    export.export("gpt-4", folder / checkpoint.FILE, tmp_path / "tokenizer.json", home, script)
    model = weights.load("gpt-4", home.parent)
    assert found.held_out[-1] == pytest.approx(measures.nats_a_token(model, DOCUMENTS)[0], abs=1e-6)
    assert found.own[-1] == pytest.approx(measures.nats_a_token(model, measures.own_rows(model))[0], abs=1e-6)
    copying = measures.copying(model)
    assert (found.first[-1], found.second[-1]) == (copying["first"], copying["second"])
    scores = heads.score_heads(model)
    assert found.strongest("previous") == scores.best("previous")
    np.testing.assert_allclose(found.induction[-1], scores.induction, atol=1e-7)
    kept = stages.load("gpt-4", folder=home.parent)
    assert kept.about["weights"] == model.checksum
    alike(stages.apart(kept)[-1], stages.apart(found)[-1])


def test_watching_changes_nothing(watched, tmp_path):
    alone = new_run(BUDGET, context=SETTINGS.context)
    alone.train(tmp_path)
    assert same(alone, watched[0])


def test_interrupted_and_resumed_the_stages_are_kept(watched, tmp_path):
    first = new_run(BUDGET, context=SETTINGS.context)
    first.train(tmp_path, until=700, watch=new_watch(tmp_path))
    first_part = stages.read(tmp_path / stages.FILE)
    again = resumed(tmp_path, BUDGET)
    torch.set_rng_state(checkpoint.restore(tmp_path / checkpoint.FILE)["random"])
    assert again.train(tmp_path, watch=new_watch(tmp_path))
    found = stages.read(tmp_path / stages.FILE)
    for one, other in zip(stages.apart(found), stages.apart(watched[2]), strict=True):
        alike(one, other)
    assert found.about["measuring_seconds"] > first_part.about["measuring_seconds"]


def test_stages_beyond_the_checkpoint_are_measured_again(watched, tmp_path):
    """As after a power cut: the file was written later than the checkpoint."""
    stages.save(watched[2], tmp_path / stages.FILE)
    again = new_watch(tmp_path)
    progress = new_run(BUDGET, context=SETTINGS.context).progress
    progress.tokens = 400
    again(watched[0].model, progress, BUDGET.tokens)
    assert [int(one["tokens"]) for one in again.measured] == [int(t) for t in watched[2].tokens[:2]]


def test_a_run_that_goes_on_under_another_command_tells_both(watched, tmp_path):
    stages.save(watched[2], tmp_path / stages.FILE)
    told = new_watch(tmp_path, "python -m training train gpt-4 --tokens 9").about["command"]
    assert told == "python -m training train gpt-4, then python -m training train gpt-4 --tokens 9"


def test_stages_of_other_texts_are_not_mixed_in(watched, tmp_path):
    told = watched[2].about
    others = [{**text, "title": "Another"} for text in told["texts"]]
    stages.save(replace(watched[2], about={**told, "texts": others}), tmp_path / stages.FILE)
    with pytest.raises(ValueError, match="other texts"):
        new_watch(tmp_path)


def test_the_distances_to_the_tables_are_those_written_out():
    texts = [[0, 1, 2, 1], [0, 2, 2, 1]]
    table = watch.Table(texts, 4, [0, 1, 2])
    unigram = np.array([3, 4, 4, 1]) / 12
    np.testing.assert_allclose(table.unigram, unigram)
    after_2 = (np.array([0, 2, 1, 0]) + watch.TRUST * unigram) / (3 + watch.TRUST)
    np.testing.assert_allclose(table.followers[2], after_2, rtol=1e-6)
    logits = np.log([[0.1, 0.2, 0.3, 0.4]]).astype(np.float32)
    far = table.distances([2], logits)
    expected = [(p * np.log(p / [0.1, 0.2, 0.3, 0.4])).sum() for p in (unigram, after_2)]
    np.testing.assert_allclose(np.concatenate(far), expected, rtol=1e-5)


def test_the_loss_by_position_adds_up_to_the_loss(watched):
    _, folder, found = watched
    whole = new_watch(folder.parent)
    places = np.concatenate([np.arange(1, len(ids)) for ids in DOCUMENTS])
    bins = np.searchsorted(found.about["positions"], places, side="right") - 1
    count = np.bincount(bins, minlength=len(found.about["positions"]))
    assert (found.by_position * count).sum(1) / count.sum() == pytest.approx(found.held_out)
    assert count.sum() == whole.about["held_out_tokens"]


def test_other_trainings_stay_beside_new_weights(watched, tmp_path):
    """All but the beginning of the new weights' own; that of the old weights is kept under their date."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    other = replace(watched[2], held_out=watched[2].held_out + 1)
    begun = stages.together(watched[2].about, stages.apart(watched[2])[:2])
    for file, kept in {"stages.npz": other, "stages-a.npz": other, "stages-b.npz": begun}.items():
        stages.save(kept, old / file)
    (old / "model.safetensors").touch()  # whatever a manifest names, the weights are among it
    export.seal(old, {"date": "2026-11-30"})
    export.keep_others(old, new)  # the new weights were not watched
    assert {path.name for path in new.iterdir()} == {
        "stages-2026-11-30.npz",
        "stages-a.npz",
        "stages-b.npz",
    }
    (new / "stages-b.npz").unlink()
    stages.save(watched[2], new / stages.FILE)
    export.keep_others(old, new)
    assert not (new / "stages-b.npz").exists()
    assert stages.read(new / "stages-2026-11-30.npz").held_out[0] == other.held_out[0]


def test_another_training_is_kept_beside_the_weights(watched, tmp_path):
    home = tiny.write_folder(tmp_path / "weights", "gpt-4", tmp_path)
    stages.save(watched[2], tmp_path / "run.npz")
    keep_stages.keep("gpt-4", tmp_path / "run.npz", "seed-1", home.parent)
    assert list(stages.kept("gpt-4", home.parent)) == ["stages-seed-1.npz"]
    assert stages.load("gpt-4", "stages-seed-1.npz", home.parent).about == watched[2].about
    with pytest.raises(ValueError, match="of gpt-4, not of gpt-1"):
        keep_stages.keep("gpt-1", tmp_path / "run.npz", "seed-1", home.parent)
    with pytest.raises(ValueError, match="file's name"):
        keep_stages.keep("gpt-4", tmp_path / "run.npz", "../x", home.parent)


def test_the_command_tells_what_differs_from_the_usual():
    given = (
        "train gpt-4 --corpus /a --tokenizer /b --out /c/second --tokens 5M --books 0.5 --watch --no-compile"
    )
    assert command_of(parser().parse_args(given.split())) == (
        "python -m training train gpt-4 --corpus CORPUS --tokenizer runs/stories.json --out runs/second "
        "--tokens 5000000 --no-compile --books 0.5 --watch"
    )


def test_the_moments_are_denser_early_and_end_near_the_usual_budget():
    gaps = np.diff(ALL_MOMENTS)
    assert (gaps > 0).all()
    assert ALL_MOMENTS[0] == 0
    assert np.mean(np.array(ALL_MOMENTS) < 3_000_000) > 0.5
    assert len(ALL_MOMENTS) + 1 <= 30
