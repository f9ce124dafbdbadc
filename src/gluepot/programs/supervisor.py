"""Supervisor process between the caller and a program: starts it, monitors its tree, ends it at its limits, and leaves nothing running.

    python -m gluepot.programs.supervisor '{"words": […], "status": 5, "control": 6, …}'

Standard input, output and error are the program's own. On `status` it writes JSON lines (`started`, `sample` …, `ended`); a word
on `control`, or its closing, ends the program. Times are those of CLOCK_MONOTONIC, which all processes share.
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from gluepot.programs.containers.group import ContainerGroup
from gluepot.programs.control_groups import ControlGroup
from gluepot.programs.fence import Fence
from gluepot.programs.process_tree import descendants
from gluepot.programs.tree_meter import TreeMeter

_DEATH_SIGNAL, _SUBREAPER = 1, 36
"""Options of prctl."""
GRACE = 0.2
"""Seconds for processes that a program has left running to end by themselves."""
_AGAIN = 5.0


class ProgramSupervisor:
    """Supervisor of one program from its start to its end."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config, self.limits = config, config.get("limits", {})
        container = config.get("fence", {}).get("container")
        self.group = ContainerGroup(container) if container else ControlGroup(f"gluepot-{os.getpid()}")
        self.group.limit(self.limits.get("memory"), self.limits.get("processes"))
        self.breach: str | None = None
        self.code: int | None = None
        self.ended: float | None = None
        self.left_running = 0

    def run(self) -> None:
        self.started = time.monotonic()
        self.main = _start(self.config, self.group)
        for stream in (0, 1, 2):  # our copies would keep the program's pipes open after its end
            os.close(stream)
        self.watch = os.pidfd_open(self.main)
        self.meter = TreeMeter(self.group, self.started, tuple(self.config["pace"]), self.emit)
        self.fence = Fence(self.config.get("fence", {}))
        self.emit({"event": "started", "time": self.started, "pid": self.main, "group": self.group.memory is not None})
        try:
            self._look_on()
        finally:
            self._end_all()
            self._finish()

    def _look_on(self) -> None:
        sources: list[int] = [self.config["control"], self.watch]
        while True:
            ready, _, _ = select.select(sources, [], [], self.meter.pause())
            if self.config["control"] in ready:
                self.breach = self.breach or _word(self.config["control"]) or None
                return
            self._reap()
            tree = self.group.tree()
            self.meter.look(tree)
            self.fence.look(tree)
            self.breach = self._broken(tree)
            if self.breach:
                return
            if self.ended is not None:
                sources = [self.config["control"]]
                if not tree or time.monotonic() > self.ended + GRACE:
                    self.left_running = len(tree)
                    return

    def _broken(self, tree: list[int]) -> str | None:
        """Return the name of a limit that is exceeded now, or None."""
        most = self.limits
        now = {
            "time": time.monotonic() - self.started > most.get("seconds", float("inf")),
            "memory": self.group.out_of_memory() or self.meter.last > most.get("memory", float("inf")),
            "processes": self.group.refused_processes() or len(tree) > most.get("processes", float("inf")),
            "cpu-time": self.meter.cpu > most.get("cpu_seconds", float("inf")),
            "disk": self.fence.is_full(),
        }
        return next((name for name, broken in now.items() if broken), None)

    def _reap(self) -> None:
        """Reap ended children; orphans become ours, because this process is their subreaper."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self.main:
                    self.code, self.ended = os.waitstatus_to_exitcode(status), time.monotonic()

    def _end_all(self) -> None:
        """Kill everything until nothing is left: processes forked meanwhile are killed in the next round."""
        self.group.end()
        stop = time.monotonic() + _AGAIN
        while time.monotonic() < stop and (left := {*descendants(os.getpid()), *self.group.members()} - {os.getpid()}):
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            self._reap()
            time.sleep(0.002)
        self.group.end()
        self._reap()

    def _finish(self) -> None:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = self.ended or time.monotonic()
        breach = self.breach or self._broken([])
        self.meter.close(ended, used.ru_maxrss * 1024 if self.group.of_children else 0)
        self.emit(
            {
                "event": "ended",
                "time": ended,
                "code": self.code,
                "breach": None if breach == "time" and not self.breach else breach,
                "cpu_seconds": used.ru_utime + used.ru_stime if self.group.of_children else self.group.cpu_seconds([]),
                "peak": self.meter.peak,
                "left_running": self.left_running,
                "network_attempts": self.fence.network_attempts(),
            }
        )
        self.group.remove()

    def emit(self, fact: dict[str, Any]) -> None:
        with suppress(OSError):  # the parent process is gone
            os.write(self.config["status"], json.dumps(fact).encode() + b"\n")


def _word(control: int) -> str:
    """Return the word received on the control pipe, or an empty string if it was closed."""
    return os.read(control, 100).decode().partition("\n")[0]


def _start(config: dict[str, Any], group: ControlGroup) -> int:
    """Start the program as a child that dies with this process."""
    own = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        group.join()
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != own:
            os._exit(127)
        _limit_by_kernel(config.get("limits", {}))
        for number in (config["status"], config["control"]):
            os.close(number)
        if config.get("cpus"):
            os.sched_setaffinity(0, config["cpus"])
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):  # reset what Python or a shell changed
            signal.signal(number, signal.SIG_DFL)
        os.execvp(config["words"][0], config["words"])
    except OSError as error:
        os.write(2, f"cannot start {config['words'][0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _limit_by_kernel(limits: dict[str, Any]) -> None:
    """Set limits that hold between samples; those per process are wide, because ours apply to all processes together."""
    kernel = [(resource.RLIMIT_CORE, 0)]
    if limits.get("processes") and os.getuid():
        kernel.append((resource.RLIMIT_NPROC, limits["processes"] + _own_processes()))
    if limits.get("cpu_seconds"):
        kernel.append((resource.RLIMIT_CPU, int(limits["cpu_seconds"]) + 1))
    for name, value in kernel:
        with suppress(OSError, ValueError):
            resource.setrlimit(name, (value, value))
    with suppress(OSError, ValueError):  # a worker's own limit on addresses does not apply to the program
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _own_processes() -> int:
    """Return the number of threads that this user already has: the kernel counts them all."""
    count = 0
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def main() -> None:
    """Run the supervisor; Ctrl-C is ignored here, as it reaches the parent process, which then ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    config = json.loads(sys.argv[1])
    _prctl(_SUBREAPER, 1)
    ProgramSupervisor(config).run()


if __name__ == "__main__":
    main()
