"""A cold rush: servers that have just started, and thirty readers who open a page at the same moment.

python -m bench.rush [page …] [--starts 20] [--readers 30]

Prints for every page how many readers saw an error, how many were told "Not so" by a check, how many
tracebacks the server logged, and how long the page took.  "mixed" gives each reader the next page.
"""

import argparse
from collections import Counter
from itertools import cycle, islice
from statistics import median

from tests import sessions
from tests.browser import harness
from tests.pages.reader import page_names

USUAL = ("lens", "rope", "gate", "parameters", "depth", "checks", "models", "mixed")


def rush(page: str, starts: int, readers: int) -> tuple[list[sessions.Came], int]:
    """Every reader of all starts, and the tracebacks in the servers' logs."""
    came, tracebacks = [], 0
    for _ in range(starts):
        pages = page_names() if page == "mixed" else [page]
        with harness.serve() as server:
            came += sessions.rush(server.url, list(islice(cycle(pages), readers)))
            tracebacks += server.log().count("Traceback")
    return came, tracebacks


def main() -> None:
    """Print the table; exit status 1 if a reader saw what was not so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", default=USUAL, help="names of pages, or mixed")
    parser.add_argument("--starts", type=int, default=20, help="servers to start for each page")
    parser.add_argument("--readers", type=int, default=30)
    wanted = parser.parse_args()
    print(f"{wanted.starts} starts of {wanted.readers} readers each")
    print(f"{'page':16}{'errors':>8}{'Not so':>8}{'tracebacks':>12}{'median':>9}{'slowest':>9}")
    wrong = Counter()
    for page in wanted.pages:
        came, tracebacks = rush(page, wanted.starts, wanted.readers)
        false = sum(sessions.FALSE in one.trouble for one in came)
        errors = sum(bool(set(one.trouble) - {sessions.FALSE}) for one in came)
        seconds = [one.seconds for one in came]
        times = f"{median(seconds):7.1f} s{max(seconds):7.1f} s"
        print(f"{page:16}{errors:8}{false:8}{tracebacks:12}{times}", flush=True)
        wrong.update(said for one in came for said in one.trouble)
    for said, times in wrong.most_common(5):
        print(f"{times} × {said[:300]}")
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
