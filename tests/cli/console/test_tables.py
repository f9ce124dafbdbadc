"""Tables at various terminal widths: keys stay, names are shortened in the middle, omitted columns are listed."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from shutil import copytree

import pytest

from gluepot.cli import main
from gluepot.cli.console.output import known_width
from gluepot.cli.console.tables import Table, TableColumn, shorten
from gluepot.data.examples import load_examples
from gluepot.tasks.declarations import load_suite

NAMES = ["argumentation-sentences", "supersim-superlim-relatedness", "supersim-superlim-similarity", "swefaq"]


def out(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    main(words)
    return capsys.readouterr().out.splitlines()


def printed(capsys: pytest.CaptureFixture[str], table: Table) -> list[str]:
    from gluepot.cli.console.output import console

    table.print(console())
    return capsys.readouterr().out.splitlines()


def wide_table() -> Table:
    table = Table(TableColumn("task"), *(TableColumn(f"figure {n}", figures=True) for n in range(9)), TableColumn("remarks", prose=True))
    for name in NAMES:
        table.add(name, *["0.123"] * 9, "not ranked: three of a thousand items were answered")
    return table


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_a_table_keeps_its_key_and_lists_omitted_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    header, *rows = printed(capsys, wide_table())
    assert max(map(len, [header, *rows])) <= width
    shown = header.count("figure")
    for name, row in zip(NAMES, rows, strict=False):
        key, *figures = row.split()
        assert key == shorten(name, len(key))
        assert figures == ["0.123"] * shown
    said = " ".join(rows[len(NAMES) :])
    assert said.startswith(f"not shown in {width} columns: figure {shown},")
    assert "remarks" in said


def test_shortened_names_remain_distinct(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "45")
    _, *rows = printed(capsys, wide_table())
    assert len({row.split()[0] for row in rows[: len(NAMES)]}) == len(NAMES)


def test_prose_is_wrapped_in_its_column(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    table = Table(TableColumn("task"), TableColumn("remarks", prose=True))
    table.add("swefaq", "a remark that is much too long for what is left of the line")
    assert printed(capsys, table) == ["task    remarks", "swefaq  a remark that is much too long for what is", "        left of the line"]


def test_a_pipe_of_unknown_width_gets_the_whole_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    header, *rows = printed(capsys, wide_table())
    assert (header.count("figure"), len(rows)) == (9, len(NAMES))
    assert all(row.startswith(name) and row.endswith("answered") for name, row in zip(NAMES, rows, strict=True))


@pytest.mark.parametrize("told", ["0", "", "-3", "wide", "9" * 5000])
def test_an_invalid_width_is_ignored(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv("COLUMNS", told)
    assert known_width(sys.stdout) is None


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Runs with long, similar names."""
    folder = tmp_path_factory.mktemp("runs")
    places = [str(folder / f"a-run-with-a-long-name-{number}-of-several") for number in range(7)]
    for model, place in (("random", places[-1]), ("majority", places[0])):
        assert main(["evaluate", model, "pocket", "--out", place, "--resamples", "20"]) == 0
    for place in places[1:-1]:
        copytree(places[0], place)
    return places


def commands(runs: list[str], folder: Path) -> dict[str, list[str]]:
    return {
        "evaluate": ["evaluate", "majority", "pocket", "--out", runs[0], "--resamples", "20"],
        "plan": ["evaluate", "majority", "pocket", "--dry-run"],
        "score": ["score", "pocket", runs[0], "--resamples", "20"],
        "compare": ["compare", runs[0], runs[-1], "--resamples", "20"],
        "report": ["report", *runs, "-o", str(folder / "report.html")],
        "show": ["show", "pocket"],
        "suites": ["suites"],
    }


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("command", ["evaluate", "plan", "score", "compare", "report", "show", "suites"])
def test_every_table_lists_every_task_within_the_given_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, runs: list[str], tmp_path: Path, command: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = out(capsys, *commands(runs, tmp_path)[command])
    assert max(len(line.rstrip()) for line in lines) <= width
    words = {word for line in lines for word in line.split()[:2]}
    assert not [name for name in load_suite("pocket").tasks if name not in words]


def test_a_report_of_many_runs_numbers_them_and_lists_omitted_ones(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, runs: list[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = "\n".join(out(capsys, *commands(runs, tmp_path)["report"]))
    for number, run in enumerate(runs, start=1):
        assert re.search(rf"^run {number}: (majority|random).*{Path(run).name[-10:] if number < len(runs) else ''}", text, re.MULTILINE)
    assert re.search(r"^task +metric +run 1 +run 2 +run 3", text, re.MULTILINE)
    assert "not shown in 80 columns: run 7" in text


def test_long_names_of_runs_are_shortened_in_the_middle(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, submissions: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for name in ("KBLab-megatron-bert-large-swedish-cased-165k", "KB-bert-base-swedish-cased", "SVM"):
        copytree(submissions / "superlim" / name / "swefaq", tmp_path / name / "swefaq")
    lines = out(capsys, "report", "--suite", "superlim", *map(str, sorted(tmp_path.iterdir())), "-o", str(tmp_path / "report.html"))
    header = next(line for line in lines if line.startswith("task"))
    assert re.fullmatch(r"task +metric +KB-\S+…\S+ +KBLab-\S+…\S+ +SVM", header)


def test_score_names_the_split_of_slices(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, submissions: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    place = submissions / "superlim" / "KBLab-megatron-bert-large-swedish-cased-165k"
    copytree(place / "sweparaphrase", tmp_path / "sweparaphrase")
    lines = out(capsys, "score", "superlim", str(tmp_path), "--resamples", "20")
    slices = [line.split() for line in lines if " genre/" in line]
    assert {words[1] for words in slices} == {"dev", "test"}


@pytest.mark.parametrize("width", [60, 80, 200])
def test_remarks_that_do_not_fit_the_table_are_printed_below_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    items = load_examples(load_suite("pocket").tasks["stance-sv"], "test")
    rows = [{"id": item.id, "prediction": item.target if number else "who knows"} for number, item in enumerate(items)]
    (tmp_path / "stance-sv.jsonl").write_text("\n".join(map(json.dumps, rows)))
    lines = out(capsys, "score", "pocket", str(tmp_path / "stance-sv.jsonl"), "--invalid", "wrong", "--resamples", "20")
    beside, below = (
        sum(pattern in line for line in lines) for pattern in ("  1 invalid, counted", "stance-sv test: 1 invalid, counted as wrong")
    )
    assert (beside, below) == ((3, 0) if width == 200 else (0, 1))
    assert "remarks" not in " ".join(line for line in lines if line.startswith("not shown"))


def test_a_terminal_of_60_columns_shows_every_task(runs: list[str]) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    words = [sys.executable, "-m", "gluepot", "compare", runs[0], runs[-1], "--resamples", "20"]
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env={**environment, "TERM": "dumb"})
    os.close(slave)
    text = ""
    while process.poll() is None or text[-1:] != "\n":
        try:
            text += os.read(master, 65_536).decode()
        except OSError:  # the other end is closed
            break
    os.close(master)
    assert process.wait(timeout=10) == 0
    lines = text.splitlines()
    assert max(map(len, lines)) <= 60
    assert set(load_suite("pocket").tasks) <= {line.split()[0] for line in lines if line.strip()}
    assert "not shown in 60 columns" in text
