"""What the source panel shows of a model is what runs when that model is loaded, run, asked and heard."""

import ast
import sys
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import pytest

import engine
from engine import generation, sampling, source, weights
from engine.counting.architecture import Architecture
from engine.counting.published import BY_ID
from engine.trace import EXTRAS
from training import gradients

TEXT = "Blue cup\nOnce upon a time there was a blue cup."
SMALL = {"d_model": 16, "n_head": 2, "d_ff": 24, "vocab_size": 32, "context": 8, "batch": 1, "seeds": 1}


@contextmanager
def watching(found):
    """Add every line of the engine's files that this thread runs to found, {file: lines}."""
    before, folder = sys.gettrace(), str(source.ROOT / "engine")

    def tracer(frame, event, _arg):
        file = frame.f_code.co_filename
        if not file.startswith(folder):
            return None
        if event == "line":
            found.setdefault(file, set()).add(frame.f_lineno)
        return tracer

    sys.settrace(tracer)
    try:
        yield
    finally:
        sys.settrace(before)


@cache
def ran(name):
    """The lines that run when a model is loaded, run on a text, read with the lens, and made to write."""
    found = {}
    with watching(found):
        model = weights.load(name)
        ids = model.tokenizer.encode(TEXT)
        trace = engine.run(model, ids, EXTRAS)
        engine.logit_lens(model, trace)
        model.surprises(ids)
        list(sampling.continuation(model, ids, 2, top_k=5))
        greedy = int(trace.logits[-1].argmax())
        assert list(generation.generate(model.logits, ids, 9, 512, 0, stop=(greedy,))) == [greedy]
        gradients.measure((1,), SMALL)  # the loss of the family's file, on its way down
    return found


@cache
def counted():
    """The lines that run when every published model is counted, and one with all there is."""
    found = {}
    with watching(found):
        for preset in BY_ID.values():
            assert engine.count_parameters(preset.architecture).total
        everything = replace(
            BY_ID["gpt2"].architecture, qk_norm=True, output_bias=True, tied=False, gated=True
        )
        assert engine.count_parameters(everything).total > engine.count_parameters(Architecture()).total
        labels = replace(everything, output="labels", n_label=2)
        assert engine.count_parameters(labels).total < engine.count_parameters(everything).total
        latent = replace(next(p.architecture for p in BY_ID.values() if p.architecture.latent), qkv_bias=True)
        assert engine.count_parameters(latent).total
    return found


def bodies(code):
    """The lines inside the functions of a compiled file, nested ones too; the def lines left out."""
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            if constant.co_flags & 2:  # CO_NEWLOCALS: a function, not a class body
                yield from (
                    line for *_, line in constant.co_lines() if line and line != constant.co_firstlineno
                )
            yield from bodies(constant)


def refusing(text):
    """The lines of the sentences that refuse what makes no sense."""
    raises = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)]
    return {line for node in raises for line in range(node.lineno, node.end_lineno + 1)}


def shown_and_not_run(part, found):
    """The lines of a part that lie inside functions, refuse nothing, and did not run."""
    path = source.ROOT / part.file
    text = path.read_text()
    inside = set(bodies(compile(text, str(path), "exec"))) - refusing(text)
    shown = {line for first, last in part.lines for line in range(first, last + 1)}
    assert inside & shown, "no line of this part can run at all"
    return sorted((inside & shown) - found.get(str(path), set()))


CASES = [
    (name, part)
    for name in weights.available()
    for part in source._TABLES[source.system_of(name)]
    if part != "settings"  # a list of numbers
]


@pytest.mark.parametrize(("name", "part"), CASES)
def test_the_lines_shown_are_lines_that_ran(name, part):
    assert not shown_and_not_run(engine.parts(name)[part], ran(name))


@pytest.mark.parametrize("name", weights.available())
@pytest.mark.parametrize("part", source._TABLES["lens"])
def test_the_lines_that_read_are_lines_that_ran(name, part):
    assert not shown_and_not_run(engine.parts("lens")[part], ran(name))


@pytest.mark.parametrize("part", source._TABLES["counting"])
def test_the_lines_that_count_are_lines_that_ran(part):
    assert not shown_and_not_run(engine.parts("counting")[part], counted())


def test_a_line_that_did_not_run_is_found():
    part = engine.parts("gpt-1")["rope"]
    file = str(source.ROOT / part.file)
    lines = ran("gpt-1")[file]
    last = max(lines & set(range(part.lines[0][0], part.lines[0][1] + 1)))
    assert shown_and_not_run(part, {file: lines - {last}}) == [last]
