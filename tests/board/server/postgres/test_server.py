"""Lifecycle of the embedded server: it runs exactly while it has users, however they end."""

import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.board.users import MYSELF, Somebody, is_ready, kill_server, ordinary_user, postmaster, processes_of, wait_for

from gluepot.board.server.postgres.accounts import server_account
from gluepot.board.server.postgres.processes import server_processes
from gluepot.board.server.postgres.programs import find_programs
from gluepot.board.server.postgres.roles import OWNER
from gluepot.board.server.postgres.server import Server
from gluepot.errors import GluepotError

pytest.importorskip("psycopg", reason="needs the board's extra")
pytestmark = pytest.mark.slow


def servers(folder: Path) -> set[int]:
    """Return the main processes of servers: those whose parent is not a server process."""
    everybody = set(server_processes(folder / "database"))
    return {one for one in everybody if parent_of(one) not in everybody | {0}}


def parent_of(number: int) -> int:
    """Return the parent's process ID, or 0 if the process has ended."""
    try:
        return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_the_server_ends_with_its_last_user(folder: Path, somebody: Somebody) -> None:
    with somebody.holding(folder) as second:
        with somebody.holding(folder):
            assert len(servers(folder)) == 1
        assert len(servers(folder)) == 1
        assert second.poll() is None
    assert processes_of(folder) == []


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_killed_user_leaves_no_server(folder: Path, somebody: Somebody, end: signal.Signals) -> None:
    with somebody.holding(folder) as process:
        process.send_signal(end)
        process.wait()
        assert wait_for(lambda: not processes_of(folder)), processes_of(folder)


def test_user_killed_during_server_creation_leaves_no_server(folder: Path, somebody: Somebody) -> None:
    for seconds in (0.2, 0.5):
        process = somebody.start("-c", "import sys; from tests.board.users import HOLD; exec(HOLD)", str(folder), cwd=Path.cwd())
        with process:
            wait_for(lambda: list(folder.glob(".database-*")), seconds)
            process.kill()
        assert wait_for(lambda: not processes_of(folder)), processes_of(folder)
        assert list(folder.glob(".database-*")) == []
    with somebody.holding(folder):
        assert len(servers(folder)) == 1


def test_killing_the_supervisor_ends_the_server(folder: Path, somebody: Somebody) -> None:
    with somebody.holding(folder):
        [server] = servers(folder)
        os.kill(parent_of(server), signal.SIGKILL)
        assert wait_for(lambda: not server_processes(folder / "database"))


def test_next_user_ends_an_orphaned_server(folder: Path, somebody: Somebody) -> None:
    with somebody.holding(folder):
        pass
    data = folder / "database"
    account = server_account(data) if not somebody.identity else None
    whom = {"user": account.uid, "group": account.gid, "extra_groups": []} if account else somebody.identity
    folder.parent.chmod(0o755)
    words = [find_programs(data, account) / "postgres", "-D", data, "-h", "", "-k", "."]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, cwd="/", **whom) as orphan:
        assert wait_for(lambda: is_ready(folder))
        with somebody.holding(folder):
            assert orphan.wait(10) == 0
            assert len(servers(folder)) == 1
    assert processes_of(folder) == []


def test_concurrent_first_users_share_one_server(folder: Path, somebody: Somebody) -> None:
    with ExitStack() as stack:
        users = [stack.enter_context(somebody.start("-c", _hold(), str(folder))) for _ in range(5)]
        for user in users:
            assert user.stdout is not None
            assert user.stdout.readline() == "open\n", user.communicate()
        assert len(servers(folder)) == 1
        for user in users:
            assert user.stdin is not None
            user.stdin.close()
    assert processes_of(folder) == []


def _hold() -> str:
    from tests.board.users import HOLD

    return HOLD


def test_reused_process_id_in_postmaster_pid_is_ignored(folder: Path, somebody: Somebody) -> None:
    with somebody.holding(folder):
        kept = (folder / "database" / "postmaster.pid").read_text()
        owner = (folder / "database").stat()
        kill_server(folder)
        assert wait_for(lambda: not server_processes(folder / "database"))
    whom = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    with subprocess.Popen(["sleep", "15"], **whom) as other:
        path = folder / "database" / "postmaster.pid"
        path.write_text("\n".join([str(other.pid), *kept.splitlines()[1:]]) + "\n")
        os.chown(path, owner.st_uid, owner.st_gid)
        with somebody.holding(folder):
            assert postmaster(folder) != other.pid
            assert len(servers(folder)) == 1
        assert other.poll() is None, "it has nothing to do with it"
        other.kill()
    assert processes_of(folder) == []


def test_killed_server_restarts_with_all_its_data(board_place: Path) -> None:
    import psycopg

    server = Server(board_place, "gluepot")
    server.open()
    try:
        with psycopg.connect(**server.address(OWNER)) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
        kill_server(board_place)
        server.wait_for_end()
        server.start()
        with psycopg.connect(**server.address(OWNER)) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (42,)
    finally:
        server.close()
    assert processes_of(board_place) == []


def test_parent_folders_stay_closed_and_long_paths_work(board_place: Path) -> None:
    import psycopg

    closed = board_place / "closed, to others"
    closed.mkdir(mode=0o700)
    folder = closed / ("long" * 40) / "board"
    server = Server(folder, "gluepot")
    server.open()
    try:
        with psycopg.connect(**server.address(OWNER)) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert any(str(folder) in one.read_bytes().decode(errors="replace") for one in map(_cmdline, servers(folder)))
    finally:
        server.close()
    assert closed.stat().st_mode & 0o777 == 0o700
    assert (folder / "database").stat().st_mode & 0o777 == 0o700
    assert processes_of(folder) == []


def _cmdline(number: int) -> Path:
    return Path(f"/proc/{number}/cmdline")


def test_incomplete_data_folder_is_set_aside(board_place: Path) -> None:
    (board_place / "database" / "base").mkdir(parents=True)
    (board_place / "database" / "PG_VERSION").write_text("18\n")
    with MYSELF.holding(board_place):
        assert (board_place / "database" / "global" / "pg_control").is_file()
    assert (board_place / "database.incomplete" / "PG_VERSION").is_file()


def test_board_of_another_user_is_refused_with_its_owner(board_place: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    with MYSELF.holding(board_place):
        pass
    board_place.chmod(0o755)
    told = ordinary_user().gluepot("board", "import", "--published", "--dir", str(board_place))
    assert told.returncode == 1
    assert f"{board_place}/server belongs to root" in told.stderr
    assert "Traceback" not in told.stderr


def test_startup_error_includes_the_message_of_the_server(board_place: Path) -> None:
    with MYSELF.holding(board_place):
        pass
    (board_place / "database" / "postgresql.conf").write_text("nonsense = here\n")
    server = Server(board_place, "gluepot")
    with pytest.raises(GluepotError, match=r"does not start: .*configuration file .* contains errors"):
        server.open()
    server.close()
    assert processes_of(board_place) == []
