"""Keep the texts that drive each hidden unit most: python -m training.units [NAME …]

Our own held-out texts (texts/) go through the model once; for every unit of every block the file beside
the weights says which texts drive it most, at which token, and how much.  The page "The gate" shows them.
"""

import argparse
from pathlib import Path

from tqdm import tqdm

from engine import gate, measures, trace, units, weights
from training.export import seal


def measure(model):
    """Run our texts through a model -> gate.Driving."""
    rows = tqdm(measures.own_rows(model), model.name, mininterval=5)
    return gate.driving([gate.peaks(trace.run(model, row, ("gate", "value"))) for row in rows], units.KEPT)


def keep(model, folder=weights.FOLDER):
    """Measure, write the file beside the weights, and seal the folder anew."""
    units.save(measure(model), model, folder)
    seal(Path(folder) / model.name, model.manifest)


def _main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="models (default: all that are here)")
    wanted = parser.parse_args()
    for name in wanted.names or weights.available():
        keep(weights.load(name))
        size = (weights.FOLDER / name / units.FILE).stat().st_size
        print(f"{name}: {size / 1000:,.0f} kB")


if __name__ == "__main__":
    _main()
