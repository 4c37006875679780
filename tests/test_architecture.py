"""How the project is put together: which way imports point, what is named how, what the texts hold."""

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from views import marks

ROOT = Path(__file__).resolve().parents[1]

# Who may import whom, besides itself. "app" stands for the Python files at the top.
ARROWS = {
    "app": {"ui"},
    "pages": {"ui", "views", "rooms", "engine"},
    "ui": {"views", "rooms", "engine"},
    "rooms": {"engine"},
    "views": {"engine"},
    "engine": set(),
    "training": {"engine"},
}
OURS = {*ARROWS, "bench", "tests"}
NEVER = {
    "engine": {"streamlit", "plotly"},
    "rooms": {"streamlit", "plotly", "torch"},
    "views": {"streamlit", "torch"},
    "training": {"streamlit", "plotly"},
}
MODELS = {"gpt-1", "gpt-4", "sprout", "store"}
VAGUE = {"util", "utils", "common", "helper", "helpers", "misc"}
# This file names what it forbids; the training's README tells where a corpus may lie.
MAY_NAME_PATHS = {"tests/test_architecture.py", "training/README.md"}
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:work|root|home|Users|mnt|opt)/\w|\.\./shared")


def files_of(package: str) -> list[Path]:
    folder = ROOT if package == "app" else ROOT / package
    return sorted(folder.glob("*.py") if package == "app" else folder.rglob("*.py"))


def project_files() -> list[Path]:
    """The files that git keeps or would keep."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def imported(source: str, module: str) -> set[str]:
    """The top-level names that a module's source imports anywhere, inside functions too.

    module: its dotted name, which relative imports start from.
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(".".join(module.split(".")[: -node.level]) if node.level else node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names |= {word.value for word in node.args if isinstance(word, ast.Constant)}
    return {str(name).split(".")[0] for name in names}


def arrows_of(package: str) -> list[tuple[str, str]]:
    """(file, imported top-level name) for every import in a package."""
    return [
        (str(path.relative_to(ROOT)), name)
        for path in files_of(package)
        for name in sorted(imported(path.read_text(), ".".join(path.relative_to(ROOT).with_suffix("").parts)))
    ]


def loaded_after(statements: str) -> set[str]:
    """The top-level modules that a new Python holds after these statements."""
    ask = f"import sys\n{statements}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def module_names(package: str) -> list[str]:
    names = [path.relative_to(ROOT).with_suffix("") for path in files_of(package)]
    return [".".join(name.parts).removesuffix(".__init__") for name in names]


def test_the_import_reader_sees_every_kind():
    source = "import a.b\ndef f():\n    from c import d\n    from . import e\n    import_module('g.h')"
    assert imported(source, "x.y") == {"a", "c", "x", "g"}


@pytest.mark.parametrize("package", ARROWS)
def test_imports_point_one_way(package):
    back = [
        f"{file} imports {name}"
        for file, name in arrows_of(package)
        if name in OURS - {package} - ARROWS[package]
    ]
    assert not back, back


@pytest.mark.parametrize("package", NEVER)
def test_a_package_leaves_out_what_is_not_its_business(package):
    wrong = [f"{file} imports {name}" for file, name in arrows_of(package) if name in NEVER[package]]
    assert not wrong, wrong


def test_the_views_load_neither_torch_nor_streamlit():
    loaded = loaded_after("\n".join(f"import {name}" for name in module_names("views")))
    assert "views" in loaded
    assert not loaded & {"torch", "streamlit"}


def test_importing_the_engine_alone_is_light():
    loaded = loaded_after("import engine")
    assert "engine" in loaded
    assert not loaded & {"torch", "streamlit", "plotly"}


def test_the_whole_engine_loads_neither_streamlit_nor_plotly():
    loaded = loaded_after("\n".join(f"import {name}" for name in module_names("engine")))
    assert {"engine", "torch"} <= loaded
    assert not loaded & {"streamlit", "plotly"}


def test_no_module_has_a_name_that_says_nothing():
    python = [path.relative_to(ROOT) for path in project_files() if path.suffix == ".py"]
    assert not [path for path in python if VAGUE & set(path.with_suffix("").parts)]


def test_everything_public_in_the_engine_says_what_it_is():
    silent = []
    for path in files_of("engine"):
        tree = ast.parse(path.read_text())
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
        silent += [f"{path.name}:{node.name}" for node in public if not ast.get_docstring(node)]
        silent += [] if ast.get_docstring(tree) else [path.name]
    assert not silent, silent


def names_of_models(package: str) -> list[str]:
    """Where a package compares something with the name of a model or of a family: "file:line"."""
    found = []
    for path in files_of(package):
        if {"families", "presets.py"} & {*path.parts}:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                words = [one.value for one in (node.left, *node.comparators) if isinstance(one, ast.Constant)]
                found += [f"{path.name}:{node.lineno}" for word in words if word in MODELS]
    return found


@pytest.mark.parametrize("package", ["engine", "ui"])
def test_a_model_is_asked_what_it_has_and_not_what_it_is_called(package):
    assert not names_of_models(package)


def test_the_model_fits_in_200_lines():
    assert len((ROOT / "engine/model.py").read_text().splitlines()) <= 200


def test_no_file_names_a_folder_of_one_machine():
    wrong = []
    for path in project_files():
        name = path.relative_to(ROOT).as_posix()
        if name in MAY_NAME_PATHS or path.stat().st_size > 2_000_000:
            continue
        text = path.read_bytes().decode("utf-8", errors="ignore")
        wrong += [f"{name}: {found[0]!r}" for found in MACHINE_PATH.finditer(text)]
    assert not wrong, wrong


def test_what_is_kept_for_all_readers_lies_in_the_one_room_that_has_a_budget():
    files = [*files_of("app"), *files_of("pages"), *files_of("ui")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}
    # The rooms themselves are no result: they live as long as the server.
    wrong = [name for name, text in texts.items() if "st.cache_" in text and name != "ui/room.py"]
    assert not wrong, f"{wrong}: use ui/kept.py's @kept.result(), which is bounded in bytes"


def test_the_theme_has_the_accent_of_the_figures():
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]
    assert (theme["light"]["primaryColor"], theme["dark"]["primaryColor"]) == marks.ACCENT


