"""Whole submissions: discovery of files, scoring, output and exit codes of the command."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.errors import WrongUse
from gluepot.submissions.codes import CODES
from gluepot.tasks.declarations import load_suite


def test_a_folder_of_files_named_after_tasks_is_scored(tiny: Any) -> None:
    for task in tiny.suite.tasks:
        tiny.write(f"{task}.jsonl", tiny.answers(task))
    result = tiny.score()
    assert result.problems == []
    assert {score.task: round(score.value, 9) for score in result.scores} == dict.fromkeys(tiny.suite.tasks, 1.0) | {"marks": 1.0}
    assert result.overall[0].value == pytest.approx(1.0)
    assert result.model == "submission"


def test_a_zip_with_nested_folders_is_scored(tiny: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("wrap/submission/nli.jsonl", tiny.write("nli.jsonl", tiny.answers("nli")).read_bytes())
        archive.writestr("__MACOSX/wrap/._nli.jsonl", b"junk")
        archive.writestr("wrap/README.md", b"hello")
    result = tiny.score(path)
    assert (result.problems, result.model, result.scores[0].value) == ([], "mine", 1.0)
    assert result.notices == ["ignored: __MACOSX and the like", "wrap/README.md: not a prediction file, ignored"]


def test_partial_submissions_have_a_reason_instead_of_a_mean(tiny: Any) -> None:
    tiny.write("nli.jsonl", tiny.answers("nli"))
    (mean,) = tiny.score().overall
    assert mean.value is None
    assert str(mean.reason).startswith("incomplete: stance, mood")


def test_two_files_for_one_task_are_both_refused(tiny: Any) -> None:
    tiny.write("nli.jsonl", tiny.answers("nli"))
    tiny.write("nli/test.jsonl", tiny.answers("nli"))
    tiny.write("NLI_test.jsonl", tiny.answers("nli"))
    tiny.write("mood.jsonl", tiny.answers("mood"))
    result = tiny.score()
    assert [(p.code, p.file) for p in result.problems] == [
        ("duplicate-task", "NLI_test.jsonl"),
        ("duplicate-task", "nli.jsonl"),
        ("duplicate-task", "nli/test.jsonl"),
    ]
    assert result.problems[1].message == "NLI_test.jsonl, nli/test.jsonl answer nli test too; none was scored."
    assert [score.task for score in result.scores] == ["mood"]


def test_scores_every_split_or_the_requested_one(tiny: Any) -> None:
    tiny.write("nli/dev.jsonl", tiny.answers("nli")[:5])
    tiny.write("nli/test.jsonl", tiny.answers("nli"))
    tiny.write("mood/test.jsonl", tiny.answers("mood"))
    assert [(s.task, s.split, s.n) for s in tiny.score().scores] == [("nli", "dev", 5), ("nli", "test", 6), ("mood", "test", 5)]
    for split in ("dev", "val", "validation"):
        result = tiny.score(split=split)
        assert result.problems == []
        assert [(s.task, s.split) for s in result.scores] == [("nli", "dev")]


def test_a_split_that_a_task_lacks_is_a_notice(tiny: Any) -> None:
    tiny.write("mood/dev.jsonl", tiny.answers("mood"))
    tiny.write("nli.jsonl", tiny.answers("nli"))
    result = tiny.score()
    assert (result.problems, result.notices) == ([], ["mood/dev.jsonl: mood has no dev split: ignored"])


def test_an_unknown_split_is_wrong_use(tiny: Any) -> None:
    tiny.write("nli.jsonl", tiny.answers("nli"))
    with pytest.raises(WrongUse, match=r"tiny: no split 'tset'. Did you mean 'test'\?"):
        tiny.read(split="tset")
    with pytest.raises(WrongUse, match="tiny/mood: no split 'dev'"):
        tiny.read(task="mood", split="dev")


def test_a_submission_without_the_requested_split_names_the_ones_it_answers(tiny: Any) -> None:
    tiny.write("nli/test.jsonl", tiny.answers("nli"))
    (problem,) = tiny.score(split="dev").problems
    assert (problem.code, problem.message, problem.hint) == (
        "empty-submission",
        "no predictions for tiny dev in it.",
        "It answers nli test.",
    )


@pytest.mark.parametrize("name", ["predictions.jsonl", "predictions.txt", "predictions", "mood.jsonl", "test.json", "клей.jsonl"])
def test_one_file_for_one_task_may_have_any_name(tiny: Any, name: str) -> None:
    result = tiny.score(tiny.write(name, tiny.answers("nli")), task="nli")
    assert (result.problems, result.scores[0].task, result.scores[0].value) == ([], "nli", 1.0)


def test_one_file_may_name_its_split(tiny: Any) -> None:
    result = tiny.score(tiny.write("my_dev.jsonl", tiny.answers("nli")[:5]), task="nli")
    assert (result.problems, result.scores[0].split) == ([], "dev")
    result = tiny.score(tiny.write("mine.jsonl", tiny.answers("nli")[:5]), task="nli", split="dev")
    assert (result.problems, result.scores[0].split) == ([], "dev")


def test_ignores_other_tasks_when_one_is_requested(tiny: Any) -> None:
    tiny.write("nli.jsonl", tiny.answers("nli"))
    tiny.write("mood.jsonl", b"broken")
    result = tiny.score(task="nli")
    assert (result.problems, [s.task for s in result.scores]) == ([], ["nli"])


def test_a_file_for_an_unknown_task_is_a_problem_and_others_are_scored(tiny: Any) -> None:
    tiny.write("nli.jsonl", tiny.answers("nli"))
    tiny.write("nly.jsonl", tiny.answers("nli"))
    tiny.write("TERRa.jsonl", tiny.answers("nli"))
    result = tiny.score()
    assert [(p.code, p.file) for p in result.problems] == [("unknown-task", "TERRa.jsonl"), ("unknown-task", "nly.jsonl")]
    assert "russian-superglue" in result.problems[0].hint
    assert "Did you mean 'nli'?" in result.problems[1].message
    assert result.scores[0].value == 1.0


@pytest.mark.parametrize("ending", [".json", ".txt", ".csv", ".tsv", ""])
def test_reports_answers_in_an_unsupported_format(tiny: Any, ending: str) -> None:
    tiny.write("mood.jsonl", tiny.answers("mood"))
    tiny.write(f"nli{ending}", tiny.answers("nli"))
    (problem,) = tiny.score().problems
    assert (problem.code, problem.file) == ("unsupported-format", f"nli{ending}")
    assert problem.hint == "Write one JSON object a line, in a file that ends in .jsonl."


def test_a_problem_in_one_file_leaves_the_others_scored(tiny: Any) -> None:
    tiny.write("nli.jsonl", tiny.answers("nli"))
    tiny.write("mood.jsonl", tiny.answers("mood")[1:])
    result = tiny.score()
    assert [(p.code, p.file, p.id) for p in result.problems] == [("missing-id", "mood.jsonl", "m0")]
    assert {s.task: (s.value, s.reason) for s in result.scores if s.value is None} == {"mood": (None, "the file has problems")}


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_an_empty_file_is_one_problem(tiny: Any, data: bytes) -> None:
    (problem,) = tiny.refused("nli", data)
    assert (problem.code, problem.file) == ("empty-file", "nli.jsonl")


def test_an_empty_folder_gets_a_hint_on_the_format(tiny: Any) -> None:
    (problem,) = tiny.score().problems
    assert (problem.code, problem.hint) == (
        "empty-submission",
        'One file `<task>.jsonl` for each task, with one line `{"id": …, "prediction": …}` for each item.',
    )


def test_missing_items_name_the_fetch_command(tiny: Any) -> None:
    (tiny.root / "data" / "tiny" / "nli" / "test.jsonl").unlink()
    tiny.write("nli.jsonl", tiny.answers("nli"))
    tiny.write("mood.jsonl", tiny.answers("mood"))
    result = tiny.score()
    assert result.problems == []
    assert {s.task: s.value is None for s in result.scores} == {"mood": False, "nli": True}
    assert "gluepot data fetch" in str(next(s.reason for s in result.scores if s.task == "nli"))


def test_a_member_with_a_wrong_checksum_is_not_scored(tiny: Any, tmp_path: Path) -> None:
    data = tiny.write("nli.jsonl", tiny.answers("nli")).read_bytes()
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nli.jsonl", data)
    path.write_bytes(path.read_bytes().replace(b"premise 3", b"premise 4"))
    result = tiny.score(path)
    assert [(p.code, p.file) for p in result.problems] == [("unreadable", "nli.jsonl")]
    assert "CRC" in result.problems[0].message
    assert result.scores[0].value is None


def test_accepts_a_superlim_folder_with_its_irregularities(make_tiny: Callable[..., Any]) -> None:
    tiny = make_tiny("superlim")
    rows = "\n".join(map(json.dumps, tiny.answers("nli")))
    tiny.write("nli/test.jsonl", rows)
    tiny.write("mood/dev.jsonl", rows)
    tiny.write("submission.json", json.dumps({"model": {"model_name": "other/name", "number_params": None}, "tasks": {"nli": None}}))
    result = tiny.score()
    assert (result.problems, result.model) == ([], "other/name")
    assert result.notices == ["mood/dev.jsonl: mood has no dev split: ignored"]


POCKET = load_suite("pocket")
TASK = POCKET.tasks["stance-sv"]


def gold() -> list[dict[str, Any]]:
    return [{"id": example.id, "prediction": example.target} for example in load_examples(TASK, "test")]


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "gluepot", "score", *map(str, words)], capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    return done


def test_command_exits_with_1_and_one_json_document_on_problems(tmp_path: Path) -> None:
    rows = gold()
    rows[0]["prediction"] = "POSITIVE"
    rows[1]["id"] = "nobody"
    (tmp_path / "stance-sv.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "nothing.jsonl").write_text("{}")
    done = command("pocket", tmp_path, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert {p["code"] for p in document["problems"]} == {"unknown-label", "unknown-id", "missing-id", "unknown-task"}
    assert all(p.keys() == {"code", "message", "file", "line", "id", "hint"} for p in document["problems"])
    assert document["scores"][0]["value"] is None
    done = command("pocket", tmp_path)
    assert done.returncode == 1
    assert "stance-sv.jsonl:1: 'POSITIVE' is not a label of this task. Did you mean 'positive'? [unknown-label]" in done.stderr
    assert "4 problems; files with problems were not scored." in done.stderr


def test_command_exits_with_0_and_counts_invalid_answers(tmp_path: Path) -> None:
    rows = gold()
    rows[0]["prediction"] = "I would say positive"
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = command("pocket/stance-sv", tmp_path / "x.jsonl", "--invalid", "wrong", "--json")
    assert done.returncode == 0
    assert {score["invalid"] for score in json.loads(done.stdout)["scores"]} == {1}
    assert "1 invalid, counted as wrong" in command("pocket/stance-sv", tmp_path / "x.jsonl", "--invalid", "wrong").stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["pocket", "/no/such/path"], 2),
        (["pockett", "."], 2),
        (["pocket/stanse", "."], 2),
        (["pocket", ".", "--split", "tset"], 2),
        (["pocket", "/dev/null"], 2),
        (["pocket"], 2),
    ],
)
def test_wrong_use_exits_with_2(words: list[str], code: int) -> None:
    done = command(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr


def test_a_bad_folder_name_does_not_break_the_json(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff\x1b[31m")
    folder.mkdir()
    (folder / "stance-sv.jsonl").write_text("\n".join(map(json.dumps, gold())))
    words = [sys.executable, "-m", "gluepot", "score", "pocket", folder, "--json"]
    done = subprocess.run(words, capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout)["model"] == "'\\udcff\\x1b[31m'"


def run(*words: str) -> tuple[int, str]:
    """Run the command in this process and return its exit code and output; an uncaught exception fails the test."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(["score", *words, "--resamples", "2", "--json"])
    return code, out.buffer.getvalue().decode()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("garbage")


