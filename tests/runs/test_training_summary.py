"""Training details shown to users: truncated texts, diverged seeds, the spread of a search, and both intervals of bootstraps."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs torch: pip install torch==2.13.0 'gluepot[torch]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'gluepot[torch]'")

import torch

from gluepot.cli import main
from gluepot.models import ADAPTERS
from gluepot.models.encoder.adapter import EncoderModel
from gluepot.models.encoder.execution import runner
from gluepot.runs.evaluation import score_run
from gluepot.runs.prediction.execution.executors import LocalExecutor
from gluepot.runs.prediction.jobs import JobReport, run_job
from gluepot.runs.storage.store import RunFolder


@pytest.fixture(autouse=True)
def here(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run jobs in this process, where tests can inspect and patch them."""

    def jobs(self: LocalExecutor, plan: Any, model: Any, suite: Any, folder: Path, tick: Any) -> Iterator[JobReport]:
        return (run_job(model, job, suite, folder, plan.limit) for job in plan.jobs)

    monkeypatch.setattr(LocalExecutor, "__call__", jobs)


def words(model: str, place: str, out: Path, *more: str) -> list[str]:
    return ["evaluate", model, place, "--limit", "8", "--resamples", "20", "--out", str(out), *more]


def scores(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "scores.json").read_text())
    return found


def shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Return the output of the command and the HTML of the run's report."""
    printed = " ".join(capsys.readouterr().out.split())
    assert main(["report", str(folder), "-o", str(folder / "report.html")]) == 0
    return printed, (folder / "report.html").read_text()


def test_truncated_texts_are_reported_also_after_resuming(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(ADAPTERS._things, "encoder", replace(ADAPTERS["encoder"], batch=2))
    out = tmp_path / "run"
    assert main(words(model, "pocket/coreference-eu", out)) == 0
    whole = scores(out)
    count = whole["trained"][0]["cut"]["coreference-eu"]
    assert count > 2
    for text in shown(out, capsys):
        assert f"coreference-eu: {count} texts did not fit into the model and were cut" in text
    answers = out / "predictions" / "seed-0" / "coreference-eu" / "test.jsonl"
    answers.write_text("".join(answers.read_text().splitlines(keepends=True)[:6]))
    (out / "scores.json").unlink()
    assert main(words(model, "pocket/coreference-eu", out)) == 0
    assert scores(out) == whole


def test_a_diverged_seed_is_reported_and_never_averaged(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The loss of the second seed is NaN, in every precision."""
    loss_sum = runner.loss_sum
    spoilt = lambda *given: loss_sum(*given) * (float("nan") if torch.initial_seed() == 1 else 1.0)  # noqa: E731
    monkeypatch.setattr(runner, "loss_sum", spoilt)
    out = tmp_path / "run"
    assert main(words(model, "pocket/stance-sv", out, "--protocol", "quick", "--seeds", "2")) == 0
    assert {row["value"] for row in scores(out)["scores"]} == {None}
    assert [bool(row["diverged"]) for row in scores(out)["trained"]] == [False, True]
    for text in shown(out, capsys):
        assert "stance-sv, seed 1: encoder: diverged: the loss is not a number any more" in text
        assert "1 of 2 seeds without answers (diverged, or stopped)" in text


def test_a_task_that_encoders_cannot_answer_is_reported_once_and_not_as_diverged(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(words(model, "pocket", out, "--tasks", "stance-sv,analogy-sv")) == 0
    assert [row["task"] for row in scores(out)["trained"]] == ["stance-sv"]
    for text in shown(out, capsys):
        assert text.count("which encoders cannot answer") == 1


def test_a_search_reports_its_choice_and_the_spread_over_configurations(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(words(model, "pocket/stance-sv", out, "--protocol", "superlim")) == 0
    spread = scores(out)["search_spread"]
    for text in shown(out, capsys):
        assert "stance-sv: best of 8 (" in text
        assert f"Standard deviation between configurations, mean over tasks: {spread:.3f}." in text


def test_bootstraps_report_both_intervals_and_nothing_if_one_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert main(["evaluate", "random-weighted", "pocket/stance-sv", "--protocol", "scandeval", "--out", str(out)]) == 0
    row = scores(out)["bootstraps"][0]
    for text in shown(out, capsys):
        assert f"10 bootstraps: {row['mean']:.3f} ({row['low']:.3f}–{row['high']:.3f}); as published {row['published_low']:.3f}–" in text
    (out / "predictions" / "seed-3" / "stance-sv" / "test.jsonl").unlink()
    found = score_run(RunFolder(out), {}, 20)
    assert found.bootstraps == []
    assert {row.value for row in found.scores} == {None}


@pytest.fixture
def superlim(tmp_path: Path, real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Superlim's files, with SweNLI's development data in place of its large training data, which may be missing."""
    for path in [
        path for name in ("swenli", "swediagnostics", "swewinogender") for path in (real_data / "superlim" / name).glob("*.jsonl")
    ]:
        own = tmp_path / "data" / path.relative_to(real_data)
        own.parent.mkdir(parents=True, exist_ok=True)
        own.symlink_to(path)
    train = tmp_path / "data" / "superlim" / "swenli" / "swenli_train.jsonl"
    train.unlink(missing_ok=True)
    train.symlink_to(real_data / "superlim" / "swenli" / "swenli_dev.jsonl")
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "data"))


@pytest.mark.usefixtures("superlim")
def test_superlim_s_diagnostics_are_answered_by_one_model(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = []
    fit = EncoderModel.fit

    def counted(self: EncoderModel, task: Any, *data: Any) -> None:
        fitted.append(task.name)
        fit(self, task, *data)

    monkeypatch.setattr(EncoderModel, "fit", counted)
    quick = ["--protocol", "quick"]
    assert main(words(model, "superlim", tmp_path / "both", *quick, "--tasks", "swediagnostics,swewinogender")) == 0
    assert {row["task"] for row in scores(tmp_path / "both")["scores"]} == {"swediagnostics", "swewinogender"}
    assert main(words(model, "superlim/swenli", tmp_path / "own", *quick)) == 0
    assert fitted == ["swenli"]
