"""Hostile programs in the sandbox, as root and as a user: contained, reported by limit, and no process left running."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt-get install bubblewrap")
MARK = "gluepot-hostile"
START = "import os, sys, time, socket, subprocess, signal\n"
HOSTILE = {
    "fork bomb": ("while True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)", "processes"),
    "memory": ("x = []\nwhile True: x.append(bytearray(8 * 2**20))", "memory"),
    "disk": ("f = open('/tmp/x', 'wb')\nwhile True:\n    try: f.write(b'x' * 2**20)\n    except OSError: time.sleep(30)", "disk"),
    "shared memory": (
        "f = open('/dev/shm/x', 'wb')\nwhile True:\n    try: f.write(b'x' * 2**20)\n    except OSError: time.sleep(30)",
        "disk",
    ),
    "endless output": ("while True: sys.stdout.write('x' * 2**16)", "output"),
    "endless complaints": ("while True: sys.stderr.write('x' * 2**16)", "output"),
    "clock": ("signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)", "time"),
}
REFUSED = {
    "network": "socket.create_connection(('192.0.2.1', 80), timeout=3)",
    "loopback of the host": "socket.create_connection(('127.0.0.1', {port}), timeout=3)",
    "name server": "socket.getaddrinfo('example.org', 80)[0]; socket.create_connection(('example.org', 80), timeout=3)",
    "labels": "open({labels!r}).read()",
    "labels by a link": "os.symlink({labels!r}, '/tmp/own'); open('/tmp/own').read()",
    "shadow": "open('/etc/shadow').read()",
    "own script": "open(__file__, 'w')",
    "a system file": "open('/usr/gluepot-was-here', 'w')",
    "the root folder": "open('/gluepot-was-here', 'w')",
    "kernel settings": "open('/proc/sys/kernel/core_pattern', 'w')",  # opened only: a write by root could change the setting of the host
    "own kernel settings": "open('/proc/self/oom_score_adj', 'w')",
    "restart": "open('/proc/sysrq-trigger', 'w')",
    "setuid program": "assert os.geteuid() == 0 and not [l for l in open('/proc/self/status') if l.startswith('NoNewPrivs') and '1' in l]",
    "mount": "subprocess.run(['mount', '-t', 'tmpfs', 'none', '/tmp'], check=True)",
    "name space": "os.setuid; subprocess.run(['unshare', '-Ur', 'true'], check=True)",
    "parent": "os.kill({parent}, 0)",
}
HARMLESS = {
    "kills its parent": "os.kill(os.getppid(), signal.SIGKILL); time.sleep(0.1)",
    "zombies": "for i in range(20):\n    if not os.fork(): os._exit(0)\ntime.sleep(0.2)",
    "leaves a child": "if not os.fork():\n    os.setsid(); os.close(0); os.close(1); os.close(2); time.sleep(600)",
    "writes and reads back": "open('/tmp/x', 'w').write('y'); assert open('/tmp/x').read() == 'y'",
}
DRIVER = """
import json, sys
from pathlib import Path
from gluepot.programs.bubblewrap import Sandbox
from gluepot.programs.execution import Program, run_program
from gluepot.programs.limits import Limits
limits = Limits(seconds=float(sys.argv[3]), memory=150 * 2**20, processes=40, disk=20 * 2**20, output=4 * 2**20)
program = Sandbox(limits, hidden=(Path(sys.argv[2]),)).fence(Program((sys.executable, "-S", sys.argv[1])))
outcome = run_program(program)
facts = [outcome.breach, outcome.code, outcome.network_attempts, outcome.left_running, outcome.failure(program), outcome.said[-1:]]
print(json.dumps(facts))
"""
AS_USER = (
    'd=$(mktemp -d); mount --make-rprivate /; mount --bind "$1" $d; mount -t tmpfs -o mode=755 none /root; mkdir -p "$1"; '
    'mount --bind $d "$1"; shift; exec setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp "$@"'
)


def words_as(user: str, words: list[str]) -> list[str]:
    """Return the command to run as the given user; for an unprivileged one, a Python in root's home is made visible."""
    if user == "root":
        if os.getuid():
            pytest.skip("needs root")
        return words
    if os.getuid():
        return words
    home = Path(os.path.realpath(sys.executable)).parents[1]
    if not home.is_relative_to("/root"):
        return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", "HOME=/tmp", *words]
    tree = Path(*home.parts[:3])
    return ["unshare", "-m", "sh", "-c", AS_USER, "sh", str(tree), *words]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Temporary folder accessible to other users, unlike that of pytest."""
    with TemporaryDirectory(prefix="gluepot-programs-", ignore_cleanup_errors=True) as place:
        Path(place).chmod(0o755)
        yield Path(place)


def run_inside(user: str, text: str, tmp_path: Path, seconds: float = 40) -> list[object]:
    folder = tmp_path / "own"
    folder.mkdir(exist_ok=True)
    (folder / "labels.jsonl").write_text("secret")
    folder.chmod(0o755)
    (folder / "hostile.py").write_text(f"MARK = '{MARK}'\n" + START + text)
    (folder / "driver.py").write_text(DRIVER)
    words = [sys.executable, "-P", str(folder / "driver.py"), str(folder / "hostile.py"), str(folder / "labels.jsonl"), str(seconds)]
    done = subprocess.run(words_as(user, words), capture_output=True, text=True, timeout=300, cwd="/")
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[object] = json.loads(done.stdout)
    return found


def _filled(text: str, facts: dict[str, object]) -> str:
    for name, value in facts.items():
        text = text.replace(f"{{{name}!r}}", repr(value)).replace(f"{{{name}}}", str(value))
    return text


def left_running(folder: Path) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder / "hostile.py").encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


USERS = pytest.mark.parametrize("user", ["root", "user"])


@USERS
@pytest.mark.parametrize("name", HOSTILE)
def test_a_program_that_exceeds_a_limit_is_ended_and_the_limit_named(name: str, user: str, tmp_path: Path) -> None:
    text, limit = HOSTILE[name]
    breach, *_ = run_inside(user, text, tmp_path, 3 if limit == "time" else 40)
    assert breach == limit
    time.sleep(0.1)
    assert not left_running(tmp_path / "own")


@USERS
def test_network_files_and_processes_of_the_host_are_inaccessible(user: str, tmp_path: Path) -> None:
    """One program makes all attempts; each must fail, and those that succeed are listed by name."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        facts = {"port": server.getsockname()[1], "labels": str(tmp_path / "own" / "labels.jsonl"), "parent": os.getpid()}
        attempts = {name: _filled(text, facts) for name, text in REFUSED.items()}
        text = f"done = []\nfor name, attempt in {attempts!r}.items():\n"
        text += "    try: exec(attempt); done.append(name)\n    except BaseException as error: pass\n"
        text += "print(done, file=sys.stderr)\n"
        breach, code, attempted, _, failure, said = run_inside(user, text, tmp_path)
    assert (breach, code, failure, said) == (None, 0, "", ["[]"])
    assert isinstance(attempted, int)
    assert attempted >= 2
    assert not Path("/usr/gluepot-was-here").exists()


@USERS
@pytest.mark.parametrize("name", HARMLESS)
def test_effects_on_its_own_sandbox_end_with_the_program(name: str, user: str, tmp_path: Path) -> None:
    breach, *_ = run_inside(user, HARMLESS[name], tmp_path)
    assert breach is None
    time.sleep(0.1)
    assert not left_running(tmp_path / "own")
