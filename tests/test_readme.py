"""The README's map is the tree: every file of the engine, every folder, and nothing else."""

import re

from tests.test_architecture import ROOT, project_files


def entries() -> list[str]:
    """The paths of the map, folders with a slash at the end."""
    told = re.search(r"## The map\n\n```\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    found, folders = [], []
    for line in told[1].splitlines():
        indent, name, says = re.fullmatch(r"( *)(\S+)  +(\S.*)", line).groups()
        assert says
        folders = folders[: len(indent) // 2]
        found.append("".join([*folders, name]))
        if name.endswith("/"):
            folders.append(name)
    return found


def folders_of(files: list[str]) -> set[str]:
    return {f"{name.rsplit('/', 1)[0]}/" for name in files if "/" in name}


def test_the_map_tells_of_every_file_of_the_engine_and_of_every_folder():
    files = [path.relative_to(ROOT).as_posix() for path in project_files()]
    told = entries()
    assert len(set(told)) == len(told)
    assert not [name for name in told if not (ROOT / name).exists()]
    engine = {name for name in files if re.fullmatch(r"engine/.*(?<!__init__)\.py", name)}
    assert engine == {name for name in told if name.startswith("engine/") and name.endswith(".py")}
    top = {f"{name.split('/')[0]}/" for name in files if "/" in name and not name.startswith(".")}
    inside = {name for name in folders_of(files) if name.startswith(("engine/", "ui/"))}
    assert top | inside == {name for name in told if name.endswith("/")}
