"""The lines to copy do what the page says they do."""

import subprocess
import sys

from views import rope_snippet


def test_the_snippet_as_shown_prints_the_known_scores():
    ran = subprocess.run(
        [sys.executable, "-c", rope_snippet.SNIPPET], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == rope_snippet.printed()
    assert ran.stdout.splitlines() == [
        "query at 5, key at 2: 2.239",
        "query at 105, key at 102: 2.239",
        "query at 400, key at 397: 2.239",
        "query at 5, key at 4: 1.012",
        "length 6.865009, at position 77 6.865009",
        "query at 5, key at 2, scaled: 0.217",
        "query at 15, key at 12, scaled: 0.217",
        "query at 8, key at 2, scaled: -0.765",
    ]
