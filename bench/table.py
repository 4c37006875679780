"""Print measured times as a small table."""

import math
from collections.abc import Mapping, Sequence
from statistics import median


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0 to 1) of the values do not exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def show(rows: Mapping[str, Sequence[float]]) -> None:
    """Print for each row of times in seconds how many there are, the median, 95th percentile and maximum."""
    width = max(len(name) for name in rows)
    print(f"{'':{width}}  {'n':>5}  {'median':>9}  {'p95':>9}  {'max':>9}")
    for name, seconds in rows.items():
        if not seconds:
            print(f"{name:{width}}  {0:5}  {'–':>9}  {'–':>9}  {'–':>9}")
            continue
        figures = (median(seconds), percentile(seconds, 0.95), max(seconds))
        print(f"{name:{width}}  {len(seconds):5}  " + "  ".join(f"{1000 * s:6,.0f} ms" for s in figures))


def beside(
    left: str, ours: Mapping[str, Sequence[float]], right: str, theirs: Mapping[str, Sequence[float]]
) -> None:
    """Print the medians of times in seconds, measured in turn, beside each other."""
    width = max(len(name) for name in ours)
    print(f"{'':{width}}  {'n':>4}  {left:>14}  {right:>14}  {'ratio':>6}")
    for name, seconds in ours.items():
        if not seconds or not theirs.get(name):
            continue
        a, b = median(seconds), median(theirs[name])
        ratio = f"{a / b:6.2f}" if b else f"{'–':>6}"
        print(f"{name:{width}}  {len(seconds):4}  {1000 * a:11,.0f} ms  {1000 * b:11,.0f} ms  {ratio}")
