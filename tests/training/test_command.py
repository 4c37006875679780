"""`python -m training`: from a folder of texts to a checkpoint, alone and in two processes."""

import os
import subprocess
import sys

import pytest
import torch

from engine import measures
from engine.model import Settings, Transformer
from tests import tiny
from training import __main__ as training_main
from training import checkpoint, corpus

OPTIONS = "--rows 4 --warmup-steps 1 --precision float32 --no-compile --threads 1".split()


def test_numbers_of_tokens_can_be_written_short():
    written = [training_main.tokens(text) for text in ("4M", "250k", "1.5M", "77")]
    assert written == [4_000_000, 250_000, 1_500_000, 77]


def test_stages_of_growth_are_put_in_order():
    assert training_main.stages("8@3M,2@0,4@1M") == [(0, 2), (1_000_000, 4), (3_000_000, 8)]


def test_the_family_is_the_presets():
    assert training_main.FAMILY["sprout"] == Settings()
    assert set(training_main.FAMILY) == {"gpt-1", "gpt-4", "sprout"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small corpus: our own stories, and one that is held out."""
    folder = tmp_path_factory.mktemp("corpus")
    out = next(t for t in map("Story {}. It was short.".format, range(1000)) if corpus.held_out(t, 50))
    texts = "\n<|end|>\n".join([*measures.own_stories(), out])
    (folder / "tinystories.txt").write_text(texts, encoding="utf-8")
    return folder


def test_asked_to_end_a_script_of_several_commands_ends_too(folder, tmp_path, monkeypatch):
    tiny.stories_tokenizer().save(tmp_path / "tokenizer.json")
    given = (
        f"train gpt-1 --corpus {folder} --tokenizer {tmp_path}/tokenizer.json --out {tmp_path}/x --tokens 4k"
    )
    seen = []

    def asked_to_end(run, _folder, _held_out, ends, _watch):
        seen.append(ends)
        return False

    monkeypatch.setattr(training_main.Run, "train", asked_to_end)
    for more, ends in (("", 4000), (" --until 3k", 3000), (" --grow 1@0,1@2k --until 3k", 2000)):
        arguments = training_main.parser().parse_args([*given.split(), *OPTIONS, *more.split()])
        with pytest.raises(SystemExit, match="goes on from here"):
            arguments.act(arguments)
        assert seen.pop() == ends


def run_in_two(*arguments):
    """`torchrun --nproc-per-node=2 -m training …`, on the processor."""
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *torchrun, "-m", "training", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.training
def test_two_processes_learn_what_one_learns(folder, tmp_path, monkeypatch):
    tiny.stories_tokenizer().save(tmp_path / "tokenizer.json")
    files = ["--corpus", str(folder), "--tokenizer", str(tmp_path / "tokenizer.json")]
    given = ["train", "gpt-1", *files, "--tokens", "4000", *OPTIONS]
    run_in_two(*given, "--out", str(tmp_path / "two"))
    with monkeypatch.context() as patch:  # one process: this one
        patch.setattr(sys, "argv", ["training", *given, "--out", str(tmp_path / "one")])
        threads = torch.get_num_threads()
        arguments = training_main.parser().parse_args()
        arguments.act(arguments)
        torch.set_num_threads(threads)
    one, two = (checkpoint.restore(tmp_path / name / checkpoint.FILE) for name in ("one", "two"))
    assert one["progress"].step == two["progress"].step >= 3
    assert one["progress"].tokens == two["progress"].tokens
    assert one["batches"] == two["batches"]
    torch.manual_seed(0)
    start = dict(Transformer(training_main.FAMILY["gpt-1"]).named_parameters())
    for name, weight in one["weights"].items():
        way = (weight - start[name]).norm()
        assert way > 0, name
        assert (weight - two["weights"][name]).norm() < 0.1 * way, name  # Muon's bfloat16 rounds apart
    nats = [saved["progress"].log[-1][5] for saved in (one, two)]
    assert nats[0] == pytest.approx(nats[1], abs=1e-3)
    logs = [(tmp_path / name / "log.csv").read_text().splitlines() for name in ("one", "two")]
    assert len(logs[0]) == len(logs[1]) == 2


@pytest.mark.training
def test_begun_with_another_runs_weights_it_counts_on_with_a_new_optimiser(folder, tmp_path):
    tiny.stories_tokenizer().save(tmp_path / "tokenizer.json")
    files = ["--corpus", str(folder), "--tokenizer", str(tmp_path / "tokenizer.json")]

    def trained(name, *more):
        arguments = training_main.parser().parse_args(
            ["train", "gpt-1", *files, *OPTIONS, "--out", str(tmp_path / name), *more]
        )
        arguments.act(arguments)
        return checkpoint.restore(tmp_path / name / checkpoint.FILE)

    first = trained("first", "--tokens", "4000")
    more = ("--tokens", "12k", "--from", str(tmp_path / "first" / checkpoint.FILE))
    second = trained("second", *more, "--until", "6k")
    log, old = second["progress"].log, first["progress"].log
    assert log[: len(old)] == old
    assert first["progress"].tokens < 6000 <= second["progress"].tokens < 12_000
    name = "embedding.weight"
    steps = second["progress"].step - first["progress"].step
    assert steps == int(second["optimiser"][name]["step"]) >= 1
    way = (second["weights"][name] - first["weights"][name]).norm() / first["weights"][name].norm()
    assert 0 < way < 0.5
    third = trained("second", *more)  # the same command goes on from its own checkpoint
    assert third["progress"].log[: len(log)] == log
    assert int(third["optimiser"][name]["step"]) == third["progress"].step - first["progress"].step
