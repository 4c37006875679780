"""What several threads must not do at once: each has a lock here, held for as long as it is done.

A server answers every reader in a thread of its own, so what looks safe alone has to be safe together.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

# Python's parser: in 3.11 two threads that make a syntax tree at once count each other's depth, and one of
# them ends in a SystemError.  ast.parse, ast.literal_eval and numpy.load, which reads its headers with it.
PARSING = RLock()
# What imports hundreds of modules when it is first used: torch's optimisers, and transformers, which also
# makes its networks under settings for all threads.
LATE = RLock()
_START = RLock()


@contextmanager
def random_start(seed: int | None = None) -> Iterator[None]:
    """While it lasts, torch's own dice are this thread's alone, begin at a seed, and are put back after."""
    import torch

    with _START, torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(seed)
        yield
