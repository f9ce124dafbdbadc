"""Worker processes of the site: started with it, restarted when they exit, and stopped with it."""

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from time import monotonic

PAUSES = (1, 1, 2, 5, 10, 30)
"""Seconds before a worker that exited is restarted, increasing with repeated exits."""
WELL = 60.0
"""Seconds after which a worker counts as healthy: a later exit is not a failed start."""


class Workers:
    """A fixed number of worker processes, restarted until closed."""

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
        """Terminate the workers, wait for them to stop, and kill those that do not."""
        self.stopping.set()
        for process in list(self.processes):
            process.terminate()
        for thread in self.threads:
            thread.join(timeout=30)
        for process in list(self.processes):
            process.kill()
