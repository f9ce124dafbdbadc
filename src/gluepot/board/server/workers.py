"""Workers beside the site: started with it, started again when they end, and ended with it."""

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from time import monotonic

PAUSES = (1, 1, 2, 5, 10, 30)
"""Seconds before a worker that ended by itself is started again, the longer the more often it happened."""
WELL = 60.0
"""Seconds after which a worker is known to work: what ended it then is no fault of its start."""


class Workers:
    """So many worker processes, for as long as it is open."""

    def __init__(self, folder: Path, number: int) -> None:
        self.words = [sys.executable, "-m", "gluepot", "board", "worker", "--dir", str(folder), "--attached"]
        self.stopping = Event()
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.threads = [Thread(target=self._keep, daemon=True) for _ in range(number)]
        for thread in self.threads:
            thread.start()

    def _keep(self) -> None:
        ended = 0
        while not self.stopping.is_set():
            began = monotonic()
            with subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
                self.processes.add(process)
                killed = process.wait() < 0
                self.processes.discard(process)
            ended = 0 if killed or monotonic() - began > WELL else ended + 1
            if self.stopping.wait(PAUSES[min(ended, len(PAUSES) - 1)]):
                return

    def close(self) -> None:
        """Tell them to end, and wait until they have put down what they were at."""
        self.stopping.set()
        for process in list(self.processes):
            process.terminate()
        for thread in self.threads:
            thread.join(timeout=30)
        for process in list(self.processes):
            process.kill()
