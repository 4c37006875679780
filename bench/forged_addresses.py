"""Forge addresses by the thousand and open each: python -m bench.forged_addresses [how many] [first seed].

The same seeds make the same addresses.  The tests open the first few hundred; this goes on for as long as
it is asked to, and ends with status 1 when a page broke.
"""

import sys

from tests.pages import forging


def main(count=2_000, first=1_000):
    """Open them, with a line for every page that broke -> how many did."""
    broken = 0
    for seed in range(first, first + count):
        found = forging.complaint(seed)
        if found:
            broken += 1
            print(found, flush=True)
        if (seed - first + 1) % 1_000 == 0:
            print(f"{seed - first + 1:,} opened, {broken} broke a page", flush=True)
    print(f"{count:,} forged addresses from seed {first}: {broken} broke a page")
    return broken


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
