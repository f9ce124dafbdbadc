"""Isolated processes for both sides of a comparison, so that neither affects the other's model, memory or caches."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter, process_time
from types import MappingProxyType
from typing import Any, TypeVar

from gluepot.runs.storage.manifest import cpu_model

T = TypeVar("T")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
ONE_THREAD_NOTE = (
    "Each side runs in a fresh process, in fp32 on one thread, and is timed by that process's CPU seconds, which other load on the "
    "machine hardly affects; loading and tokenization are excluded. "
)
ALL_CORES_NOTE = (
    "Each side runs in a fresh process, in fp32 on all cores, one after the other, by wall time; loading and tokenization are excluded. "
)


@dataclass(frozen=True)
class Duration:
    """Wall and CPU seconds of some work."""

    wall: float
    processor: float


def timed(work: Callable[[], T]) -> tuple[T, Duration]:
    wall, processor = perf_counter(), process_time()
    found = work()
    return found, Duration(perf_counter() - wall, process_time() - processor)


def run_side(
    module: str, side: str, *words: str, one_thread: bool = True, environment: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Run a side and return the JSON on the last line of its output."""
    threads = dict.fromkeys(THREADS if one_thread else (), "1")
    environment = {**os.environ, **threads, "TOKENIZERS_PARALLELISM": "false", **environment}
    command = [sys.executable, "-m", module, "--side", side, *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def print_results(**facts: Any) -> None:
    """Print the results of a side for the parent process."""
    print(json.dumps(facts))


@dataclass(frozen=True)
class Machine:
    """Machine that a section of the page was measured on."""

    name: str
    load: float
    """Load average at the start."""


def this_machine() -> Machine:
    return Machine(f"{cpu_model() or 'unknown processor'}, {os.cpu_count()} cores", os.getloadavg()[0])
