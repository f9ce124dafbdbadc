"""Untrusted declarations and votes that would crash a parser are reported with a message."""

import io
from pathlib import Path
from zipfile import ZipFile

import pytest

from gluepot.cli import main


@pytest.mark.parametrize("odd", ["a = " + "[" * 5000, "a = " + "9" * 5000])
def test_reports_the_file_of_a_declaration_that_breaks_the_parser(odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "suite.toml").write_text(odd)
    assert main(["data", "check", str(tmp_path / "evil")]) == 2
    assert "suite.toml: not TOML" in capsys.readouterr().err


def encrypted() -> bytes:
    """Return a zip archive whose file is marked as encrypted."""
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        archive.writestr("votes.jsonl", "{}\n")
    data = bytearray(made.getvalue())
    data[6] |= 1
    data[data.find(b"PK\1\2") + 8] |= 1
    return bytes(data)


VOTES = {"deep.json": b"[" * 100_000, "deep-line.jsonl": b'{"item": 1}\n{"item": ' + b"[" * 100_000, "encrypted.zip": encrypted()}


@pytest.mark.parametrize("name", VOTES)
def test_reports_votes_that_break_the_parser(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(VOTES[name])
    for words in (["agreement"], ["human", "pocket/stance-sv"]):
        assert main([*words, str(tmp_path / name)]) in (1, 2)
        assert name.partition(".")[0] in capsys.readouterr().err
