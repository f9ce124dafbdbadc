"""Wall time, CPU time and peak memory of whole commands, as experienced on the command line."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
ROUNDS = 7


@dataclass(frozen=True)
class Usage:
    """Resource usage of one run of a command."""

    wall: float
    cpu: float
    """User and system seconds."""
    memory: int
    """Peak resident memory in bytes."""


@dataclass(frozen=True)
class Command:
    """One row of the table."""

    name: str
    runs: list[Usage]
    wall_limit: float | None = None
    cpu_limit: float | None = None

    @property
    def wall(self) -> float:
        return min(run.wall for run in self.runs)

    @property
    def median_wall(self) -> float:
        return median(run.wall for run in self.runs)

    @property
    def cpu(self) -> float:
        return min(run.cpu for run in self.runs)

    @property
    def memory(self) -> int:
        return max(run.memory for run in self.runs)

    @property
    def holds(self) -> bool:
        """Whether the best run is within the limits: other load on the machine only makes runs slower."""
        return self.wall <= (self.wall_limit or self.wall) and self.cpu <= (self.cpu_limit or self.cpu)


def measure_all(quick: bool) -> Iterator[Command]:
    """Yield the measurements of the commands that can run here."""
    yield measure(["--help"], quick, cpu_limit=0.1)
    yield measure(["suites"], quick)
    folder = find_submission()
    if folder and os.environ.get("GLUEPOT_DATA"):
        yield measure(["score", "superlim", str(folder)], quick, wall_limit=1.0)


def find_submission() -> Path | None:
    """Return the Superlim submission with most files, in $GLUEPOT_SUBMISSIONS or in shared/submissions beside the project."""
    place = Path(os.environ.get("GLUEPOT_SUBMISSIONS") or ROOT.parent / "shared" / "submissions") / "superlim"
    folders = sorted(path for path in place.glob("*") if path.is_dir())
    return max(folders, key=lambda folder: sum(path.is_file() for path in folder.rglob("*")), default=None)


def measure(words: list[str], quick: bool, wall_limit: float | None = None, cpu_limit: float | None = None) -> Command:
    """Run a command several times after a warm-up run for the page cache."""
    runs = [run(words) for _ in range(3 if quick else ROUNDS + 1)][1:]
    name = " ".join(["gluepot", *(Path(word).name for word in words)])
    return Command(name, runs) if quick else Command(name, runs, wall_limit, cpu_limit)


def run(words: list[str]) -> Usage:
    """Run a command once, start-up included."""
    program = Path(sys.executable).with_name("gluepot")
    start = time.perf_counter()
    process = subprocess.Popen([str(program), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr
    complaint = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise SystemExit(f"gluepot {' '.join(words)} ended with {process.returncode}: {complaint.decode(errors='replace')}")
    return Usage(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
