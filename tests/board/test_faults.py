"""Fault tolerance of a board: killed processes, concurrent first commands, Ctrl-C at any time, a full disk."""

import json
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from tests.board.exporting import SAMPLE
from tests.board.made import make_board
from tests.board.serving import import_into, served
from tests.board.users import MYSELF, Somebody, is_ready, kill_server, ordinary_user, processes_of, wait_for

pytest.importorskip("django", reason="needs the extra 'board'")
pytestmark = pytest.mark.slow
IMPORT = ("board", "import", "--published", "--dir")


@pytest.fixture(params=["root", "ordinary user"])
def somebody(request: pytest.FixtureRequest, board_place: Path) -> Somebody:
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("needs root")
    who = MYSELF if request.param == "root" else ordinary_user()
    if who.identity:
        os.chown(board_place, who.identity["user"], who.identity["group"])
    return who


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_killed_import_leaves_no_server(board_place: Path, somebody: Somebody, end: signal.Signals) -> None:
    folder = board_place / "board"
    with somebody.start("-m", "gluepot", *IMPORT, str(folder)) as process:
        assert wait_for(lambda: is_ready(folder))
        process.send_signal(end)
        _, told = process.communicate(timeout=30)
    assert process.returncode == (-9 if end == signal.SIGKILL else 143), told
    assert "Traceback" not in told
    assert wait_for(lambda: not processes_of(folder)), processes_of(folder)
    assert somebody.gluepot(*IMPORT, str(folder)).returncode == 0
    assert processes_of(folder) == []


def test_served_board_recovers_from_a_killed_database_without_data_loss(board_place: Path) -> None:
    import_into(board_place, "--published")
    with served(board_place, lost=1) as address:
        page = f"{address}/b/basqueglue/1.0.json"
        before = answer(page)
        kill_server(board_place)
        told = [answer(page), answer(f"{address}/ru/"), answer(f"{address}/api/suites")]
        assert {status for status, _, _ in told} <= {200, 503}
        assert any(status == 503 for status, _, _ in told), "between the two there is no answer"
        for status, headers, _ in told:
            assert status == 200 or int(headers["Retry-After"]) > 0
        assert wait_for(lambda: answer(page)[0] == 200)
        assert answer(page)[2] == before[2]
        import_into(board_place, str(board_place / "nowhere"), "--published", expected=1)
        assert answer(page)[2] == before[2]
    assert processes_of(board_place) == []


def test_import_reports_a_killed_database_and_resumes_on_the_next_run(board_place: Path) -> None:
    with MYSELF.start("-m", "gluepot", *IMPORT, str(board_place)) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the first entry is stored
        kill_server(board_place)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in told
    assert "the board's database was lost" in told
    again = MYSELF.gluepot(*IMPORT, str(board_place))
    assert again.returncode == 0, again.stderr
    assert " 0 already there" not in again.stdout
    assert processes_of(board_place) == []


def answer(address: str) -> tuple[int, dict[str, str], bytes]:
    try:
        with urlopen(address, timeout=30) as found:
            return found.status, dict(found.headers), found.read()
    except HTTPError as error:
        return error.code, dict(error.headers), error.read()


def test_concurrent_first_imports_all_succeed(board_place: Path) -> None:
    folder = board_place / "board"
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: MYSELF.gluepot(*IMPORT, str(folder)), range(3)))
    for one in done:
        assert one.returncode == 0, one.stderr
        assert one.stderr == ""
    counts = [int(one.stdout.splitlines()[-1].split()[0]) for one in done]
    assert sum(counts) == 67, counts
    assert processes_of(folder) == []


def test_ctrl_c_never_shows_a_traceback(board_place: Path) -> None:
    rng = random.Random(0)
    import_into(board_place / "made", "--published")
    words = [("import", "--published"), ("serve", "--port", "0"), ("snapshot", "superlim"), ("export", str(board_place / "copy"))]
    for number in range(16):
        folder = board_place / ("made" if number % 2 else f"fresh-{number}")
        with MYSELF.start("-m", "gluepot", "board", *words[number // 2 % 4], "--dir", str(folder)) as process:
            started(process)
            wait_for(lambda: False, rng.uniform(0, 0.2 if number % 4 < 2 else 1.5))
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        assert "Traceback" not in told, told
        assert "ignored" not in told, told
        assert process.returncode in (0, 130), told
        assert wait_for(lambda folder=folder: not processes_of(folder)), processes_of(folder)


def started(process: subprocess.Popen[str]) -> None:
    """Wait until Python has started and runs gluepot's code; before that no signal can be handled."""
    maps = Path(f"/proc/{process.pid}/maps")
    wait_for(lambda: process.poll() is not None or "_json" in maps.read_text() or "_struct" in maps.read_text(), 5)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 100 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100m,mode=0755", "tmpfs", str(place)], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path, leave: int) -> None:
    with (disk / "filler").open("wb") as stream:
        stream.write(b"\0" * max(0, shutil.disk_usage(disk).free - leave))


@pytest.mark.parametrize("room", [0, 30, 45])
def test_full_disk_during_creation_is_a_one_line_error(small_disk: Path, room: int) -> None:
    fill(small_disk, room * 2**20)
    told = MYSELF.gluepot(*IMPORT, str(small_disk / "board"))
    assert told.returncode in (0, 1)
    assert "Traceback" not in told.stderr
    assert told.returncode == 0 or "No space left on device" in told.stderr or "the disk is full" in told.stderr, told.stderr
    assert room > 40 or told.returncode == 1
    assert processes_of(small_disk) == []
    (small_disk / "filler").unlink()
    again = MYSELF.gluepot(*IMPORT, str(small_disk / "board"))
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("room", [0, 40])
def test_full_disk_during_an_import_preserves_stored_data(small_disk: Path, room: int) -> None:
    folder = small_disk / "board"
    make_board(folder)
    assert MYSELF.gluepot("board", "import", str(SAMPLE), "--dir", str(folder)).returncode == 0
    with MYSELF.holding(folder):  # starting the server may free or use disk space
        fill(small_disk, room * 1024)
        told = MYSELF.gluepot(*IMPORT, str(folder))
    assert told.returncode == 1
    assert "Traceback" not in told.stderr
    assert "the disk is full" in told.stderr or "No space left on device" in told.stderr
    assert processes_of(small_disk) == []
    (small_disk / "filler").unlink()
    again = MYSELF.gluepot("board", "import", str(SAMPLE), "--published", "--dir", str(folder), "--json")
    assert again.returncode == 0, again.stderr
    lines = json.loads(again.stdout)["lines"]
    assert len(lines) == 68
    assert lines[0]["state"] == "already there"
