"""The lines shown are the lines that run, and each part's lines hold what the part is about."""

import importlib.util
import subprocess
import sys

import pytest

import engine
from engine import source

HOLDS = {
    "sprout": {
        "tokens": "def encode", "embedding": "nn.Embedding", "stream": "for block in self.blocks",
        "blocks": "math.sqrt(2 * self.settings.n_layer)", "block": "class Block", "rms_norm": "class RMSNorm",
        "norm1": "self.norm1(x)", "attention": "class Attention", "queries": "self.qkv(x)",
        "keys": "self.qkv(x)", "values": "self.qkv(x)", "qk_norm": "self.q_norm(q), self.k_norm(k)",
        "rope": "rotate(q, cos, sin)", "causal_softmax": "is_causal=True", "attention_output": "self.proj(",
        "addition1": "x = x + self.attention", "norm2": "self.norm2(x)", "feed_forward": "class FeedForward",
        "w1": "self.w1(x)", "gate": "silu(", "w3": "self.w3(x)", "product": "* self.w3", "w2": "self.w2(",
        "addition2": "x = x + self.feed_forward", "final_norm": "self.final_norm(x)",
        "output": "self.output(self.stream(ids))", "tie": "self.output.weight = self.embedding.weight",
        "initialisation": "std=0.02", "loss": "cross_entropy", "generate": "def generate",
        "draw": "def draw", "settings": "class Settings", "model": "class Transformer",
    },
    "store": {
        "tokens": "def encode", "embedding": 'weights["embedding"][', "stream": "def run", "run": "def run",
        "blocks": "for layer in range", "block": "def block", "rms_norm": "def rms_norm",
        "norm1": "attention_gain", "attention": "def attention", "queries": 'x @ layer["q"]',
        "keys": 'x @ layer["k"]', "values": 'x @ layer["v"]', "rope": "def rope", "softmax": "def softmax",
        "causal_softmax": "np.triu", "attention_output": 'layer["o"]', "addition1": "x + gathered",
        "norm2": "feed_forward_gain", "feed_forward": "def feed_forward", "silu": "def silu",
        "w1": 'layer["gate"]', "gate": "silu(x @", "w3": 'layer["up"]', "product": "gate *",
        "w2": 'layer["down"]', "addition2": "x + made", "final_norm": "final_gain", "output": "def unembed",
        "tie": 'weights["embedding"].T', "loss": "def surprise", "generate": "def generate",
        "draw": "def draw",
    },
}  # fmt: skip


@pytest.mark.parametrize("system", HOLDS)
def test_every_part_has_lines_that_hold_what_it_is_about(system):
    found = engine.parts(system)
    assert [*found] == [*source._TABLES[system]]
    assert {*found} == {*HOLDS[system]}
    for part_id, words in HOLDS[system].items():
        assert words in found[part_id].text, part_id


@pytest.mark.parametrize("system", HOLDS)
def test_the_line_numbers_are_the_files_own(root, system):
    for part in engine.parts(system).values():
        rows = (root / part.file).read_text().splitlines()
        pieces = ["\n".join(rows[first - 1 : last]) for first, last in part.lines]
        assert "\n\n".join(pieces) + "\n" == part.text
        assert all(a[1] + 1 < b[0] for a, b in zip(part.lines, part.lines[1:], strict=False))


def test_every_model_of_the_family_is_shown_the_same_file():
    assert engine.parts("gpt-1") == engine.parts("gpt-4") == engine.parts("sprout")


def test_an_unknown_system_is_refused_by_name():
    with pytest.raises(ValueError, match="'gpt-9'"):
        engine.parts("gpt-9")


def test_finding_lines_imports_no_torch():
    ask = "import sys, engine; engine.parts('sprout'); print('torch' in sys.modules)"
    run = [sys.executable, "-c", ask]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "False\n"


RUNS = '''
from dataclasses import dataclass
EPSILON = 1e-5

@dataclass
class Settings:
    width: int = 8

def scale(x, base=10.0):
    """Scale."""
    # why
    return x * base

class Thing:
    @staticmethod
    def half(x):
        return x / 2
'''


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """A module that runs RUNS, and a function that writes another text over its file."""
    path = tmp_path / "engine" / "running.py"
    path.parent.mkdir()
    path.write_text(RUNS)
    spec = importlib.util.spec_from_file_location("engine.running", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "engine.running", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(source, "ROOT", tmp_path)

    def edit(old, new):
        assert old in RUNS
        path.write_text(RUNS.replace(old, new))
        return source.text_of("engine/running.py")

    return edit


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x * base", "x + base"),
        ("base=10.0", "base=10.5"),
        ("1e-5", "1e-6"),
        ("width: int = 8", "width: int = 9"),
        ("x / 2", "x / 3"),
        ("def half", "def third"),
        ("    # why\n", "    # why\n\n"),
        ("Scale.", "Multiply."),
        ("\ndef scale", "\ndef new():\n    pass\n\n\ndef scale"),
        ("return x / 2", "return (x / 2"),
    ],
)
def test_a_file_edited_after_it_was_loaded_is_refused(edited, old, new):
    with pytest.raises(source.SourceError, match=r"engine/running\.py was changed on disk"):
        edited(old, new)


def test_an_untouched_file_is_shown(edited):
    assert edited("EPSILON", "EPSILON") == RUNS


def test_a_module_still_being_imported_is_not_yet_compared(edited, monkeypatch):
    monkeypatch.setattr(sys.modules["engine.running"].__spec__, "_initializing", True, raising=False)
    assert "x + base" in edited("x * base", "x + base")


def test_the_running_engine_is_what_is_on_disk():
    import engine.model
    import engine.store  # noqa: F401

    for file in ("engine/model.py", "engine/store.py", "engine/tokenizer.py"):
        assert source.text_of(file)


def test_the_outline_names_every_definition_with_its_duty():
    names = {name: (first, last, duty) for name, first, last, duty in source.outline("engine/model.py")}
    assert names["Attention"][:2] == engine.parts("sprout")["attention"].lines[0]
    assert names["rotate"][2].startswith("Turn each pair")
    assert "Transformer.surprise" in names
