"""A choice's name in the address means one thing: every page that reads it takes the same values."""

import ast
import re
from collections import defaultdict


def readers(root):
    """{name: {how it is read: [files]}} of every choice.get("name", default, reader) with a fixed name."""
    found = defaultdict(lambda: defaultdict(list))
    for path in sorted([*root.glob("pages/*.py"), *root.glob("ui/*.py")]):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("choice.get", "get"):
                continue
            if len(node.args) < 2 or not isinstance(node.args[0], ast.Constant):
                continue
            if len(node.args) == 2:  # read as it stands: refuses nothing
                continue
            how = re.sub(r"\b(choice|lens_options)\.", "", ast.unparse(node.args[2]))
            found[node.args[0].value][how].append(path.name)
    return found


def test_a_name_is_read_the_same_way_on_every_page(root):
    found = readers(root)
    assert len(found) > 30
    several = {name: dict(ways) for name, ways in found.items() if len(ways) > 1}
    assert not several, several
