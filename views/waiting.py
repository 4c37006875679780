"""How long something will take, in words."""

_ROUND, _MINUTE = 10, 60


def about(seconds):
    """Seconds as one says them: "about 8 seconds", "about 40 seconds", "about 3 minutes"."""
    if seconds < 1.5:
        return "about a second"
    if seconds < _ROUND:
        return f"about {round(seconds)} seconds"
    if seconds < 1.5 * _MINUTE:
        return f"about {max(_ROUND, 5 * round(seconds / 5))} seconds"
    return f"about {round(seconds / _MINUTE)} minutes"


def beforehand(seconds):
    """What is said beside the button that begins it."""
    return (
        f"It takes {about(seconds)} by the pace of a pass just made, more while others measure too. It can "
        "be stopped, and what is finished is kept."
    )


def left(began, share, seconds):
    """What is still to come, told after a share of the whole: began: the share that was there at first,
    seconds: since then.  "" where that is not known yet, or is next to nothing."""
    if seconds < 1 or share <= began or share >= 1:
        return ""
    rest = seconds * (1 - share) / (share - began)
    return f", {about(rest)} to go" if rest >= 1.5 else ""
