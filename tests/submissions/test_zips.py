"""Untrusted zips: malicious archives are refused before anything is unpacked."""

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluepot.records import Problem
from gluepot.submissions.opening.bundles import open_bundle
from gluepot.submissions.opening.zips import BROKEN
from gluepot.submissions.problems import Problems

LINE = b'{"id":1,"prediction":"a"}\n'


def pack(path: Path, members: dict[str, bytes], **options: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, **options)
    return path


def opened(path: Path) -> tuple[list[str], list[Problem]]:
    problems = Problems()
    with open_bundle(path, problems) as bundle:
        return [entry.name for entry in bundle.entries], problems.listed()


def only_problem(path: Path) -> Problem:
    _, (problem,) = opened(path)
    assert problem.hint
    return problem


def patched(path: Path, old: bytes, new: bytes) -> Path:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))
    return path


def set_field(path: Path, offset: int, form: str, value: int, *, local: int | None = None) -> Path:
    """Overwrite a field in the directory entry of the only member, and in its local header if `local` is given."""
    data = bytearray(path.read_bytes())
    struct.pack_into(form, data, data.rindex(b"PK\1\2") + offset, value)
    if local is not None:
        struct.pack_into(form, data, data.index(b"PK\3\4") + local, value)
    path.write_bytes(data)
    return path


def test_ordinary_members_are_read(tmp_path: Path) -> None:
    problems = Problems()
    path = pack(tmp_path / "s.zip", {"submission/": b"", "submission/PARus.jsonl": LINE, "__MACOSX/submission/._PARus.jsonl": b"x"})
    with open_bundle(path, problems) as bundle:
        assert [entry.name for entry in bundle.entries] == ["submission/PARus.jsonl"]
        assert bundle.entries[0].open().read() == LINE
        assert bundle.notices == ["ignored: __MACOSX and the like"]
        assert bundle.name == "s"
    assert problems.count() == 0


@pytest.mark.parametrize("name", ["predictions", "predictions.jsonl", "predictions.ZIP"])
def test_a_zip_is_recognised_by_its_content(tmp_path: Path, name: str) -> None:
    assert opened(pack(tmp_path / name, {"a.jsonl": LINE})) == (["a.jsonl"], [])


def test_ignores_a_prefix_and_a_comment(tmp_path: Path) -> None:
    path = pack(tmp_path / "s.zip", {"a.jsonl": LINE})
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"with love" * 100
    path.write_bytes(b"#!/bin/sh\nexit\n" + path.read_bytes())
    assert opened(path) == (["a.jsonl"], [])


def zip64(path: Path, *, size: int | None = None) -> Path:
    """Rewrite the archive with a zip64 directory, optionally of a false size."""
    data = path.read_bytes()
    end = data.rindex(b"PK\5\6")
    count, length, start = struct.unpack_from("<HLL", data, end + 10)
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size or length, start)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    ending = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(data[:end] + record + locator + ending)
    return path


def test_zip64_is_read(tmp_path: Path) -> None:
    assert opened(zip64(pack(tmp_path / "s.zip", {"a.jsonl": LINE}))) == (["a.jsonl"], [])


def test_a_zip64_directory_of_any_stated_size_is_not_loaded(tmp_path: Path) -> None:
    path = pack(tmp_path / "s.zip", {"a.jsonl": LINE})
    problem = only_problem(zip64(path, size=2**40))
    assert problem.code in ("zip-bomb", "broken-archive")


def test_a_zip64_directory_behind_a_small_one_is_not_loaded(tmp_path: Path) -> None:
    """`zipfile` trusts the zip64 record even if the plain one states small numbers."""
    path = tmp_path / "s.zip"
    directory = b"PK\1\2" + b"\0" * 42
    directory *= 100_000
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 100_000, 100_000, len(directory), 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(directory), 1)
    path.write_bytes(directory + record + locator + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 46, 0, 0))
    assert only_problem(path).code == "zip-bomb"


def test_an_excessive_number_of_entries_is_refused(tmp_path: Path) -> None:
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    directory = entry * 65_000
    ending = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65_000, 65_000, len(directory), 0, 0)
    (tmp_path / "s.zip").write_bytes(directory + ending)
    assert only_problem(tmp_path / "s.zip").code == "zip-bomb"


def test_more_than_200_files_are_refused(tmp_path: Path) -> None:
    many = {f"{number}.jsonl": LINE for number in range(201)}
    problem = only_problem(pack(tmp_path / "s.zip", many))
    assert (problem.code, problem.file) == ("too-many-files", "s.zip")
    junk = {f"__MACOSX/{number}.jsonl": LINE for number in range(500)} | {f"{number}/": b"" for number in range(500)}
    assert opened(pack(tmp_path / "t.zip", junk | {"a.jsonl": LINE})) == (["a.jsonl"], [])


def test_more_than_512_mb_unpacked_are_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "s.zip", {f"{number}.jsonl": LINE for number in range(100)})
    data = path.read_bytes()
    old, new = struct.pack("<L", len(LINE)), struct.pack("<L", 6 * 1024**2)
    path.write_bytes(data.replace(old, new))
    problem = only_problem(path)
    assert (problem.code, problem.message[:29]) == ("too-large", "more than 512 MB unpacked; th")


def test_a_bomb_is_detected_by_its_compression_ratio(tmp_path: Path) -> None:
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", bytes(20 * 1024**2))
        archive.writestr("b.jsonl", LINE)
    names, (problem,) = opened(path)
    assert names == ["b.jsonl"]
    assert (problem.code, problem.file, problem.message) == ("zip-bomb", "a.jsonl", "it unpacks to more than 200 times its packed size.")


