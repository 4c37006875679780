"""Lessons: plans as lists of states to show, from our file or from a link, and what to expect in words."""

import base64
import binascii
import json
import zlib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from engine.errors import ReaderError
from views.numbers import figure, form, probability, whole

FILE = Path(__file__).parent.parent / "texts" / "lessons.json"
OWN = "own"
MOST = 40  # steps of a plan
LONGEST = 300  # letters of what is shown or asked
LONGEST_QUERY = 2_000
_UNPACKED = 100_000  # bytes of a plan in a link
NEVER = {"lesson", "plan", "steer", "room", "embed"}  # what a state's address may not choose


@dataclass(frozen=True)
class Step:
    """One state.  page: a page's name; query: what is chosen there; expect: what is measured for it."""

    page: str
    query: str
    minutes: int
    show: str
    ask: str
    expect: str = "none"

    @property
    def chosen(self):
        """The choices as {name: value}."""
        return dict(parse_qsl(self.query, keep_blank_values=True))


@dataclass(frozen=True)
class Lesson:
    """A plan."""

    id: str
    title: str
    steps: tuple

    @property
    def minutes(self):
        """How long it takes."""
        return sum(one.minutes for one in self.steps)


@cache
def ready():
    """Our plans: {id: Lesson}."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        one["id"]: Lesson(one["id"], one["title"], tuple(Step(**s) for s in one["steps"])) for one in told
    }


def packed(lesson):
    """A plan as a link or a file holds it."""
    told = json.dumps(
        [lesson.title, [list(asdict(one).values()) for one in lesson.steps]], ensure_ascii=False
    )
    return base64.urlsafe_b64encode(zlib.compress(told.encode("utf-8", "replace"), 9)).decode().rstrip("=")


def unpacked(raw, pages):
    """The other way -> Lesson.  pages: the names of all pages.  Raises ValueError for what is none."""
    try:
        pressed = base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4))
        told = zlib.decompressobj().decompress(pressed, _UNPACKED).decode("utf-8")
        title, steps = json.loads(told)
    except (binascii.Error, zlib.error, UnicodeError, TypeError, RecursionError) as error:
        raise ValueError("This link holds no lesson.") from error
    return checked(title, steps, pages)


def checked(title, steps, pages):
    """A plan from outside -> Lesson, cut to its bounds.  Raises ValueError for what is none."""
    if not isinstance(title, str) or not isinstance(steps, list) or not 1 <= len(steps) <= MOST:
        raise ValueError(f"A lesson has a title and 1 to {MOST} steps.")
    return Lesson(OWN, plain(title)[:80], tuple(_step(one, pages) for one in steps))


def _step(told, pages):
    if not isinstance(told, list) or len(told) != 6:
        raise ValueError(
            "A step has a page, its choices, minutes, what to show, what to ask, and what to expect."
        )
    page, query, minutes, show, ask, expect = told
    if page not in pages or not all(isinstance(one, str) for one in (query, show, ask, expect)):
        raise ValueError(f"A lesson leads to pages of the explorer, and not to {str(page)[:40]!r}.")
    if isinstance(minutes, bool) or not isinstance(minutes, int) or not 0 <= minutes <= 999:
        raise ValueError("A step's minutes are a whole number.")
    return Step(page, kept_query(query), minutes, plain(show)[:LONGEST], plain(ask)[:LONGEST], expect[:10])


def plain(text):
    """A text on one line, without what no file can hold."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def kept_query(query):
    """The choices of a state that a plan may hold."""
    pairs = parse_qsl(plain(query)[:LONGEST_QUERY], keep_blank_values=True)
    return urlencode([(name, value) for name, value in pairs if name not in NEVER])


def from_address(typed, pages):
    """An address as it is copied from a browser -> (page, query).  Raises ReaderError for another."""
    try:
        found = urlsplit(plain(str(typed)))
    except ValueError:
        found = urlsplit("")
    name = found.path.rstrip("/").rpartition("/")[2]
    if name not in pages:
        raise ReaderError(f"{plain(str(typed))[:60]!r} is no address of a page here. Copy one from “Share”.")
    return name, kept_query(found.query)


def as_file(lesson):
    """A plan as a small file that can be read and edited."""
    told = {"title": lesson.title, "steps": [asdict(one) for one in lesson.steps]}
    return json.dumps(told, ensure_ascii=False, indent=1)


def from_file(text, pages):
    """The other way.  Raises ReaderError for what is no plan."""
    names = ("page", "query", "minutes", "show", "ask", "expect")
    try:
        told = json.loads(text)
        return checked(
            told["title"], [[one.get(name, "none") for name in names] for one in told["steps"]], pages
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = str(error) if type(error) is ValueError else "It is not what “Keep as a file” writes."
        raise ReaderError(f"This file holds no lesson. {said}") from error


def of_table(title, rows, lesson, pages):
    """An edited table -> Lesson: rows as {address, minutes, show, ask}, those that are empty left out.

    lesson: the plan it was; what is measured for its states stays.  Raises ReaderError for a wrong row.
    """
    known = {(one.page, one.query): one.expect for one in lesson.steps}
    made = []
    for row in rows:
        if not any(str(value).strip() for value in row.values()):
            continue
        name, query = from_address(row["address"], pages)
        told = (_minutes(row["minutes"]), str(row["show"]), str(row["ask"]))
        made.append([name, query, *told, known.get((name, query), "none")])
    try:
        return checked(title.strip() or "My lesson", made, pages)
    except ValueError as error:
        raise ReaderError(str(error)) from error


def _minutes(typed):
    """A number of minutes as it was typed; 5 for none."""
    try:
        return min(max(int(float(typed)), 0), 999)
    except (ValueError, OverflowError):
        return 5


def place(lesson, at):
    """Where one is in a lesson: "2 of 5, 4 min"."""
    return f"{at + 1} of {len(lesson.steps)}, {lesson.steps[at].minutes} min"


def of_cell(column, models):
    """models: [(title, label of the top candidate, its probability, the real label, its probability)]."""
    said = [
        f"{title}: “{top}” at {probability(p)} on top" + _real(real, top, q)
        for title, top, p, real, q in models
    ]
    return f"After position {column}, " + "; ".join(said) + "."


def _real(real, top, q):
    if real is None:
        return ""
    return ", as the text goes on" if real == top else f", the real “{real}” at {probability(q)}"


def of_places(count, means):
    """means: [(model's title, its mean surprise in nats)] at so many places."""
    said = ", ".join(f"{title} {figure(nats)}" for title, nats in means)
    return f"Mean surprise at {form(count, 'this place', f'these {count} places')}, in nats: {said}."


def of_copied(run, models):
    """models: [(title, mean probability at the first time, later)] of a run's pieces after the first."""
    said = "; ".join(
        f"{title} {probability(first)}, then {probability(later)}" for title, first, later in models
    )
    return f"The pieces of “{run}” after its first, the first time and later: {said}."


def of_count(title, total, pieces, blocks):
    """A model's size."""
    size = f"{whole(total)} parameters, {whole(pieces)} pieces, {whole(blocks)} {form(blocks, 'block')}"
    return f"{title}: {size}."
