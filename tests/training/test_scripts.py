"""The script beside each model's weights is the training that made them."""

import csv
import os
import subprocess

import pytest

from engine import records, weights
from training.__main__ import parser
from training.export import command
from training.plan import Plan, Progress, rate

RECORDER = '#!/bin/sh\nprintf "%s\\n" "$*" >> "$RECORD"\n'


def commands(name, folder):
    """The trainings that the script calls, as the parser reads them."""
    (folder / "python").write_text(RECORDER)
    (folder / "python").chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["sh", weights.FOLDER / name / "train.sh", "corpus of texts", "runs/x"],
        check=True,
        env={**os.environ, "PATH": path, "RECORD": str(folder / "record")},
        cwd=weights.FOLDER.parent,
    )
    called = (folder / "record").read_text().replace("corpus of texts", "corpus").splitlines()
    assert all(line.startswith("-m training ") for line in called)
    return [parser().parse_args(line.split()[2:]) for line in called if line.split()[2] == "train"]


@pytest.mark.parametrize("name", weights.available())
def test_the_script_has_the_rates_that_were_logged(name, tmp_path):
    called = commands(name, tmp_path)
    with open(weights.FOLDER / name / "log.csv", newline="") as file:
        log = [(int(row["step"]), int(row["tokens"]), float(row["rate"])) for row in csv.DictReader(file)]
    for step, tokens, logged in log:
        place = sum((one.until or one.tokens) <= tokens for one in called)
        near = called[max(0, place - 1) : place + 1]  # a row logged at a command's end has that one's rate
        plans = [Plan(tokens=c.tokens, decay_share=c.decay_share, warmup_steps=c.warmup_steps) for c in near]
        rates = [rate(Progress(step=step, tokens=tokens), plan) for plan in plans]
        assert min(abs(one - logged) for one in rates) < 0.002, (tokens, logged, rates)


@pytest.mark.parametrize("name", weights.available())
def test_the_script_ends_with_the_plan_in_the_manifest(name, tmp_path):
    found = records.read(name)
    last = commands(name, tmp_path)[-1]
    told = {k: v for k, v in found.manifest["plan"].items() if k not in ("threads", "precision", "compile")}
    assert {key: getattr(last, key) for key in told} == told
    assert last.tokens <= found.manifest["tokens_seen"] < last.tokens * 1.002
    assert found.manifest["command"] == command(name)
    assert command(name) in found.card
    assert "train.sh" in found.manifest["files"]
