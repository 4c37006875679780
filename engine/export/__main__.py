"""python -m engine.export NAME --to FOLDER: a model of ours as files that other programs open."""

import argparse
from pathlib import Path

import engine
from engine import families, records
from engine.errors import ReaderError
from engine.export import write_folder, write_gguf


def main(arguments: list[str] | None = None) -> None:
    """Write FOLDER for Hugging Face's libraries and, with --gguf, FOLDER/NAME.gguf for llama.cpp."""
    parser = argparse.ArgumentParser(prog="python -m engine.export", description=main.__doc__)
    parser.add_argument("name", choices=families.available(), metavar="NAME", help="a model's name")
    parser.add_argument(
        "--to", type=Path, required=True, metavar="FOLDER", help="where to write; made if missing"
    )
    parser.add_argument("--gguf", action="store_true", help="a GGUF file too")
    given = parser.parse_args(arguments)
    try:
        model = engine.load(given.name)
        write_folder(model, given.to, records.of(given.name).card or "")
        if given.gguf:
            write_gguf(model, given.to / f"{given.name}.gguf")
    except (ReaderError, OSError) as error:
        parser.exit(1, f"{error}\n")
    print(f"{model.title} stands in {given.to}.")


if __name__ == "__main__":
    main()
