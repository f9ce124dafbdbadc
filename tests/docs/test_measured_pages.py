"""Pages of measurements keep their figures where there is no new measurement."""

from pathlib import Path

from benchmarks import encoders, language_models
from benchmarks.tables import filled

from gluepot.cli import main

ROOT = Path(__file__).parents[2]


def test_a_cell_without_a_new_measurement_keeps_its_value() -> None:
    page = "| task | a | b |\n| --- | --- | --- |\n| one | 1 | – |\n| two | 3 | 4 |\n"
    rows = [["one", "–", "2"], ["two", "5", "–"], ["three", "–", "–"]]
    assert filled(page, rows) == [["one", "1", "2"], ["two", "5", "4"], ["three", "–", "–"]]
    assert filled("| one | of another shape |\n", [["one", "–", "–"]]) == [["one", "–", "–"]]


def test_pages_of_models_are_unchanged_without_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "encoders.md").read_text(encoding="utf-8")
    assert encoders.HEAD + encoders.page(tmp_path, page) + encoders.TAIL == page
    page = (ROOT / "docs" / "language-models.md").read_text(encoding="utf-8")
    for name, (parts, about) in language_models.MODELS.items():
        assert language_models.joined(page, language_models.section(name, parts, about, tmp_path, page)) == page


def test_a_run_replaces_the_value_of_the_page(tmp_path: Path) -> None:
    task = "basqueglue/bec"
    words = ["evaluate", "majority", "pocket/stance-sv", "--resamples", "50", "--out", str(tmp_path / task / "majority"), "--json"]
    assert main(words) == 0
    cells = encoders.line(task, ["encoder"], tmp_path)
    assert cells[0] == task
    assert cells[3].endswith(")") or cells[3].endswith("=")
    assert cells[4:] == ["–"] * 4
