"""How long something takes is said in round words, and never more exactly than it is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.views.claims import stated
from views import waiting


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "about a second"), (1.4, "about a second"), (1.6, "about 2 seconds"), (9.4, "about 9 seconds"),
        (11, "about 10 seconds"), (43, "about 45 seconds"), (89, "about 90 seconds"), (91, "about 2 minutes"),
        (600, "about 10 minutes"),
    ],
)  # fmt: skip
def test_a_time_is_said_in_round_words(seconds, said):
    assert waiting.about(seconds) == said
    assert waiting.beforehand(seconds).startswith(f"It takes {said} by the pace of a pass just made")


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1000))
def test_what_is_to_come_is_as_long_as_what_was_went(began, share, seconds):
    said = waiting.left(began, share, seconds)
    if share <= began or share == 1 or seconds < 1:
        assert said == ""
    elif said and "minutes" not in said:
        (told,) = stated("about {} seconds to go", said)
        rest = seconds * (1 - share) / (share - began)
        assert abs(told - rest) <= max(2.6, 0.06 * rest)
