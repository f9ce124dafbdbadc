"""Peak memory of process trees against the memory they hold: shared memory counts once, short-lived processes count."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.programs.test_hostile import words_as

from gluepot.programs.execution import Outcome, Program, run_program

MIB = 1024**2
EMPTY = "import os, mmap, time\n"
TREES = {
    "one": ("x = bytearray(200 * 2**20); time.sleep(0.2)", 200),
    "forks": (
        "x = bytearray(160 * 2**20)\nfor i in range(3):\n    if not os.fork():\n"
        "        y = bytearray(20 * 2**20); time.sleep(1.2); os._exit(0)\n"
        "for i in range(3): os.wait()",
        220,
    ),
    "ends early": (
        "x = bytearray(80 * 2**20)\nif not os.fork():\n    y = bytearray(160 * 2**20); os._exit(0)\nos.wait(); time.sleep(0.1)",
        240,
    ),
    "maps a file": (
        "f = open({file!r}, 'rb'); m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)\ns = sum(m[i] for i in range(0, len(m), 4096))\n"
        "if not os.fork():\n    s = sum(m[i] for i in range(0, len(m), 4096)); time.sleep(1.2); os._exit(0)\nos.wait()",
        200,
    ),
    "shares memory": (
        "m = mmap.mmap(-1, 200 * 2**20)\nfor i in range(0, len(m), 4096): m[i] = 1\n"
        "if not os.fork():\n    s = sum(m[i] for i in range(0, len(m), 4096)); time.sleep(1.2); os._exit(0)\nos.wait()",
        200,
    ),
    "is orphaned": (
        "if not os.fork():\n    os.setsid()\n    if not os.fork():\n"
        "        y = bytearray(200 * 2**20); time.sleep(60)\n    os._exit(0)\ntime.sleep(1.5)",
        200,
    ),
    "reads a file": ("f = open({file!r}, 'rb')\nwhile f.read(2**20): pass\nx = bytearray(200 * 2**20); time.sleep(0.1)", 200),
}


def run_python(text: str) -> Outcome:
    return run_program(Program((sys.executable, "-S", "-c", EMPTY + text)))


@pytest.fixture(scope="module")
def interpreter() -> int:
    """Peak memory of the Python interpreter itself."""
    return run_python("time.sleep(0.2)").peak


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mapped") / "file.bin"
    path.write_bytes(b"x" * (200 * MIB))
    return path


@pytest.mark.parametrize("name", TREES)
def test_the_peak_of_a_tree_is_the_memory_it_held(name: str, file: Path, interpreter: int) -> None:
    text, held = TREES[name]
    outcome = run_python(text.replace("{file!r}", repr(str(file))))
    assert outcome.code == 0, outcome.said
    copies = 3 if name == "forks" else 1
    assert held * MIB * 0.95 < outcome.peak - interpreter < held * MIB * 1.05 + copies * 4 * MIB
    assert outcome.left_running == (name == "is orphaned")


STEADY = ("one", "forks", "maps a file", "shares memory")
"""Programs that hold their memory long enough to be sampled without a control group."""
AS_USER = """
import json, sys
from gluepot.programs.execution import Program, run_program
peaks = {}
for name, text in json.loads(sys.argv[1]).items():
    outcome = run_program(Program((sys.executable, "-S", "-c", text)))
    assert outcome.code == 0, outcome.said
    peaks[name] = outcome.peak
print(json.dumps(peaks))
"""


def test_the_peak_is_the_same_for_an_unprivileged_user() -> None:
    """Without privileges no control group can be created, so the processes themselves are sampled."""
    with TemporaryDirectory(prefix="gluepot-memory-") as place:
        Path(place).chmod(0o755)
        mapped = Path(place) / "file.bin"
        mapped.write_bytes(b"x" * (200 * MIB))
        texts = {name: EMPTY + TREES[name][0].replace("{file!r}", repr(str(mapped))) for name in STEADY}
        words = [sys.executable, "-P", "-c", AS_USER, json.dumps({"nothing": f"{EMPTY}time.sleep(0.4)", **texts})]
        done = subprocess.run(words_as("user", words), capture_output=True, text=True, timeout=300, cwd="/")
    assert done.returncode == 0, done.stderr[-2000:]
    peaks = json.loads(done.stdout)
    for name in STEADY:
        held = TREES[name][1] * MIB
        assert held * 0.95 < peaks[name] - peaks["nothing"] < held * 1.05 + 12 * MIB, (name, peaks)


def test_processor_time_of_children_counts() -> None:
    text = "if not os.fork():\n    end = time.process_time() + 0.5\n    while time.process_time() < end: pass\n    os._exit(0)\nos.wait()"
    assert 0.5 <= run_python(text).cpu_seconds < 0.9


def test_reports_a_program_that_cannot_be_started() -> None:
    program = Program(("no-such-program",))
    outcome = run_program(program)
    assert (
        outcome.failure(program) == "no-such-program ended with code 127. It said: cannot start no-such-program: No such file or directory"
    )
