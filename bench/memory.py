"""The memory that a process holds, watched while something else happens, and the processor time it takes."""

import os
import threading
from pathlib import Path
from typing import Self

EVERY = 0.1  # seconds between two looks


def resident(process: int) -> float:
    """Megabytes (of 1,000,000 bytes) that a process holds now.  Linux only."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"Process {process} does not tell its memory.")


def processor_seconds(process: int) -> float:
    """Seconds of a core that a process has taken so far, all its threads together.  Linux only."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Memory:
    """A thread that watches a process; by_minute holds the peak of every minute."""

    def __init__(self, process: int) -> None:
        self.process, self.by_minute, self._over = process, [0.0], threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        looks = 0
        while not self._over.wait(EVERY):
            looks += 1
            if looks % round(60 / EVERY) == 0:
                self.by_minute.append(0.0)
            self.by_minute[-1] = max(self.by_minute[-1], resident(self.process))

    @property
    def peak(self) -> float:
        """The most it held at any look."""
        return max(self.by_minute)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