def ends_well(code: int, text: str) -> dict[str, Any] | None:
    """Assert that the command exited with a known code, and return its JSON document unless it refused to start."""
    assert code in (0, 1, 2, 3)
    if code > 1:
        assert text == ""
        return None
    document: dict[str, Any] = json.loads(text)
    assert bool(document["problems"]) == (code == 1)
    assert {p["code"] for p in document["problems"]} <= set(CODES)
    return document


GARBAGE = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
LINES = st.lists(st.binary(max_size=40) | st.sampled_from([json.dumps(row).encode() for row in gold()[:5]]), max_size=8).map(b"\n".join)


@GARBAGE
@given(LINES)
def test_arbitrary_bytes_as_lines_cause_no_traceback(place: Path, data: bytes) -> None:
    (place / "lines.jsonl").write_bytes(data)
    assert ends_well(*run("pocket/stance-sv", str(place / "lines.jsonl")))["problems"]  # type: ignore[index]


@GARBAGE
@given(st.binary(max_size=200), st.sampled_from([b"", b"PK\3\4", b"PK\5\6", b"PK\1\2"]), st.binary(max_size=30), st.booleans())
def test_arbitrary_bytes_as_a_zip_cause_no_traceback(place: Path, data: bytes, mark: bytes, more: bytes, ending: bool) -> None:
    (place / "s.zip").write_bytes(data + mark + more + (b"PK\5\6" + bytes(18) if ending else b""))
    ends_well(*run("pocket", str(place / "s.zip")))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from([row["id"] for row in gold()] + ["positive"]),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5), v, max_size=3),
    max_leaves=5,
)


