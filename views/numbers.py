"""Numbers as a reader reads them.  ui/web/numbers.js writes the same in the browser."""

import math
from decimal import ROUND_HALF_UP, Decimal

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def whole(n):
    """17309056 -> "17,309,056" """
    return f"{n:,}"


def counted(n, one, many=None):
    """How many there are, in words: "1 token", "2 tokens", "1,234 boxes"; many: unless it is one + s."""
    return f"{whole(n)} {form(n, one, many)}"


def form(n, one, many=None):
    """The word that goes with n: form(1, "is", "are") -> "is"; many: one + "s" unless given."""
    return one if n == 1 else many or f"{one}s"


def within(title):
    """A model's title within a sentence: "The store's model" -> "the store's model"."""
    return title.replace("The ", "the ", 1) if title.startswith("The ") else title


def short(n):
    """17309056 -> "17.31 M"; below ten thousand the number itself."""
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(n) >= max(size, 1e4):
            return f"{n / size:.2f} {unit}"
    return f"{n:,}" if isinstance(n, int) else f"{n:.3g}"


def percent(p, tenths=False):
    """A share as 0.3 %, 97 %, > 99.9 %, < 0.1 %: only none of it is 0 %, and only all of it is 100 %.

    p: from 0 to 1, None or nan where there is none.  tenths: one decimal throughout, as for a column of
    shares that are compared.  Raises ValueError beyond 0 and 1, but for what adding up in 32 bits leaves.
    """
    if p is None or math.isnan(p):
        return "–"
    p = float(p)
    if not -1e-4 < p < 1 + 1e-4:
        raise ValueError(f"{p} is no share: a share lies between 0 and 1.")
    if p <= 0 or p >= 1:
        return "0 %" if p <= 0 else "100 %"
    if p < 0.001:
        return "< 0.1 %"
    if p > 0.999:
        return "> 99.9 %"
    return f"{_rounded(100 * p, 1 if tenths or p < 0.0995 or p > 0.99 else 0)} %"


def probability(p):
    """A probability from a softmax, written as a share: never all or nothing, as 32 bits may round it."""
    return "< 0.1 %" if p == 0 else "> 99.9 %" if p is not None and p >= 1 else percent(p)


def exact(p):
    """A softmax's probability with enough digits for hovering: never 0 or 1, which it never is."""
    if p <= 0 or p >= 1:
        return "less than 10⁻³⁷" if p <= 0 else "more than 1 − 6 × 10⁻⁸"
    return f"1 − {_digits(1 - float(p), 3)}" if p > 0.9999 else _digits(float(p), 4)


def change(x):
    """A relative change as +0.3 %, −12 %, +0.02 %: x is 0.003 for the first.  Only no change is 0 %."""
    if x == 0:
        return "0 %"
    size = 100 * abs(x)
    if size < 0.001:
        return "under ±0.001 %"
    sign = "+" if x > 0 else "−"
    return f"{sign}{_rounded(size, 1) if size >= 0.1 else figure(size, 1)} %"


def perplexity_of(nats):
    """3.1655 -> "exp(3.166) = 23.7": as many digits of the loss as make the power hold.  nats: below 700."""
    said = figure(math.exp(nats))
    for places in range(2, 15):
        power = f"{nats:.{places}f}"
        if figure(math.exp(float(power))) == said:
            break
    return f"exp({power}) = {said}"


def figure(x, digits=3):
    """A measured number with so many significant digits and no exponent where one can do without."""
    if x is None or math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x == 0 or 1e-4 <= abs(x) < 1e7:
        places = max(0, digits - 1 - math.floor(math.log10(abs(x)))) if x else 0
        return f"{x:,.{min(places, 6)}f}".replace("-", "−")
    return _scientific(x, digits).replace("-", "−")


def _rounded(x, places):
    """A number with so many decimals, a tie upwards, as toFixed does in the browser."""
    return str(Decimal(x).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _digits(x, digits):
    """A number between 0 and 1 with so many significant digits, without zeros at the end."""
    power = Decimal(x).adjusted()
    if power < -4:
        return _scientific(x, digits)
    return _rounded(x, digits - 1 - power).rstrip("0").rstrip(".")


def _scientific(x, digits):
    power = Decimal(x).adjusted()
    first = Decimal(x).scaleb(-power).quantize(Decimal(1).scaleb(1 - digits), ROUND_HALF_UP)
    if abs(first) == 10:
        first, power = first / 10, power + 1
    return f"{first:.{digits - 1}f} × 10{str(power).translate(_RAISED)}"
