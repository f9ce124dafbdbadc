"""Published cells beside recomputed values, from records or from other cells, and reasons for those that cannot be recomputed."""

import json
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from gluepot.cli import main
from gluepot.errors import GluepotError
from gluepot.runs.reproduction import ReproducedCell, judge, reproduce
from gluepot.tasks.declarations import load_suite, load_suites
from gluepot.tasks.published_results import Errata, PublishedResult, load_errata, load_published

SUITE = load_suite("scandeval-da")
MODEL, DATASET = "meta-llama/Meta-Llama-3-70B", "angry-tweets"


def printed(metric: str, statistic: str, task: str = DATASET) -> float:
    cells = load_published(SUITE)
    return next(c.value for c in cells if (c.model, c.task, c.metric, c.statistic) == (MODEL, task, metric, statistic)) / 100


def spread(mean: float, half: float, count: int = 10) -> list[float]:
    """Return values with the given mean and half-width."""
    shape = [(-1.0) ** number for number in range(count)]
    factor = half * count**0.5 / 1.96 / stdev(shape)
    return [mean + factor * value for value in shape]


def record(values: list[float], theirs: str = "mcc", dataset: str = DATASET, **more: Any) -> str:
    raw = [{theirs: value} for value in values]
    return json.dumps({"dataset": dataset, "model": MODEL, "results": {"raw": raw, "total": {}}, "scandeval_version": "14.3.0"} | more)


def recomputed(path: Path, *lines: str) -> dict[tuple[str, str, str | None], ReproducedCell]:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    cells = reproduce(SUITE, path)
    return {(cell.task, cell.metric, cell.statistic): cell for cell in cells if cell.model == MODEL}


def test_mean_and_half_width_are_computed_from_the_iterations(tmp_path: Path) -> None:
    values = spread(printed("mcc", "mean"), printed("mcc", "half-width"))
    cells = recomputed(tmp_path / "results.jsonl", record(values))
    mean, half = cells[DATASET, "mcc", "mean"], cells[DATASET, "mcc", "half-width"]
    assert (mean.mark, half.mark, mean.how, half.how) == ("=", "=", "records", "records")
    assert mean.ours == pytest.approx(100 * fmean(values))
    assert half.ours == pytest.approx(100 * 1.96 * stdev(values) / 10**0.5)


def test_iterations_with_another_mean_differ_without_explanation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.jsonl"
    cells = recomputed(path, record(spread(printed("mcc", "mean") + 0.01, printed("mcc", "half-width"))))
    assert (cells[DATASET, "mcc", "mean"].mark, cells[DATASET, "mcc", "mean"].note) == ("≠", "")
    assert main(["reproduce", "scandeval-da", str(path)]) == 1


def test_one_iteration_has_a_mean_and_no_half_width(tmp_path: Path) -> None:
    cells = recomputed(tmp_path / "results.jsonl", record([printed("mcc", "mean")]))
    assert (cells[DATASET, "mcc", "mean"].mark, cells[DATASET, "mcc", "half-width"].mark) == ("=", "?")


def test_percentages_are_scaled_to_fractions(tmp_path: Path) -> None:
    values = [100 * value for value in spread(printed("token-f1", "mean", "scandiqa-da"), 0.01)]
    cells = recomputed(tmp_path / "results.jsonl", record(values, "f1", "scandiqa-da"))
    assert cells["scandiqa-da", "token-f1", "mean"].mark == "="


def test_the_newest_record_counts_and_validation_records_are_ignored(tmp_path: Path) -> None:
    right, wrong = spread(printed("mcc", "mean"), 0.01), spread(0.1, 0.01)
    lines = (record(right), record(wrong, scandeval_version="13.0.0"), record(wrong, validation_split=True))
    assert recomputed(tmp_path / "results.jsonl", *lines)[DATASET, "mcc", "mean"].mark == "="


def test_records_are_found_in_a_folder_beside_other_files(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "results.jsonl").write_text(record(spread(printed("mcc", "mean"), 0.01)) + "\n")
    (tmp_path / "published.json").write_text("[]")
    (tmp_path / "other.jsonl").write_text('{"id": 1}\n')
    assert any(cell.how == "records" for cell in reproduce(SUITE, tmp_path))


def test_a_malformed_line_is_reported_by_number(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(record([0.5]) + '\n{"dataset": 1}\n')
    with pytest.raises(GluepotError, match=r"results\.jsonl:2: "):
        reproduce(SUITE, path)


@pytest.mark.parametrize("suite", load_suites(), ids=lambda suite: suite.name)
def test_every_cell_that_cannot_be_recomputed_has_a_reason(suite: Any) -> None:
    assert [cell for cell in reproduce(suite, None) if cell.mark == "?" and not cell.note] == []


def test_a_rank_is_never_recomputed_as_a_mean_of_cells() -> None:
    ranks = [cell for cell in reproduce(SUITE, None) if cell.statistic == "rank"]
    assert len(ranks) == 3
    assert {cell.mark for cell in ranks} == {"?"}
    assert all("every other one of its leaderboard" in cell.note for cell in ranks)


def test_a_cell_without_a_declared_reason_asks_for_a_source() -> None:
    cell = PublishedResult("A paper, Table 1", "model", "task", "test", "accuracy", 0.5)
    assert judge(cell, None, "", Errata()).note.startswith("Nothing was named to compute it from")


def test_reasons_are_declared_for_published_cells_only() -> None:
    for suite in load_suites():
        cells, errata = load_published(suite), load_errata(suite)
        assert all(any(reason.covers(cell) for cell in cells) for reason in (*errata.known, *errata.unavailable))


def test_command_prints_the_reasons_with_their_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "scandeval-da"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "3 cells: A rank score compares" in told
    assert "92 cells: Only the raw values of its ten iterations give it" in told
    assert "95 cannot be recomputed" in told


def test_real_records_reproduce_every_published_mean_and_half_width(real_data: Path) -> None:
    folder = real_data.parent / "records" / "euroeval"
    if not folder.is_dir():
        pytest.skip("needs EuroEval records in a folder `records` beside $GLUEPOT_DATA")
    cells = reproduce(SUITE, folder)
    marks = {(cell.statistic, cell.mark) for cell in cells}
    assert marks == {("mean", "="), ("half-width", "="), ("rank", "?")}
    assert sum(cell.mark == "=" for cell in cells) == 92
