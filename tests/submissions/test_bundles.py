"""Untrusted folders and single files: only ordinary files are opened, without blocking."""

import os
import stat
from pathlib import Path

import pytest

from gluepot.errors import WrongUse
from gluepot.records import Problem
from gluepot.submissions.opening import entries
from gluepot.submissions.opening.bundles import DEEPEST, open_bundle
from gluepot.submissions.opening.entries import ENTRIES, displayed, open_plain
from gluepot.submissions.problems import Problems


def opened(path: Path) -> tuple[list[str], list[Problem], list[str]]:
    problems = Problems()
    with open_bundle(path, problems) as bundle:
        for entry in bundle.entries:
            with entry.open() as stream:
                assert len(stream.read()) == entry.size
        return [entry.name for entry in bundle.entries], problems.listed(), bundle.notices


def only_problem(path: Path) -> Problem:
    _, (problem,), _ = opened(path)
    assert problem.hint
    return problem


def test_files_of_a_folder_are_listed_in_a_fixed_order(tmp_path: Path) -> None:
    for name in ("b/test.jsonl", "a/test.jsonl", "c.json", "B/x.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert opened(tmp_path) == (["c.json", "B/x.jsonl", "a/test.jsonl", "b/test.jsonl"], [], [])


def test_a_symbolic_link_is_a_problem_whatever_its_target(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / "secret.jsonl").write_text("{}")
    (folder / "file.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (folder / "folder").symlink_to(tmp_path)
    (folder / "inner" / "loop").symlink_to(folder)
    (folder / "self.jsonl").symlink_to(folder / "self.jsonl")
    (folder / "nowhere.jsonl").symlink_to("/does/not/exist")
    names, problems, _ = opened(folder)
    assert names == []
    assert {(p.code, p.file) for p in problems} == {
        ("symlink", name) for name in ("file.jsonl", "folder", "inner/loop", "self.jsonl", "nowhere.jsonl")
    }


def test_a_pipe_or_device_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "test.jsonl")
    problem = only_problem(tmp_path)
    assert (problem.code, problem.file, problem.message) == ("wrong-type", "test.jsonl", "not an ordinary file.")
    for path in (tmp_path / "test.jsonl", Path("/dev/null"), Path("/dev/zero")):
        with pytest.raises(WrongUse, match="neither a folder nor an ordinary file"):
            opened(path)


def test_a_file_replaced_after_the_check_is_not_opened(tmp_path: Path) -> None:
    problems = Problems()
    path = tmp_path / "test.jsonl"
    path.write_text("{}")
    with open_bundle(tmp_path, problems) as bundle:
        (entry,) = bundle.entries
        path.unlink()
        with pytest.raises(OSError, match="No such file"):
            entry.open()
        os.mkfifo(path)
        with pytest.raises(OSError, match="not an ordinary file"):
            entry.open()
        path.unlink()
        path.symlink_to("/etc/hostname")
        with pytest.raises(OSError, match="symbolic links"):
            entry.open()


def test_a_file_that_vanishes_while_the_folder_is_listed_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test.jsonl").write_text("{}")
    monkeypatch.setattr(Path, "lstat", lambda self: (self / "gone").stat())
    problem = only_problem(tmp_path)
    assert (problem.code, problem.file) == ("unreadable", "test.jsonl")
    assert str(tmp_path) not in problem.message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_folder_is_a_problem(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0)
    problem = only_problem(tmp_path)
    locked.chmod(stat.S_IRWXU)
    assert (problem.code, problem.file) == ("unreadable", "locked")


def test_a_folder_that_cannot_be_listed_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").mkdir()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    problem = only_problem(tmp_path)
    assert (problem.code, problem.file, problem.message) == ("unreadable", "locked", "cannot be listed: Permission denied.")


def test_more_than_200_files_are_one_problem(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.jsonl").touch()
    names, (problem,), _ = opened(tmp_path)
    assert (names, problem.code) == ([], "too-many-files")
    for number in range(ENTRIES, 3000):
        (tmp_path / f"{number}.jsonl").unlink()
    names, problems, _ = opened(tmp_path)
    assert (len(names), problems) == (ENTRIES, [])


def test_thousands_of_links_are_one_problem(tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f"{number}.jsonl").symlink_to("/etc/hostname")
    assert only_problem(tmp_path).code == "too-many-files"


def test_nesting_of_folders_is_limited(tmp_path: Path) -> None:
    tmp_path.joinpath(*["f"] * 100).mkdir(parents=True)
    problem = only_problem(tmp_path)
    assert (problem.code, problem.file) == ("too-deep", "/".join("f" * DEEPEST))


def test_oversized_submissions_are_refused_before_reading(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        with (tmp_path / name).open("wb") as stream:
            stream.truncate(300 * 1024**2)
    problem = only_problem(tmp_path)
    assert (problem.code, problem.message) == ("too-large", "more than 512 MB unpacked; the largest is a.jsonl.")
    with (tmp_path / "a.jsonl").open("wb") as stream:
        stream.truncate(513 * 1024**2)
    assert only_problem(tmp_path / "a.jsonl").code == "too-large"


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "A.TGZ", "a.jsonl.xz", "a.7z"])
def test_an_archive_in_a_folder_is_not_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PK")
    problem = only_problem(tmp_path)
    assert (problem.code, problem.file) == ("nested-archive", name)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar", "a.7z", "a.rar", "a.JSONL.GZ"])
def test_an_archive_other_than_zip_is_unsupported(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x1f\x8b")
    problem = only_problem(tmp_path / name)
    assert (problem.code, problem.file, problem.hint) == ("unsupported-archive", name, "Unpack it, or pack it as zip.")


def test_system_files_are_ignored_with_one_notice(tmp_path: Path) -> None:
    for name in ("__MACOSX/._a.jsonl", ".git/config", "x/.DS_Store", "._b.jsonl", "a.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    names, problems, notices = opened(tmp_path)
    assert (names, problems, len(notices)) == (["a.jsonl"], [], 1)


@pytest.mark.parametrize("name", [b"\xff\xfe.jsonl", b"a\x1b[31m.jsonl", b"a\nb.jsonl", "a\u202eb.jsonl".encode(), b"c:x.jsonl"])
def test_names_with_control_characters_are_refused_and_quoted(tmp_path: Path, name: bytes) -> None:
    (tmp_path / os.fsdecode(name)).write_text("{}")
    problem = only_problem(tmp_path)
    assert problem.code == "unsafe-path"
    assert problem.file is not None
    assert problem.file.isprintable()
    problem.file.encode()


@pytest.mark.parametrize("name", ["åäö.jsonl", "клей.jsonl", "e\u0301.jsonl", "a b.jsonl", "a\u00a0b.jsonl", "😀.jsonl", "[bold].jsonl"])
def test_names_in_any_script_are_accepted(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}")
    assert opened(tmp_path) == ([name], [], [])
    assert displayed(name) == name


@pytest.mark.parametrize("path", ["nothing", "x" * 5000, "a\0b"])
def test_a_missing_path_is_wrong_use(tmp_path: Path, path: str) -> None:
    with pytest.raises(WrongUse, match=r"no such file|name too long|null byte"):
        opened(tmp_path / path)


def test_a_link_given_by_the_user_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").write_text("{}")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    assert opened(tmp_path / "link.jsonl") == (["link.jsonl"], [], [])


def test_the_current_folder_is_named_by_its_real_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_bundle(Path(), Problems()) as bundle:
        assert bundle.name == tmp_path.name


def test_open_plain_leaks_no_file_descriptor(tmp_path: Path) -> None:
    handles = Path("/proc/self/fd")
    before = sorted(handles.iterdir()) if handles.is_dir() else []
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="ordinary"):
        open_plain(tmp_path / "pipe")
    assert (sorted(handles.iterdir()) if handles.is_dir() else []) == before


def test_limits_match_the_documentation() -> None:
    assert (entries.UNPACKED, entries.ENTRIES) == (512 * 1024**2, 200)
