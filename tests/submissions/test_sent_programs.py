"""Packing of submitted programs: the files named in their command, under their relative names."""

import io
import zipfile
from pathlib import Path

import pytest

from gluepot.errors import WrongUse
from gluepot.submissions.sent_programs import pack_program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mine"
    (place / "weights").mkdir(parents=True)
    for name in ("model.py", "weights/a.bin", "weights/b.bin", "diary.txt"):
        (place / name).write_text(name)
    (tmp_path / "outside.txt").write_text("outside")
    return place


def names(data: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.namelist()


def test_packs_only_the_files_named_in_the_command(folder: Path) -> None:
    assert names(pack_program("python3 model.py weights --fast", folder=folder)) == ["model.py", "weights/a.bin", "weights/b.bin"]
    assert names(pack_program("python3 model.py", [Path("weights/a.bin")], folder)) == ["model.py", "weights/a.bin"]
    assert names(pack_program("python3 model.py model.py /etc/passwd ../outside.txt", folder=folder)) == ["model.py"]
    assert pack_program("python3 -c 0", folder=folder) == b""


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("../outside.txt", "not below this folder"),
        (".", "this whole folder would be sent"),
        ("nothing", "no such file"),
        ("link", "not below this folder"),
        ("holding", "a link is not followed"),
    ],
)
def test_rejects_files_that_cannot_be_sent(folder: Path, more: str, told: str) -> None:
    (folder / "link").symlink_to("../outside.txt")
    (folder / "holding").mkdir()
    (folder / "holding" / "link").symlink_to("../model.py")
    with pytest.raises(WrongUse, match=told):
        pack_program("python3 model.py", [Path(more)], folder)


def test_rejects_an_unclosed_quotation(folder: Path) -> None:
    with pytest.raises(WrongUse, match="Close what you quoted"):
        pack_program("python3 'model.py", folder=folder)