def test_files_that_overlap_are_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "s.zip", {"a.jsonl": LINE, "b.jsonl": LINE})
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, data.rindex(b"PK\1\2") + 42, 0)
    path.write_bytes(data)
    problem = only_problem(path)
    assert (problem.code, problem.message) == ("zip-bomb", "its files overlap inside the archive.")


@pytest.mark.parametrize("flag", [0x1, 0x40, 0x41])
def test_an_encrypted_file_is_refused(tmp_path: Path, flag: int) -> None:
    path = set_field(pack(tmp_path / "s.zip", {"a.jsonl": LINE}), 8, "<H", flag, local=6)
    problem = only_problem(path)
    assert (problem.code, problem.file, problem.hint) == ("encrypted", "a.jsonl", "Pack it without a password.")


@pytest.mark.parametrize("method", [1, 9, 12, 14, 93, 99])
def test_only_stored_and_deflated_files_are_unpacked(tmp_path: Path, method: int) -> None:
    path = set_field(pack(tmp_path / "s.zip", {"a.jsonl": LINE}), 10, "<H", method, local=8)
    assert only_problem(path).code == "unsupported-compression"


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("a.jsonl")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert only_problem(tmp_path / "s.zip").code == "symlink"


@pytest.mark.parametrize(
    "name", ["/etc/a.jsonl", "../a.jsonl", "a/../../b.jsonl", "\\a.jsonl", "..\\a.jsonl", "a\\..\\b.jsonl", "C:\\a.jsonl", "c:a.jsonl"]
)
def test_a_path_outside_the_archive_is_refused(tmp_path: Path, name: str) -> None:
    problem = only_problem(pack(tmp_path / "s.zip", {name: LINE}))
    assert (problem.code, problem.file) == ("unsafe-path", name)


@pytest.mark.parametrize("name", ["a\x1b[2J.jsonl", "a\nb.jsonl", "x" * 300 + ".jsonl", "a\u202e.jsonl"])
def test_names_that_are_not_printable_are_refused_and_quoted(tmp_path: Path, name: str) -> None:
    problem = only_problem(pack(tmp_path / "s.zip", {name: LINE}))
    assert problem.code == "unsafe-path"
    assert problem.file is not None
    assert problem.file.isprintable()
    assert len(problem.file) <= 60


@pytest.mark.parametrize("name", ["inner.zip", "x/inner.TAR.GZ", "a.jsonl.bz2"])
def test_an_archive_in_an_archive_is_not_opened(tmp_path: Path, name: str) -> None:
    problem = only_problem(pack(tmp_path / "s.zip", {name: LINE}))
    assert (problem.code, problem.file) == ("nested-archive", name)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_occurs_twice_is_a_problem(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        archive.writestr("a.jsonl", LINE)
        archive.writestr("a.jsonl", LINE * 2)
    problem = only_problem(tmp_path / "s.zip")
    assert (problem.code, problem.file) == ("duplicate-entry", "a.jsonl")


@pytest.mark.parametrize("members", [{}, {"a/": b"", "a/b/": b""}, {"__MACOSX/x": b""}])
def test_a_zip_without_files_has_no_entries(tmp_path: Path, members: dict[str, bytes]) -> None:
    assert opened(pack(tmp_path / "s.zip", members)) == ([], [])


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all", b"PK\5\6", b"PK\3\4" + b"x" * 100, b"PK\5\6" + b"\xff" * 18])
def test_invalid_zips_are_problems(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "s.zip").write_bytes(data)
    problem = only_problem(tmp_path / "s.zip")
    assert (problem.code, problem.file) == ("broken-archive", "s.zip")


def test_a_truncated_zip_is_a_problem(tmp_path: Path) -> None:
    path = pack(tmp_path / "s.zip", {f"{n}.jsonl": LINE for n in range(20)})
    data = path.read_bytes()
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        assert only_problem(path).code == "broken-archive"


def test_a_name_falsely_flagged_as_utf8_is_a_problem(tmp_path: Path) -> None:
    path = pack(tmp_path / "s.zip", {"å.jsonl": LINE})
    assert only_problem(patched(path, "å".encode(), b"\xff\xff")).code == "broken-archive"


def test_a_file_without_a_name_is_a_problem(tmp_path: Path) -> None:
    path = patched(pack(tmp_path / "s.zip", {"a.jsonl": LINE}), b"a.jsonl", b"\0.jsonl")
    assert only_problem(path).code == "unsafe-path"


def test_an_unsupported_zip_version_is_a_problem(tmp_path: Path) -> None:
    path = set_field(pack(tmp_path / "s.zip", {"a.jsonl": LINE}), 6, "<H", 9900)
    assert only_problem(path).code == "broken-archive"


def sample() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", LINE * 20)
        archive.writestr("b.jsonl", LINE)
    return stream.getvalue()


SAMPLE = sample()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_changed_bytes_cause_only_known_errors(tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]]) -> None:
    data = bytearray(SAMPLE)
    for place, byte in changes:
        data[place] = byte
    path = tmp_path_factory.getbasetemp() / "changed.zip"
    path.write_bytes(data)
    with open_bundle(path, Problems()) as bundle:
        for entry in bundle.entries:
            try:
                with entry.open() as stream:
                    assert len(stream.read(1 << 20)) <= 520 * 10
            except BROKEN:
                pass
