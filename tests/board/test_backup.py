"""Backup of a board into one file, and restore to an identical board."""

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.board.filling import fill
from tests.board.made import without_board
from tests.board.serving import gluepot


def run(*words: str, expected: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(gluepot("board", *words), capture_output=True, text=True, env=without_board())
    assert done.returncode == expected, done.stderr
    return done


@pytest.fixture
def full_board(board: Path) -> Iterator[Path]:
    """Yield a board with public scores, an account, a file and a waiting job."""
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage
    from tests.board.emptying import empty_accounts

    from gluepot.board.accounts.models import Member
    from gluepot.board.moderation.audit import record
    from gluepot.board.submitting.models import Upload
    from gluepot.board.submitting.tasks import score

    empty_accounts()
    fill(3)
    ann = Member.objects.create_user("ann@example.org")
    upload = Upload(team=ann.teams.get(), member=ann, suite="pocket", version="1", name="tab\there", digest="x")
    upload.file.save("pocket/first.zip", ContentFile(b"\0\1answers"), save=False)
    upload.save()
    record("1", "tried", "a line\nwith a break", more="\\N")
    score.defer(key=str(upload.key))
    yield board
    default_storage.delete(upload.file.name)
    empty_accounts()


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_restored_board_is_identical(full_board: Path, tmp_path: Path) -> None:
    first, second, folder = tmp_path / "first.backup", tmp_path / "second.backup", tmp_path / "restored"
    assert "tables" in run("backup", str(first), "--dir", str(full_board)).stdout
    assert first.stat().st_mode & 0o077 == 0
    run("restore", str(first), "--dir", str(folder))
    told = msgspec.json.decode(run("backup", str(second), "--dir", str(folder), "--json").stdout)
    assert told["files"] >= 1
    before, after = contents(first), contents(second)
    assert sorted(before) == sorted(after)
    assert {name for name in before if before[name] != after[name]} <= {"tables/cache_counts"}
    assert b"tab\\there" in before["tables/submitting_upload"]
    assert before["tables/procrastinate_jobs"].count(b"\n") == 1
    refused = run("restore", str(first), "--dir", str(folder), expected=2)
    assert "there is a board here already" in refused.stderr


def test_invalid_backup_is_refused_with_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("backup.json", "{}")
    for name in ("notes", "other.zip", "nothing"):
        told = run("restore", str(tmp_path / name), "--dir", str(tmp_path / "board"), expected=2).stderr
        assert name in told
        assert "Traceback" not in told
    assert not (tmp_path / "board").exists()


def test_backup_overwrites_no_file_without_replace(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("hello")
    assert "--replace" in run("backup", str(tmp_path / "kept"), "--dir", str(tmp_path / "board"), expected=2).stderr
    assert (tmp_path / "kept").read_text() == "hello"


def test_backup_with_unknown_migrations_is_refused_with_an_upgrade_hint(full_board: Path, tmp_path: Path) -> None:
    from gluepot.board.backup.restoring import restore
    from gluepot.board.backup.writing import write_backup
    from gluepot.errors import WrongUse

    path = tmp_path / "old.backup"
    write_backup(path, "key")
    kept: dict[str, Any] = contents(path)
    manifest = msgspec.json.decode(kept["backup.json"])
    manifest["migrations"].append("board.9999_later")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (kept | {"backup.json": msgspec.json.encode(manifest)}).items():
            archive.writestr(name, content)
    with pytest.raises(WrongUse, match=r"board\.9999_later.*Install gluepot"):
        restore(path)
