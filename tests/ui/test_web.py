"""A component's script is one module, put together from files that import each other."""

import pytest

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


def test_what_is_imported_stands_first_and_once(modules):
    script = modules(
        a='import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\n\nexport default () => b + c;\n',
        b='import { c } from "./c.js";\nexport const b = c + 1;\n',
        c="export const c = 1;\n",
    )
    assert script.split() == "const c = 1; const b = c + 1; export default () => b + c;".split()


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ({"a": 'import { b as c } from "./b.js";\n', "b": "export const b = 1;\n"}, "can't be put"),
        ({"a": 'import b from "./b.js";\n', "b": "export const b = 1;\n"}, "can't be put"),
        ({"a": 'import { b } from "./b.js";\n', "b": "export default 1;\n"}, "can't be put"),
        ({"a": "const b = 1;\nexport { b };\n"}, "can't be put"),
        ({"a": 'import { b } from "./b.js";\nlet c;\n', "b": "export const b = 1;\nlet c;\n"}, "name c"),
        ({"a": 'import { b } from "./b.js";\n', "b": 'import { a } from "./a.js";\n'}, "imports itself"),
    ],
)  # fmt: skip
def test_what_would_change_its_meaning_is_refused(modules, texts, says):
    with pytest.raises(ValueError, match=says):
        modules(**texts)


COMPONENTS = sorted(path.stem for path in web.UI.glob("*/*.html") if path.parent.name == path.stem)


def test_there_are_components():
    assert {"diagram", "lens_grid"} < set(COMPONENTS)


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_is_one_module_with_nothing_left_to_fetch(name):
    script = web.script(f"{name}/{name}.js")
    assert script.count("export ") == script.count("export default ") == 1
    assert "import " not in script
