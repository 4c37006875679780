"""Keep another training's stages beside a model's weights: python -m training.keep_stages NAME FILE WHAT

FILE: the stages.npz of a watched run.  WHAT tells it from others, as in "seed-1": it is kept as
stages-WHAT.npz, and the folder is sealed anew.
"""

import argparse
import re
from pathlib import Path

from engine import stages, weights
from training.export import seal


def keep(name, path, what, folder=weights.FOLDER):
    """Copy the stages beside the weights.  Raises ValueError for another model's stages or a name that
    can't be a file's."""
    if not re.fullmatch(r"[a-z0-9-]+", what):
        raise ValueError(f"{what!r} can't be part of a file's name: use small letters, digits and hyphens.")
    found, home = stages.read(path), Path(folder) / name
    if found.about["name"] != name:
        raise ValueError(f"{path} holds the stages of {found.about['name']}, not of {name}.")
    stages.save(found, home / f"stages-{what}.npz")
    seal(home, weights.read_manifest(home))


def _main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=weights.available())
    parser.add_argument("file", type=Path)
    parser.add_argument("what")
    wanted = parser.parse_args()
    keep(wanted.name, wanted.file, wanted.what)


if __name__ == "__main__":
    _main()
