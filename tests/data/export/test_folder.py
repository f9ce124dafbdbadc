"""Exports are atomic and replace only files of an earlier export."""

from pathlib import Path

import pytest

from gluepot.data.export import export_suite
from gluepot.data.export import folder as folders
from gluepot.errors import WrongUse
from gluepot.tasks.declarations import load_suite


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_the_same_suite_gives_the_same_bytes(faroe: Path, tmp_path: Path, format_: str) -> None:
    suite = load_suite(faroe)
    for name in ("first", "second"):
        export_suite(suite, tmp_path / name, format_=format_)
    assert contents(tmp_path / "first") == contents(tmp_path / "second")


def test_a_folder_that_is_not_empty_is_refused(faroe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    export_suite(load_suite(faroe), out, format_="jsonl")
    before = contents(out)
    with pytest.raises(WrongUse, match=r"is not empty.*--force"):
        export_suite(load_suite(faroe), out, format_="jsonl")
    assert contents(out) == before


def test_force_replaces_exported_files_only(faroe: Path, tmp_path: Path) -> None:
    suite, out = load_suite(faroe), tmp_path / "out"
    export_suite(suite, out, format_="jsonl")
    (out / ".gitattributes").write_text("*.parquet filter=lfs\n")
    (out / "pairs" / "notes.txt").write_text("mine\n")
    export_suite(suite, out, [suite.tasks["reviews"]], format_="parquet", force=True)
    assert set(contents(out)) == {
        ".gitattributes",
        "README.md",
        "SHA256SUMS",
        "croissant.json",
        "pairs/notes.txt",
        "reviews/test.parquet",
        "reviews/train.parquet",
    }


def test_force_does_not_replace_foreign_or_modified_files(faroe: Path, tmp_path: Path) -> None:
    suite, out = load_suite(faroe), tmp_path / "out"
    out.mkdir()
    (out / "README.md").write_text("mine\n")
    with pytest.raises(WrongUse, match=r"README.md was not written by an export"):
        export_suite(suite, out, format_="jsonl", force=True)
    assert contents(out) == {"README.md": b"mine\n"}
    (out / "README.md").unlink()
    (out / "SHA256SUMS").write_text(f"{'0' * 64}  README.md\n")
    with pytest.raises(WrongUse, match=r"SHA256SUMS was not written by an export"):
        export_suite(suite, out, format_="jsonl", force=True)
    (out / "SHA256SUMS").unlink()
    export_suite(suite, out, format_="jsonl")
    (out / "README.md").write_text("better\n")
    before = contents(out)
    with pytest.raises(WrongUse, match=r"README.md changed since it was exported"):
        export_suite(suite, out, format_="jsonl", force=True)
    assert contents(out) == before


def test_an_export_that_fails_leaves_nothing_behind(faroe: Path, tmp_path: Path) -> None:
    suite = load_suite(faroe)
    (faroe / "data" / "pairs" / "test.jsonl").write_text('{"a": "x", "b": "y", "score": "high"}\n')
    with pytest.raises(Exception, match="is not a number"):
        export_suite(suite, tmp_path / "deep" / "out", format_="jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["faroe"]


def test_a_failed_replacement_restores_all_files(faroe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite, out = load_suite(faroe), tmp_path / "out"
    export_suite(suite, out, format_="jsonl")
    (out / "mine.txt").write_text("mine\n")
    before = contents(out)
    replace, moves = Path.replace, []

    def failing(self: Path, target: Path) -> Path:
        moves.append(self)
        if len(moves) == 9:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(folders.Path, "replace", failing)
    with pytest.raises(OSError, match="No space left"):
        export_suite(suite, out, format_="parquet", force=True)
    assert contents(out) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["faroe", "out"]


def test_a_suite_is_not_exported_into_itself(faroe: Path) -> None:
    for place in (faroe, faroe / "data", faroe / "reviews"):
        with pytest.raises(WrongUse, match="belongs to faroe itself"):
            export_suite(load_suite(faroe), place, force=True)