@GARBAGE
@given(st.lists(st.dictionaries(st.sampled_from(["id", "idx", "prediction", "text", "label", "topic", "x"]), VALUES) | VALUES, max_size=6))
def test_arbitrary_records_cause_no_traceback(place: Path, records: list[Any]) -> None:
    text = "\n".join(json.dumps(record) for record in records)
    (place / "records.jsonl").write_bytes(text.encode("utf-8", "surrogatepass"))
    for task in ("stance-sv", "entities-da", "multi-choice-ru", "word-pairs-eu"):
        for invalid in ("refuse", "wrong"):
            ends_well(*run(f"pocket/{task}", str(place / "records.jsonl"), "--invalid", invalid))


NAMES = st.lists(
    st.binary(min_size=1, max_size=12).filter(lambda name: not set(name) & {0, 47})
    | st.sampled_from([b"stance-sv", b"test", b".jsonl", b"_dev", b".zip", b".json", b".csv", b"..", b"[bold]", b"\xc3\xa5"]),
    min_size=1,
    max_size=3,
).map(lambda parts: b"".join(parts))


@GARBAGE
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True), st.sampled_from([b"", b"{}", b"[]", b'{"id": 1, "prediction": "positive"}']))
def test_arbitrary_file_names_cause_no_traceback(names: list[bytes], data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if name not in (b".", b".."):
                Path(folder, os.fsdecode(name)).write_bytes(data)
        for suite in ("pocket", "superlim", "russian-superglue", "scandeval-da"):
            ends_well(*run(suite, folder))


@GARBAGE
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True), st.sampled_from([b"", b"{}", b'{"id": 1, "prediction": "positive"}']))
def test_arbitrary_names_in_a_zip_cause_no_traceback(place: Path, names: list[bytes], data: bytes) -> None:
    with zipfile.ZipFile(place / "names.zip", "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name.decode("latin-1")), data)
    ends_well(*run("pocket", str(place / "names.zip")))
