"""Output of `gluepot data export`."""

import json
from pathlib import Path

import pytest
from tests.tasks.own_suite import write_faroe

from gluepot.cli import main
from gluepot.data.export import tables


@pytest.fixture(autouse=True)
def faroe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_faroe(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["data", "export", *words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_export_prints_what_it_wrote_and_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "./faroe", "out")
    assert (code, err) == (0, "")
    assert out == (
        "reviews  train 8, test 8\npairs    test 8\n2 tasks, 24 items in out (parquet; CC0-1.0).\n"
        "Upload to the Hub: hf upload OWNER/faroe out --repo-type dataset\n"
    )


def test_json_output_lists_tasks_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "./faroe/pairs", "out", "--format", "jsonl", "--json")
    document = json.loads(out)
    assert code == 0
    assert [task["task"] for task in document["tasks"]] == ["pairs"]
    assert set(document["files"]) == {"README.md", "croissant.json", "pairs/test.jsonl"}


def test_all_unknown_tasks_are_reported_together(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "./faroe", "out", "--tasks", "reveiws,pears")
    assert (code, out) == (2, "")
    assert "Did you mean 'reviews'?" in err
    assert "Did you mean 'pairs'?" in err
    assert run(capsys, "./faroe/pairs", "out", "--tasks", "pairs")[0] == 2
    assert run(capsys, "./faroe", "out", "--tasks", ",")[0] == 2


def test_a_licence_that_forbids_export_exits_with_1_and_the_reason(faroe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    declaration = faroe / "pairs" / "task.toml"
    declaration.write_text(declaration.read_text().replace("CC0-1.0", "LicenseRef-Own"))
    code, _, err = run(capsys, "./faroe", "out")
    assert code == 1
    assert "faroe/pairs (LicenseRef-Own): it is not among the licences" in err
    assert "The others: --tasks reviews" in err
    assert run(capsys, "./faroe", "out", "--accept-license", "LicenseRef-Own")[0] == 0
    assert "license_name: LicenseRef-Own" in Path("out/README.md").read_text()


def test_without_pyarrow_json_lines_are_written_with_a_notice(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    code, out, err = run(capsys, "./faroe", "out")
    assert code == 0
    assert "pyarrow is not installed: writing JSON Lines." in err
    assert "(jsonl; CC0-1.0)" in out


def test_reports_a_noncommercial_licence_and_withheld_answers(faroe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    declaration = faroe / "reviews" / "task.toml"
    text = declaration.read_text().replace("CC0-1.0", "CC-BY-NC-4.0")
    declaration.write_text(text.replace("[data.rows]", 'unlabelled = ["test"]\n\n[data.rows]'))
    out = run(capsys, "./faroe", "out")[1]
    assert "reviews: test without answers, as published." in out
    assert "Not for commercial use" in out


def test_reports_a_destination_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "./faroe", "/proc/nowhere/out")
    assert code == 1
    assert err.startswith("gluepot: /proc/nowhere/out was not written: ")
