"""Numbers as a reader reads them."""

import math

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def whole(n):
    """17309056 -> "17,309,056" """
    return f"{n:,}"


def short(n):
    """17309056 -> "17.31 M"; below ten thousand the number itself."""
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(n) >= max(size, 1e4):
            return f"{n / size:.2f} {unit}"
    return f"{n:,}" if isinstance(n, int) else f"{n:.3g}"


def percent(p):
    """A probability as 0.3 %, 97 %, > 99.9 %, < 0.1 %: never rounded to all or nothing."""
    if p is None or math.isnan(p):
        return "–"
    if p == 0 or p == 1:
        return f"{p:.0%}".replace("%", " %")
    if p < 0.001:
        return "< 0.1 %"
    if p > 0.999:
        return "> 99.9 %"
    shown = f"{100 * p:.1f}" if p < 0.0995 or p > 0.99 else f"{100 * p:.0f}"
    return f"{shown} %"


def exact(p):
    """A probability with enough digits for hovering: never 0 or 1 when it is not."""
    if p in (0, 1):
        return f"{p:g}"
    return f"1 − {1 - p:.3g}" if p > 0.9999 else f"{p:.4g}"


def figure(x, digits=3):
    """A measured number with so many significant digits and no exponent where one can do without."""
    if x is None or math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x == 0 or 1e-4 <= abs(x) < 1e7:
        places = max(0, digits - 1 - math.floor(math.log10(abs(x)))) if x else 0
        return f"{x:,.{min(places, 6)}f}".replace("-", "−")
    power = math.floor(math.log10(abs(x)))
    return f"{x / 10.0**power:.{digits - 1}f}".replace("-", "−") + f" × 10{str(power).translate(_RAISED)}"
