"""What a reader can mend, told apart from what went wrong in here."""


class ReaderError(ValueError):
    """Something a reader gave or asked for can't be done; the message says what, why and what would work."""


class LacksError(ReaderError):
    """A model has no such part: nothing to show, and nothing wrong."""
