"""Untrusted run folders are read as strictly as submissions: every defect is reported, without a traceback or a hang."""

import resource
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.runs.hostile import FILES, HOSTILE, MANIFESTS
from tests.runs.tampering import TASK, make, predictions

from gluepot.cli import main
from gluepot.errors import GluepotError
from gluepot.runs.storage.store import MANIFEST, RunFolder
from gluepot.runs.storage.strict_files import open_inside, read_inside
from gluepot.strict_json import InvalidLineError

SECONDS = 60
MEMORY = 2 * 2**30
"""Maximum memory for reading a run, beyond that already in use."""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("runs") / "honest")


@pytest.fixture
def run(honest: Path, tmp_path: Path, own_cache: Path) -> Path:
    return shutil.copytree(honest, tmp_path / "run")


@pytest.fixture
def bounded() -> Iterator[None]:
    """Limit time and memory, so that waiting for a pipe or reading gigabytes fails."""

    def ring(*_: object) -> None:
        raise AssertionError(f"it takes more than {SECONDS} s")

    before, limits = signal.signal(signal.SIGALRM, ring), resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if Path("/proc/self/statm").exists() else 0
    signal.alarm(SECONDS)
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, limits)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("name", HOSTILE)
def test_report_and_compare_handle_hostile_runs_without_a_traceback(
    run: Path, honest: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    HOSTILE[name](run)
    report, compare = ["report", str(run), "-o", str(run.parent / "page.html")], ["compare", str(run), str(honest)]
    for words in (report, compare):
        code = main(words)
        said = capsys.readouterr().err
        assert code in (0, 1), said
        assert "Traceback" not in said
        if name in MANIFESTS:
            assert code == 1
            assert MANIFEST in said
    if name in FILES:
        assert code == 1, "what is wrong with one task is said of it"
        assert f"{TASK}/test.jsonl" in said


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("name", FILES)
def test_ensemble_rejects_hostile_predictions(run: Path, honest: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    FILES[name](run)
    words = ["evaluate", f"ensemble:{run},{honest}", "pocket", "--tasks", TASK, "--out", str(run.parent / "ensemble"), "--resamples", "50"]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert str(run / "predictions") in said
    assert "Traceback" not in said


def test_a_defect_in_one_task_leaves_the_others_scored(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predictions(run).unlink()
    predictions(run).symlink_to("/etc/passwd")
    assert main(["report", str(run), "-o", str(run.parent / "page.html")]) == 0
    printed = capsys.readouterr()
    assert "a link is not followed" in printed.err
    assert "paraphrase-sv" in printed.out
    assert "root:" not in (run.parent / "page.html").read_text()


def test_a_run_may_be_a_symlink_but_not_contain_one(run: Path, tmp_path: Path) -> None:
    (tmp_path / "shortcut").symlink_to(run)
    assert len(RunFolder(tmp_path / "shortcut").predictions(TASK, "test", 0).read()) == 40
    (run / "predictions").rename(tmp_path / "away")
    (run / "predictions").symlink_to(tmp_path / "away")
    with pytest.raises(GluepotError, match="a link is not followed"):
        RunFolder(run).predictions(TASK, "test", 0).read()


def test_nothing_is_read_outside_a_run(run: Path) -> None:
    (run.parent / "secret").write_text("secret")
    with pytest.raises(InvalidLineError, match="leaves the run"), open_inside(run, run / ".." / "secret"):
        pass
    with pytest.raises(InvalidLineError, match="more than 0 MB"):
        read_inside(run, run / MANIFEST, 10)
