"""Accuracy of measurements, and the overhead of measuring on the machine.

python -m benchmarks.measuring               CPU time of the harness while a trivial command answers 10,000 records a second
python -m benchmarks.measuring --known 20    measure a program of known speed, start-up and memory 20 times beside a busy core
"""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.tables import table, yes
from gluepot.programs.execution import SELDOM, Execution, Program

RATE, SECONDS, WANTED = 10_000, 3, 0.10
PACED = f"""
import sys, time
begun = None
for number, line in enumerate(sys.stdin, start=1):
    begun = begun or time.monotonic()
    sys.stdout.write('{{"id": "1", "prediction": "a"}}\\n')
    if number % 100 == 0:
        sys.stdout.flush()
        time.sleep(max(0, begun + number / {RATE} - time.monotonic()))
"""


@dataclass(frozen=True)
class Overhead:
    """CPU seconds of the harness per second of the measured run."""

    share: float
    rate: float
    wanted: float = WANTED

    @property
    def holds(self) -> bool:
        return self.share < self.wanted


def measure_overhead() -> Overhead:
    """Measure the harness's own threads and the supervisor process, excluding the program's CPU time."""
    line = b'{"id": "1", "task": "pocket/stance-sv", "inputs": {"text": "' + b"x" * 200 + b'"}}\n'
    program = Program((sys.executable, "-S", "-c", PACED), pace=SELDOM)
    before = _used()
    with Execution(program) as execution:
        execution.feed(line * RATE * SECONDS)
        outcome = execution.wait()
    seconds = outcome.ended - outcome.started
    return Overhead((_used() - before - outcome.cpu_seconds) / seconds, outcome.lines / seconds)


def _used() -> float:
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


SPEED, START, MEMORY, NEAR = 500.0, 3.0, 300e6, 0.05
KNOWN = f"""
import json, os, sys, time
def age():
    ticks = int(open('/proc/self/stat').read().rpartition(')')[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf('SC_CLK_TCK')
held = int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
room = bytearray({MEMORY:.0f} - held)
room[::4096] = b'x' * len(room[::4096])
size = int(sys.argv[sys.argv.index('--batch-size') + 1])
time.sleep(max(0, {START} - 1 / {SPEED} - age()))
done = 0.0
batch = []
def answer():
    global done
    now = time.monotonic()
    done = (done if now - done < 0.3 else now) + len(batch) / {SPEED}  # what is late for want of a processor is made up for
    time.sleep(max(0, done - time.monotonic()))
    for item in batch:
        print(json.dumps({{'id': item['id'], 'prediction': item['labels'][0]}}))
    sys.stdout.flush()
    batch.clear()
for line in sys.stdin:
    batch.append(json.loads(line))
    if len(batch) == size:
        answer()
answer()
"""
"""Sleeps, so that its speed is known regardless of the load on the machine."""


NOTE = (
    "The overhead of `gluepot measure`, as CPU time of its processes while a trivial command answers, and its accuracy for a "
    "program of known speed, start-up time and memory while another process keeps one core busy. `python -m benchmarks --only "
    "measuring` measures this section alone."
)


@dataclass(frozen=True)
class KnownRun:
    """One measurement of the program with known figures."""

    throughput: float
    start_up: float
    memory: float
    paper: float | None

    @property
    def holds(self) -> bool:
        pairs = ((self.throughput, SPEED), (self.start_up, START), (self.memory, MEMORY))
        return all(abs(found / true - 1) <= NEAR for found, true in pairs)


def measure_known(times: int, records: int = 1000, repeats: int = 2) -> Iterator[KnownRun]:
    """Run the command as a user would, while another core is busy."""
    with TemporaryDirectory() as place, subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) as busy:
        model = Path(place) / "known.py"
        model.write_text(KNOWN)
        words = [f"command:{sys.executable} -S {model}", "pocket/stance-sv", "--out", f"{place}/out", "--json"]
        words += ["--records", str(records), "--repeats", str(repeats)]
        try:
            for _ in range(times):
                told = subprocess.run([sys.executable, "-m", "gluepot", "measure", *words], capture_output=True, check=True).stdout
                [row] = json.loads(told)["measurements"]
                yield KnownRun(row["throughput"], row["start_up_seconds"], row["memory_gib"] * 1024**3, row["paper"]["throughput"])
        finally:
            busy.kill()


def known_main(times: int) -> int:
    runs = []
    for number, run in enumerate(measure_known(times), start=1):
        runs.append(run)
        paper = "–" if run.paper is None else f"{run.paper:.0f}"
        figures = f"{run.throughput:.1f}/s (paper's formula {paper}/s), start {run.start_up:.2f} s, {run.memory / 1e6:.0f} MB"
        print(f"{number:2}: {figures}{'' if run.holds else '  off by more than 5 %'}", flush=True)
    good = sum(run.holds for run in runs)
    print(f"within {NEAR:.0%} of {SPEED:.0f}/s, {START:.0f} s and {MEMORY / 1e6:.0f} MB: {good} of {times} (wanted: 19 of 20)")
    return 0 if good >= times * 0.95 else 1


def measuring_section(overhead: Overhead, runs: Sequence[KnownRun]) -> str:
    """Return the section of the page."""
    good, papers = sum(run.holds for run in runs), [run.paper for run in runs if run.paper is not None]
    rows = [
        [f"the harness at {overhead.rate:,.0f} records/s", f"{overhead.share:.1%} of a core", f"below {WANTED:.0%}", yes(overhead.holds)]
    ]
    if runs:
        figures = f"{good} of {len(runs)}; throughput {_range([run.throughput for run in runs])}/s"
        figures += f", start-up {_range([run.start_up for run in runs], 2)} s, memory {_range([run.memory / 1e6 for run in runs])} MB"
        what = f"measurements within {NEAR:.0%} of a program of {SPEED:.0f} records/s, {START:.0f} s and {MEMORY / 1e6:.0f} MB"
        rows.append([what, figures, "19 of 20", yes(good >= 0.95 * len(runs))])
        if papers:
            rows.append(["throughput by the paper's formula, from the same runs", f"{_range(papers)}/s", "–", "yes"])
    return "\n\n".join(["## Measuring", NOTE, table(["what", "measured", "wanted", "holds"], rows)])


def _range(values: Sequence[float], digits: int = 0) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def main() -> int:
    if "--known" in sys.argv:
        return known_main(int(sys.argv[sys.argv.index("--known") + 1]))
    found = measure_overhead()
    print(f"overhead of the harness at {found.rate:,.0f} records/s: {found.share:.1%} of a core (wanted: below {found.wanted:.0%})")
    return 0 if found.holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
