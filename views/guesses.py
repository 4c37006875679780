"""What a reader predicted of parts left out: orders, bars and a head, judged once all is measured."""

from itertools import combinations

from engine.errors import ReaderError
from views.leave_out import called, name
from views.numbers import counted, form


def order_to_guesses(raw, wanted):
    """An order as typed, the worst first, by the parts' numbers -> a place from 0 to 100 for every bar.

    Raises ReaderError unless every part is named once.
    """
    numbers = [_number(one) for one in wanted if one]
    try:
        typed = [int(part) for part in raw.replace(",", " ").split()]
    except ValueError:
        typed = []
    if sorted(typed) != numbers:
        example = " ".join(map(str, reversed(numbers)))
        raise ReaderError(f"An order names each of {numbers[0]} to {numbers[-1]} once, such as {example}.")
    step = 80 / max(len(typed) - 1, 1)
    return [round(90 - step * typed.index(number)) for number in numbers]


def _number(one):
    """The number, from 1, by which a part is known in an order: a head's, else its block's."""
    return 1 + (one[0].head if one[0].kind == "head" else one[0].block)


def bars_said(wanted, found, guesses):
    """How good the reader's order was, once all is measured; "" before."""
    others = [one for one in wanted if one]
    if not guesses or len(others) < 2 or any(one not in found for one in others):
        return ""
    nats = [found[one].nats for one in others]
    if len(set(guesses)) == 1:
        return "Your bars are all level: they name no order."
    pairs = [(a, b) for a, b in combinations(range(len(others)), 2) if nats[a] != nats[b]]
    right = sum((guesses[a] - guesses[b]) * (nats[a] - nats[b]) > 0 for a, b in pairs)
    level = sum(guesses[a] == guesses[b] for a, b in pairs)
    beside = f" and {level} level" if level else ""
    said = f"Of {counted(len(pairs), 'pair')}, your bars had {right} in the right order{beside}"
    return f"{said}; {_highest(others, nats, guesses)}." if pairs else "All of them cost exactly the same."


def _highest(others, nats, guesses):
    thought = [i for i, guess in enumerate(guesses) if guess == max(guesses)]
    hit = any(nats[i] == max(nats) for i in thought)
    if len(thought) > 1:
        return (
            f"the one without which most is lost is {'' if hit else 'not '}among your {len(thought)} highest"
        )
    if hit:
        return "and you named the one without which most is lost"
    return f"you thought that most is lost {name(others[thought[0]])}"


def head_said(wanted, found, guess):
    """Where the head that the reader named came, once all is measured; "" before."""
    others = [one for one in wanted if one]
    named = [one for one in others if guess == f"{one[0].block + 1}.{one[0].head + 1}"]
    if not named or any(one not in found for one in others):
        return ""
    more = sum(found[one].nats > found[named[0]].nats for one in others)
    alike = sum(found[one].nats == found[named[0]].nats for one in others) - 1
    said = f"You named {called(named[0])}: "
    if more:
        return f"{said}{more} of the {counted(len(others) - 1, 'other')} {form(more, 'costs', 'cost')} more."
    return said + ("none costs more" + (f", {alike} as much." if alike else "."))
