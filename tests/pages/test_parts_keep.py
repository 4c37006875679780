"""What did not change is not measured again: a slider's or a list's move runs no forward pass."""

import pytest
from streamlit.testing.v1 import AppTest

import engine
from engine import gate, norms, stream, units
from ui import kept

# page, address, the control that is moved, and where to
MOVES = [
    ("rope", {}, "slider", "m", 9),
    ("rope", {"rope": "hands"}, "slider", "n", 9),
    ("rope", {"rope": "learned"}, "slider", "n", 9),
    ("rope", {"rope": "head"}, "selectbox", "key", 1),
    ("norm", {"rms": "epsilon"}, "slider", "power", 1.5),
    ("norm", {"rms": "gains"}, "selectbox", "norm", 1),
    ("gate", {"gate": "curve"}, "slider", "a", 2.5),
    ("gate", {"gate": "units"}, "selectbox", "token", 1),
    ("gate", {"gate": "shut"}, "selectbox", "block", 2),
    ("gate", {"gate": "unit"}, "number_input", "unit", 9),
    ("stream", {"stream": "models"}, "selectbox", "side", "rms"),
    ("stream", {"stream": "models", "held": "1"}, "selectbox", "side", "largest"),
]
MEASURES = ((engine, "run"), (norms, "sizes"), (gate, "peaks"), (stream, "measure"))


@pytest.mark.parametrize(("page", "address", "kind", "control", "value"), MOVES)
def test_a_move_measures_nothing_again(root, monkeypatch, page, address, kind, control, value):
    monkeypatch.setattr(units, "load", lambda _: None)  # so that the page measures, whatever ships
    kept.clear()
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    for name, chosen in {"model": "store", **address}.items():
        at.query_params[name] = chosen
    at.run()
    at.switch_page(f"pages/{page}.py").run()
    called = []

    def counted(module, name, original):
        def run(*arguments, **named):
            called.append(f"{module.__name__}.{name}")
            return original(*arguments, **named)

        run.__module__, run.__qualname__ = original.__module__, original.__qualname__
        return run

    for module, name in MEASURES:
        monkeypatch.setattr(module, name, counted(module, name, getattr(module, name)))
    getattr(at, kind)(key=f"control.{control}").set_value(value).run()
    assert not at.exception
    assert not called
    # The count itself works: with nothing kept, whatever the page measures is measured again.
    kept.clear()
    at.run()
    plain = {"rope": ("hands", "learned", None), "norm": ("gains",), "gate": ("curve",)}.get(page, ())
    idea = address.get({"norm": "rms"}.get(page, page))
    assert bool(called) == (idea not in plain)
