"""Import of a folder with valid and invalid files of every kind: the reported state of each file is its outcome."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.records import Problem
from gluepot.runs.verification import gold_answer
from gluepot.submissions.opening.entries import displayed_path
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
VOTES = "INPUT:text\tOUTPUT:label\tASSIGNMENT:worker_id\n"
TIMES = "".join(json.dumps({"timestamp": float(second), "gpu_ram": 2.0**30}) + "\n" for second in (0, 9))
IMPORTED, PART, REFUSED, UNKNOWN = "imported", "imported in part", "refused", "not recognised"


def answers(name: str, drop: int = 0) -> str:
    task = POCKET.tasks[name]
    rows = [json.dumps({"id": one.id, "prediction": gold_answer(task, one)}) for one in load_examples(task, "test")]
    return "\n".join(rows[: len(rows) - drop]) + "\n"


def record(model: str, dataset: str = "angry-tweets", total: float = 54.5) -> str:
    raw = [{"test_mcc": 0.5 + number / 100} for number in range(10)]
    results = {"raw": {"test": raw}, "total": {"test_mcc": total}}
    return json.dumps({"dataset": dataset, "model": model, "results": results, "scandeval_version": "14.4.0", "generative": False}) + "\n"


def packed(**files: str) -> dict[str, str]:
    return {name.replace("_", "-") + ".jsonl": text for name, text in files.items()}


FILES: dict[str, tuple[str | dict[str, str], str]] = {
    "a/model/stance-sv.jsonl": (answers("stance-sv"), IMPORTED),
    "a/model/idioms-da.jsonl": (answers("idioms-da", 1), REFUSED),
    "a/model/nothing-sv.jsonl": (answers("stance-sv"), REFUSED),
    "a/model/README.md": ("x", UNKNOWN),
    "a/model/.DS_Store": ("x", UNKNOWN),
    "a/model/plot.png": ("x", UNKNOWN),
    "a/model/votes.tsv": (VOTES, UNKNOWN),
    "b/second/entailment-ru.jsonl": (answers("entailment-ru"), IMPORTED),
    "b/second/stance-sv.jsonl": (answers("stance-sv"), IMPORTED),
    "c/deep/er/other/word-sense-sv.jsonl": (answers("word-sense-sv"), IMPORTED),
    "zips/good.zip": (packed(stance_sv=answers("stance-sv")), IMPORTED),
    "zips/part.zip": (packed(stance_sv=answers("stance-sv"), idioms_da=answers("idioms-da", 2)), PART),
    "zips/bad.zip": (packed(stance_sv=answers("stance-sv", 3)), REFUSED),
    "zips/unknown.zip": ({"notes.txt": "x"}, REFUSED),
    "zips/broken.zip": ("PK\x03\x04broken", REFUSED),
    "zips/empty.zip": ("", REFUSED),
    "zips/model.tar.gz": ("x", UNKNOWN),
    "records/good.jsonl": (record("org/good"), IMPORTED),
    "records/part.jsonl": (record("org/part") + "{broken\n" + record("org/bad", total=1.0), PART),
    "records/odd.jsonl": ("{broken\n" * 3, REFUSED),
    "records/elsewhere.jsonl": (record("org/else", "suc3"), REFUSED),
    "times/rugpt3-small/danetqa/2000_32_01.jsonl": (TIMES, IMPORTED),
    "times/rugpt3-small/danetqa/1_1_01.jsonl": (TIMES, IMPORTED),
    "times/rugpt3-small/danetqa/1_1_02.jsonl": ("{broken\n", REFUSED),
    "times/rugpt3-small/danetqa/notes.txt": ("x", UNKNOWN),
    "times/rugpt3-small/nothing/1_1_01.jsonl": (TIMES, REFUSED),
    "loose/2000_32_01.jsonl": (TIMES, REFUSED),
    "runs/half/predictions/seed-1/stance-sv/test.jsonl": (answers("stance-sv"), REFUSED),
    "runs/bare/manifest.json": ("{}", REFUSED),
    "runs/bare/predictions/seed-1/stance-sv/test.jsonl": (answers("stance-sv"), REFUSED),
    "runs/bare/picture.png": ("x", UNKNOWN),
    "votes/assignments.tsv": (VOTES, UNKNOWN),
    "votes/other.csv": ("a,b\n1,2\n", UNKNOWN),
    "votes/ours.jsonl": ('{"item": "1", "rater": "a", "value": "x"}\n', UNKNOWN),
    "empty.jsonl": ("", UNKNOWN),
    "empty.txt": ("", UNKNOWN),
    ".hidden": ("x", UNKNOWN),
    ".config/stance-sv.jsonl": (answers("stance-sv"), UNKNOWN),
    "line\nbreak.txt": ("x", UNKNOWN),
    "odd.bin": ("\x00\x01", UNKNOWN),
}


def furnish(folder: Path) -> dict[str, str]:
    """Write the folder, plus links, a pipe and names that are not UTF-8; return the expected state of each file."""
    for name, (content, _state) in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            with zipfile.ZipFile(path, "w") as archive:
                for inner, text in content.items():
                    archive.writestr(inner, text)
    (folder / "link.bin").symlink_to(folder / "odd.bin")
    (folder / "dangling").symlink_to("/nowhere")
    (folder / "elsewhere").symlink_to(folder / "a")
    os.mkfifo(folder / "pipe.jsonl")
    (Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.jsonl"))).write_text("{}\n")
    odd = dict.fromkeys(["link.bin", "dangling", "elsewhere", "pipe.jsonl"], UNKNOWN) | {"caf\udce9.jsonl": REFUSED}
    inner = Path(os.fsdecode(os.fsencode(folder) + b"/na\xefve"))
    inner.mkdir()
    (inner / "cloze-ru.jsonl").write_text(answers("cloze-ru"), encoding="utf-8")
    (inner / "notes.txt").write_text("x")
    odd |= {"na\udcefve/cloze-ru.jsonl": IMPORTED, "na\udcefve/notes.txt": UNKNOWN}
    return {name: state for name, (_content, state) in FILES.items()} | odd


@pytest.fixture
def imported(board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    expected = furnish(tmp_path / "all")

    def run(*more: str) -> tuple[dict[str, str], str, str]:
        assert main(["board", "import", str(tmp_path / "all"), "--dir", str(board), *more]) == 1
        said = capsys.readouterr()
        return expected, said.out, said.err

    return run


def state_of(file: dict[str, str]) -> str:
    return PART if file["state"] == IMPORTED and file["problem"] else file["state"]


def test_reported_state_of_each_file_is_its_outcome(imported: Any, tmp_path: Path) -> None:
    expected, out, _err = imported("--json")
    files = {one["file"]: one for one in json.loads(out)["files"]}
    wanted = {displayed_path(f"{tmp_path}/all/{name}"): state for name, state in expected.items()}
    assert {name: state_of(one) for name, one in files.items() if state_of(one) != wanted.get(name)} == {}
    assert len(files) == len(wanted)
    assert all(one["problem"] for one in files.values() if one["state"] == REFUSED)
    hints = {name.rpartition("/")[2] for name, one in files.items() if "gluepot human" in one["hint"]}
    assert hints == {"votes.tsv", "assignments.tsv", "ours.jsonl"}


def test_the_text_names_every_file_with_a_problem_and_counts_the_others_by_folder(imported: Any, tmp_path: Path) -> None:
    expected, out, err = imported()
    assert f"{len(expected)} files: " in out
    for name, state in expected.items():
        if state in (REFUSED, PART):
            assert f"{'in part' if state == PART else state}: {displayed_path(f'{tmp_path}/all/{name}')}: " in err
    for folder, count in (("a/model", 4), ("zips", 1), ("votes", 3), ("runs/bare", 1), ("times/rugpt3-small/danetqa", 1)):
        assert f"not recognised: {count} file{'s' * (count > 1)} in {tmp_path}/all/{folder}\n" in err
    assert "a link, which is not followed" in err
    assert "gluepot human SUITE/TASK FILE" in err


def test_problem_of_a_file_is_not_attributed_to_its_namesake_in_another_folder(tmp_path: Path, django_is_set_up: None) -> None:
    from gluepot.board.importing.accounting import ImportOutcome, account_for_files
    from gluepot.board.importing.drafts import ImportedEntry

    for place in ("2023", "2024"):
        (tmp_path / place / "model").mkdir(parents=True)
        (tmp_path / place / "model" / "nli.jsonl").write_text("{}\n")
    line = ImportedEntry("submission", "model", "pocket 1", "model", "imported", 1, 0, 0, 0.0)
    wrong = Problem("missing", "2 of 40 answers are missing.", "model/nli.jsonl")
    outcomes = [
        ImportOutcome("submission", tmp_path / "2023" / "model", [line], [wrong]),
        ImportOutcome("submission", tmp_path / "2024" / "model", [line], []),
    ]
    found = account_for_files([tmp_path], outcomes, [wrong])
    assert [(one.file.split("/")[-3], one.state) for one in found] == [("2023", REFUSED), ("2024", IMPORTED)]
