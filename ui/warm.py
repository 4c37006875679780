"""What all readers share is imported in order, on one thread, before they can meet in it.

Readers run in threads.  A rush on a server that has just started would have thirty of them import the same
libraries at once, and Python then hands out libraries that are half there.  So the server starts one thread
that imports everything, step by step, and whoever needs a step waits for it.  The landing page needs the
first step alone.  A step begins when somebody waits for it, or when nobody has come for a while: while Python
imports, the server answers slowly, and a browser that fetches what it draws with would wait.
"""

import ast
import importlib
import logging
import pkgutil
import threading
import time
from pathlib import Path

from streamlit import runtime

# Imports transformers, which takes seconds and 100 MB: left to the readers who want it, one at a time
# (engine/one_at_a_time.py).
LEFT_OUT = {"engine.families.huggingface"}
_HOME = Path(__file__).parent.parent
LIGHT = ("app.py", "pages/start.py", "pages/diagram.py")  # these need the first step alone
_begin = threading.Lock()
_thread = None
PATIENCE = 3  # seconds after somebody came before a step begins that nobody waits for
_came = {"last": time.monotonic()}


def _page():
    """What the app and its light pages import, as their files say, and what Streamlit draws them with."""
    _each("numpy", "pandas", "PIL.Image", "PIL.ImageFile", "streamlit.material_icon_names")
    for file in LIGHT:
        for node in ast.walk(ast.parse((_HOME / file).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(node.module)
                named = [one.name for one in node.names if not hasattr(module, one.name)]
                _each(*(f"{node.module}.{name}" for name in named))


def _models():
    """What a pass runs through."""
    _each("torch", "safetensors.torch", "safetensors.numpy")
    _all_of("engine")


def _rest():
    """What every other page draws with: Plotly and Streamlit import parts when they are first used."""
    import plotly.graph_objects as go
    import plotly.tools

    _each(
        "narwhals._interchange.dataframe",
        "pyarrow.pandas_compat",
        "pyarrow.vendored.version",
        "encodings.cp437",
    )
    _each("streamlit.dataframe.lazy_df_adapters")
    figure = go.Figure([go.Scatter(x=[1.0], y=[1.0], hovertemplate="%{x}"), go.Bar(x=[1], y=["a"])])
    figure.add_traces([go.Heatmap(z=[[1.0]]), go.Treemap(labels=["a"], parents=[""], values=[1])])
    plotly.tools.return_figure_from_figure_or_data(figure, validate_figure=True)
    figure.to_json()
    _all_of("views")
    _all_of("ui")


def _each(*names):
    for name in names:
        importlib.import_module(name)


def _all_of(package):
    """Import every module of a package of ours."""
    home = importlib.import_module(package)
    _each(
        *(one.name for one in pkgutil.walk_packages(home.__path__, f"{package}.") if one.name not in LEFT_OUT)
    )


STEPS = {"page": _page, "models": _models, "rest": _rest}
_done = {name: threading.Event() for name in STEPS}
_wanted = {name: threading.Event() for name in STEPS}


def serving():
    """Whether there is a server, which answers readers in threads: a test has what only looks like one."""
    return runtime.exists() and type(runtime.get_instance()) is runtime.Runtime


def need(step="rest"):
    """Wait until a step and those before it are done.  Without a server there is one thread, and no need."""
    came()
    if _done[step].is_set() or not serving():
        return
    for name in _up_to(step):
        _wanted[name].set()
    _start()
    _done[step].wait()


def _up_to(step):
    names = list(STEPS)
    return names[: names.index(step) + 1]


def ready(step="rest"):
    """Whether nobody has to wait for a step."""
    return _done[step].is_set() or not serving()


def came():
    """Somebody comes, or goes to another page: what nobody waits for has to wait."""
    _came["last"] = time.monotonic()


def begin():
    """Import the first step now, before anybody comes."""
    if serving():
        _wanted["page"].set()
        _start()


def _start():
    global _thread
    with _begin:
        if _thread is None:
            _thread = threading.Thread(target=_import_all, name="warm", daemon=True)
            _thread.start()


def _import_all():
    for name, step in STEPS.items():
        while (left := _came["last"] + PATIENCE - time.monotonic()) > 0 and not _wanted[name].wait(left):
            pass
        try:
            step()
        except Exception:  # whoever needs it imports it again, and then it is told where it is needed
            logging.getLogger(__name__).exception("What readers share could not be imported: step %s", name)
        finally:
            _done[name].set()