def test_every_pinned_requirement_is_what_is_installed():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins), pins
    installed = {name: importlib.metadata.version(name) for name in (pin.split("==")[0] for pin in pins)}
    assert [f"{name}=={version.split('+')[0]}" for name, version in installed.items()] == pins


def lines_of(name: str, *fields: str) -> list[dict]:
    """The records of a JSON-lines file in texts/; every record has these fields, none empty, its id once."""
    records = [json.loads(line) for line in (ROOT / "texts" / name).read_text("utf-8").splitlines()]
    assert all(record[field].strip() for record in records for field in fields)
    assert len({record["id"] for record in records}) == len(records)
    return records


def test_there_are_40_stories():
    assert len(lines_of("stories.jsonl", "id", "title", "text")) == 40


def test_there_are_100_products():
    assert len(lines_of("products.jsonl", "id", "name", "category", "description")) == 100


def test_there_are_40_texts_that_come_twice():
    texts = [one["text"] for one in lines_of("repeats.jsonl", "id", "text")]
    assert len(set(texts)) == 40
    assert all(text[: len(text) // 2] == text[len(text) // 2 :] for text in texts)


def test_there_are_20_plain_texts():
    assert len(lines_of("plain.jsonl", "id", "title", "text")) == 20


def test_there_are_40_names_and_openings_that_say_the_name_twice():
    held = json.loads((ROOT / "texts/names.json").read_text("utf-8"))
    assert len(set(held["names"])) == len(held["names"]) == 40
    assert all(len(name.split()) == 2 for name in held["names"])
    assert [opening.count("{name}") for opening in held["openings"]] == [2] * 5
    assert [opening.count("{name}") for opening in held["product_openings"]] == [2] * 3
    assert all(opening.count("\n") == 1 for opening in held["product_openings"])


def test_the_ready_made_texts_say_what_to_look_for():
    ready = json.loads((ROOT / "texts/ready.json").read_text("utf-8"))
    assert {*ready} == {"texts", "products", "repeats", "plain"}
    kinds = {"texts": "text", "products": "description", "repeats": "text", "plain": "text"}
    for kind, words in kinds.items():
        assert all(one[field].strip() for one in ready[kind] for field in ("id", "title", "why", words))
        assert len({one["id"] for one in ready[kind]}) == len(ready[kind])
