"""Detection of importable content at a path."""

import json
import zipfile
from pathlib import Path

import pytest

from gluepot.tasks.declarations import load_suite

LINE = '{"id": "1", "prediction": "x"}\n'
RECORD = json.dumps({"dataset": "suc3", "model": "m", "results": {"raw": []}}) + "\n"
SAMPLE = '{"timestamp": 1}\n{"timestamp": 2}\n'


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def look(board_folder: Path):
    def go(path: Path, suite: str | None = None):
        from gluepot.board.importing.detection import Finder
        from gluepot.board.importing.drafts import ImportReport

        report = ImportReport()
        found = [(one.kind, one.path.name, one.suite.name if one.suite else None) for one in Finder(suite, report).look(path)]
        return found, [problem.code for problem in report.problems]

    return go


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"manifest.json": "{}", "predictions/seed-1/swenli/test.jsonl": LINE}, [("run", "top", None)]),
        (
            {"swenli/manifest.json": "{}", "swenli/votes.jsonl": LINE, "b/manifest.json": "{}"},
            [("run", "b", None), ("run", "swenli", None)],
        ),
        ({"swenli/test.jsonl": LINE, "swefaq/dev.jsonl": LINE}, [("submission", "top", "superlim")]),
        ({"TERRa.jsonl": LINE, "rcb.jsonl": LINE}, [("submission", "top", "russian-superglue")]),
        ({"test/nerc_id.jsonl": LINE}, [("submission", "top", "basqueglue")]),
        ({"a/swenli/test.jsonl": LINE, "b/dane.jsonl": LINE}, [("submission", "a", "superlim"), ("submission", "b", "scandeval-da")]),
        ({"rubert/rcb/1_1_01.jsonl": SAMPLE, "rubert/terra/1_1_01.jsonl": SAMPLE}, [("timings", "rcb", None), ("timings", "terra", None)]),
        ({"deep/er/results.jsonl": RECORD, "deep/er/results-published.json": "[]"}, [("records", "results.jsonl", None)]),
        ({"x/predicted.csv": "talemaade_udtryk,predicted_label\na,1\n"}, [("submission", "predicted.csv", "scandeval-da")]),
        ({"notes/readme.md": "x", "notes/other.csv": "a,b\n", ".hidden/swenli/test.jsonl": LINE, "swenli.txt": "x"}, []),
    ],
)
def test_folders_are_walked_until_content_is_recognised(look, tmp_path, files, found):
    kinds, problems = look(plant(tmp_path / "top", files))
    assert kinds == found
    assert problems == ([] if found else ["nothing-found"])


def test_every_kind_is_found_in_one_folder(look, tmp_path):
    top = plant(
        tmp_path / "top",
        {
            "runs/one/manifest.json": "{}",
            "records/morocco/rubert/rcb/1_1_01.jsonl": SAMPLE,
            "records/euroeval/da.jsonl": RECORD,
            "submissions/superlim/mine/swenli/test.jsonl": LINE,
        },
    )
    with zipfile.ZipFile(top / "submissions" / "russian.zip", "w") as archive:
        archive.writestr("submission/TERRa.jsonl", LINE)
        archive.writestr("__MACOSX/submission/._TERRa.jsonl", b"\0")
    assert look(top) == (
        [
            ("records", "da.jsonl", None),
            ("timings", "rcb", None),
            ("run", "one", None),
            ("submission", "russian.zip", "russian-superglue"),
            ("submission", "mine", "superlim"),
        ],
        [],
    )


def test_missing_path_is_a_problem(look, tmp_path):
    assert look(tmp_path / "nowhere") == ([], ["unreadable"])


def test_run_without_its_manifest_is_not_a_submission(look, tmp_path):
    assert look(plant(tmp_path / "top", {"predictions/seed-1/swenli/test.jsonl": LINE})) == ([], ["broken-run"])


def test_links_are_not_followed(look, tmp_path):
    plant(tmp_path / "outside", {"swenli/test.jsonl": LINE})
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "top" / "loop").symlink_to(tmp_path / "top")
    assert look(tmp_path / "top") == ([], ["nothing-found"])


def test_broken_zip_is_left_to_its_reader(look, tmp_path):
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 not really")
    found, _ = look(tmp_path / "bad.zip")
    assert found == [("submission", "bad.zip", load_suite("basqueglue").name)]


def test_zip_without_recognised_files_needs_a_suite(look, tmp_path):
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("answers.jsonl", LINE)
    assert look(tmp_path / "odd.zip") == ([], ["unknown-suite"])
    assert look(tmp_path / "odd.zip", "superlim") == ([("submission", "odd.zip", "superlim")], [])


def test_single_repeat_is_not_a_timing(look, tmp_path):
    plant(tmp_path, {"rubert/rcb/1_1_01.jsonl": SAMPLE})
    assert look(tmp_path / "rubert/rcb/1_1_01.jsonl") == ([], ["nothing-found"])


def test_too_deep_folders_are_a_problem(look, tmp_path):
    plant(tmp_path / "top", {"/".join("abcdefghijkl") + "/results.jsonl": RECORD})
    assert look(tmp_path / "top") == ([], ["too-deep"])
