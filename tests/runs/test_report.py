"""Reports of small runs on the bundled suite: what the page says, that it is well-formed, and that a browser is content with it."""

import json
import re
import shutil
import subprocess
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from gluepot.cli import report as command
from gluepot.data.examples import load_examples
from gluepot.errors import WrongUse
from gluepot.models import ModelName
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.runs.evaluation import SCORES, TIMES, RunScores, save_scores, score_run
from gluepot.runs.manifest import make_manifest, open_run
from gluepot.runs.plan import make_plan
from gluepot.runs.report import Report, make_report
from gluepot.runs.report.calibration import calibration_error, make_bins
from gluepot.runs.report.confusion import NONE, OTHER, Confusion
from gluepot.runs.report.page import render_page
from gluepot.runs.report.tables import latex_tables, markdown_tables
from gluepot.runs.store import RunFolder
from gluepot.runs.verification import gold_answer
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import SUITES, load_suite

POCKET = load_suite("pocket")
EVIL = "<script>alert('&')</script>"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
Answer = Callable[[Task, Example, Random], Prediction]


def blunder(task: Task, example: Example) -> Any:
    """A legal answer that is wrong more often than not."""
    wrong = {"label": task.labels[:1], "number": task.scale, "index": (0,), "index-set": (frozenset(),), "text": (EVIL,)}
    form = KINDS[task.kind].answer.form
    return ("O",) * len(example.target) if form == "tags" else wrong[form][0]


def guess(share: float, sure: float | None = None) -> Answer:
    """A model that knows a share of the answers, and is always as `sure`."""

    def answer(task: Task, example: Example, rng: Random) -> Prediction:
        output = gold_answer(task, example) if rng.random() < share else blunder(task, example)
        scores = None
        if sure is not None and KINDS[task.kind].answer.form == "label":
            rest = (1 - sure) / (len(task.labels) - 1)
            scores = [sure if label == output else rest for label in task.labels]
        return Prediction(example.id, output, scores)

    return answer


def make_run(path: Path, model: ModelName, answer: Answer, suite: Suite = POCKET, **more: Any) -> Path:
    plan, folder = make_plan(model, suite, **more), RunFolder(path)
    open_run(folder, make_manifest(plan, suite, model, "suite", ["evaluate"]), resume=False)
    for job in plan.jobs:
        for name in job.answers:
            task, rng = suite.tasks[name], Random(f"{model} {name} {job.seed}")
            items = load_examples(task, plan.split)[: plan.limit]
            folder.predictions(name, plan.split, job.seed).append([answer(task, item, rng) for item in items])
    folder.write(TIMES, {job.name: 2.0 for job in plan.jobs})
    save_scores(folder, score_run(folder, resamples=100))
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("runs")
    return [
        make_run(place / "majority", ModelName("majority"), guess(0.0)),
        make_run(place / "weak", ModelName("tfidf-logistic"), guess(0.5, sure=0.7), seeds=2),
        make_run(place / "strong", ModelName("command", EVIL), guess(0.9, sure=0.95)),
        make_run(place / "partial", ModelName("tfidf-tree"), guess(0.6), limit=10),
    ]


@pytest.fixture(scope="module")
def report(runs: list[Path]) -> Report:
    return make_report(runs)


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return render_page(report)


@pytest.fixture(scope="module")
def tree(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page.removeprefix("<!doctype html>"))


def texts(tree: ElementTree.Element, tag: str) -> list[str]:
    return ["".join(node.itertext()).strip() for node in tree.iter(tag)]


def cells(tree: ElementTree.Element) -> Iterator[list[str]]:
    for row in tree.iter("tr"):
        yield ["".join(cell.itertext()).strip() for cell in row]


def test_every_task_stands_with_value_and_interval(report: Report, tree: ElementTree.Element) -> None:
    (section,) = report.sections
    rows = {row.task: row for row in section.rows if row.primary}
    assert list(rows) == ["overall", *POCKET.tasks]
    shown = {(row[0], row[1]): row for row in cells(tree) if len(row) == 7}
    for row in rows.values():
        cell = row.cells[2]
        assert cell is not None
        assert f"{cell.value:.3f}{cell.low:.3f} to {cell.high:.3f}".replace("-", "−") == shown[row.title, row.metric][5]


def test_the_mean_of_seeds_carries_its_spread(report: Report, page: str) -> None:
    row = next(row for row in report.sections[0].rows if row.task == "stance-sv")
    assert row.cells[1] is not None
    assert f"± {row.cells[1].spread:.3f}" in page


def test_the_plot_draws_each_system_once_a_task(tree: ElementTree.Element) -> None:
    plot = next(svg for svg in tree.iter("svg") if svg.get("class") == "plot")
    tips = [node.text or "" for node in plot.iter("title")][1:]
    assert sum(tip.startswith("tfidf-logistic: ") for tip in tips) == 14
    assert sum(tip.startswith("tfidf-tree (partial, never ranked): ") for tip in tips) == 14
    assert sum(node.get("class") == "majority" for node in plot.iter("line")) >= 10
    shapes = {path.get("d") for path in plot.iter("path")}
    assert len(shapes) == 3, "systems differ in shape"


def test_confusion_counts_gold_against_predicted(report: Report, runs: list[Path], tree: ElementTree.Element) -> None:
    matrix = next(one for one in report.sections[0].confusions if (one.task, one.system) == ("stance-sv", 2))
    given = RunFolder(runs[2]).predictions("stance-sv", "test", 0).read()
    counted = Counter(
        (example.target, p.output) for example, p in zip(load_examples(POCKET.tasks["stance-sv"], "test"), given, strict=True)
    )
    assert matrix.rows == POCKET.tasks["stance-sv"].labels
    assert {(g, p): matrix.counts[i][j] for i, g in enumerate(matrix.rows) for j, p in enumerate(matrix.columns)} == {
        (g, p): counted[g, p] for g in matrix.rows for p in matrix.columns
    }
    first = [f"{count}{count / sum(matrix.counts[0]):.0%}" for count in matrix.counts[0]]
    assert ["positive", *first, str(sum(matrix.counts[0]))] in list(cells(tree))


def test_many_labels_leave_a_rest(report: Report) -> None:
    from gluepot.data.submissions.pairing import Paired
    from gluepot.metrics import INVALID
    from gluepot.runs.report.confusion import _confusion

    labels = [f"label-{n:02d}" for n in range(20)]
    task = msgspec.structs.replace(POCKET.tasks["stance-sv"], labels=labels)
    examples = [Example(str(n), {}, labels[min(n, 19)]) for n in range(40)]
    matrix: Confusion = _confusion(0, Paired(task, "test", "", examples, [labels[19]] * 39 + [INVALID]))
    assert len(matrix.rows) == 16
    assert (matrix.rows[-1], matrix.columns[-2:]) == (OTHER, [OTHER, NONE])
    assert sum(map(sum, matrix.counts)) == 40


def test_what_strangers_wrote_is_escaped(page: str) -> None:
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;" in page


def test_control_characters_do_not_reach_the_page(report: Report) -> None:
    card = msgspec.structs.replace(report.systems[0], name="a\x00b\x1b\ud800<i>")
    page = render_page(msgspec.structs.replace(report, systems=[card, *report.systems[1:]]))
    ElementTree.fromstring(page.removeprefix("<!doctype html>").encode())
    assert "a\N{REPLACEMENT CHARACTER}b" in page


def test_baselines_and_partial_runs_are_marked(tree: ElementTree.Element) -> None:
    names = {text for text in texts(tree, "span") if text.startswith(("majority", "tfidf-tree"))}
    assert names >= {"majority baseline", "tfidf-tree partial, never ranked"}
    heads = [head for head in texts(tree, "th") if head.startswith("tfidf-tree")]
    assert heads
    assert all("partial, never ranked" in head for head in heads)


def test_hard_items_show_text_gold_and_answers(report: Report) -> None:
    found = next(one for one in report.sections[0].hardest if one.task == "stance-sv")
    assert re.fullmatch(r"\d+ of 40 items wrong for both systems", found.summary)
    assert 0 < len(found.items) <= 10
    for item in found.items:
        assert [given.right for given in item.given] == [False, False]
        assert [given.system for given in item.given] == [1, 2]
        assert item.texts
        assert item.gold in POCKET.tasks["stance-sv"].labels


def test_disagreements_are_items_answered_differently(report: Report) -> None:
    for found in report.sections[0].disagreements:
        assert len(found.items) <= 10
        assert all(len(text) <= 200 for item in found.items for text in item.texts)
        if KINDS[POCKET.tasks[found.task].kind].answer.form == "label":
            assert all(len({given.text for given in item.given}) == 2 for item in found.items)


def test_calibration_has_bins_and_error(report: Report, tree: ElementTree.Element) -> None:
    curve = next(one for one in report.sections[0].calibration if (one.task, one.system) == ("stance-sv", 2))
    (only,) = curve.bins
    accuracy = next(row for row in report.sections[0].rows if (row.task, row.metric) == ("stance-sv", "accuracy")).cells[2]
    assert accuracy is not None
    assert (only.n, round(only.confidence, 9)) == (40, 0.95)
    assert only.accuracy == accuracy.value
    assert curve.error == pytest.approx(abs(0.95 - only.accuracy))
    assert ["0.9 to 1.0", "40", "0.950", f"{only.accuracy:.3f}"] in list(cells(tree))


def test_bins_hold_every_confidence() -> None:
    import numpy as np

    bins = make_bins(np.array([0.0, 0.55, 0.59, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]))
    assert [(b.low, b.n, b.accuracy) for b in bins] == [(0.0, 1, 0.0), (0.5, 2, 0.5), (0.9, 1, 1.0)]
    assert calibration_error(bins) == pytest.approx(2 * 0.07 / 4)


def test_scores_that_are_no_probabilities_make_no_diagram(tmp_path: Path) -> None:
    def logits(task: Task, example: Example, rng: Random) -> Prediction:
        return Prediction(example.id, task.labels[0], [3.0, -1.0, 0.2])

    report = make_report([make_run(tmp_path / "run", ModelName("tfidf-svm"), logits, tasks=["stance-sv"])])
    assert report.sections[0].calibration == []


def test_heat_map_has_coarse_before_fine(report: Report, tree: ElementTree.Element) -> None:
    heat = next(one for one in report.diagnostics if one.columns[0].task == "entailment-ru")
    assert {column.system for column in heat.columns} == {0, 1, 2, 3}
    assert [row.coarse for row in heat.rows if row.fine is None] == ["lexical-semantics", "logic"]
    assert heat.rows[0].fine is None
    shades = {cell.get("class") for cell in tree.iter("td") if (cell.get("class") or "").startswith("h")}
    assert len(shades) > 3


def test_cost_says_seconds_items_and_machine(report: Report, tree: ElementTree.Element) -> None:
    rows = list(cells(tree))
    assert ["tfidf-logistic", "26 jobs", "52.0", "1,040", "20.0"] in rows
    assert ["tfidf-logistic", "stance-sv seed 1", "2.0", "40", "20.0"] in rows
    assert any("python" in row[1] and "numpy" in row[2] for row in rows if len(row) == 3)


def test_the_page_is_whole_without_a_network(page: str, tree: ElementTree.Element) -> None:
    for node in tree.iter():
        assert node.tag not in ("script", "iframe", "img", "object")
        for name in ("href", "src", "style"):
            assert (node.get(name) or "#").startswith(("#", "data:"))
    assert "http" not in page.replace("http-equiv", "")
    assert "url(" not in page
    assert "default-src 'none'" in next(node.get("content") or "" for node in tree.iter("meta") if node.get("http-equiv"))
    assert len(page) < 2_000_000


def test_every_picture_is_sound_and_named(tree: ElementTree.Element) -> None:
    pictures = [svg for svg in tree.iter("svg") if svg.get("role") == "img"]
    assert len(pictures) == 9, "the scores, and four label tasks of two systems"
    for svg in pictures:
        assert (svg.findtext("title") or "").strip()
        ElementTree.fromstring(ElementTree.tostring(svg))


def test_the_page_is_built_for_everybody(tree: ElementTree.Element) -> None:
    assert tree.get("lang") == "en"
    levels = [int(node.tag[1]) for node in tree.iter() if re.fullmatch("h[1-6]", node.tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert all(table.find("caption") is not None for table in tree.iter("table"))
    assert all(head.get("scope") for head in tree.iter("th"))
    names = [node.get("id") for node in tree.iter() if node.get("id")]
    assert len(names) == len(set(names))
    assert {(node.get("href") or "")[1:] for node in tree.iter("a")} <= set(names)


def test_other_data_gets_a_section_of_its_own(runs: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(runs[1], other)
    folder = RunFolder(other)
    scores = folder.read(SCORES, RunScores)
    scores.seeds[0].data["stance-sv/test"] = "0123456789abcdef"
    save_scores(folder, scores)
    report = make_report([runs[1], other])
    assert [section.systems for section in report.sections] == [[0], [1]]
    assert "stance-sv" not in {one.task for one in report.sections[1].confusions}
    assert any("the data has changed" in remark for remark in report.systems[1].remarks)
    assert [card.name for card in report.systems] == ["tfidf-logistic (weak)", "tfidf-logistic (other)"]
    assert "Pocket 1, test, other data (2)" in render_page(report)


def test_a_run_that_was_not_scored_yet_is_scored(runs: list[Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(runs[3], copy)
    (copy / SCORES).unlink()
    (section,) = make_report([copy]).sections
    assert section.rows[0].cells[0] is not None


def test_submissions_need_their_suite_and_join_runs(runs: list[Path]) -> None:
    sample = SUITES / "pocket" / "sample"
    with pytest.raises(WrongUse, match="--suite"):
        make_report([sample])
    report = make_report([runs[1], sample], POCKET)
    assert report.sections[0].systems == [0, 1]
    assert report.systems[1].started is None


def test_markdown_escapes_and_shows_intervals(report: Report) -> None:
    text = markdown_tables(report)
    row = next(line for line in text.splitlines() if line.startswith("| Pocket stance"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 7
    assert re.search(r"0\.\d{3} \(−?\d\.\d{3} to \d\.\d{3}\)", row)
    assert r"\<script\>" in text
    assert "<script>" not in text
    assert "tfidf-tree (partial, never ranked)" in text


def test_latex_escapes_and_shows_intervals(report: Report) -> None:
    card = msgspec.structs.replace(report.systems[2], name=r"R&D_50%#1 {x} ~ \a^b $")
    text = latex_tables(msgspec.structs.replace(report, systems=[*report.systems[:2], card, report.systems[3]]))
    assert r"R\&D\_50\%\#1 \{x\} \textasciitilde{} \textbackslash{}a\textasciicircum{}b \$" in text
    row = next(line for line in text.splitlines() if line.startswith("Pocket stance"))
    assert len(re.findall(r"(?<!\\)&", row)) == 5
    assert re.search(r"\$0\.\d{3} \\pm 0\.\d{3}\$ \{\\scriptsize \$\[-?\d\.\d{3}, \d\.\d{3}\]\$\}", row)
    assert "95 %" not in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1


def test_the_command_writes_what_was_asked_for(runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser()
    command.configure(parser)
    asked = [*map(str, runs), "-o", "r.html", "--markdown", "r.md", "--latex", "r.tex", "--json"]
    options = parser.parse_args([str(tmp_path / word) if word.startswith("r.") else word for word in asked])
    assert command.run(options) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r.md", "r.tex"]
    out = capsys.readouterr()
    assert len(json.loads(out.out)["systems"]) == 4
    assert "r.html" in out.err


def complaints(page: Path, tmp_path: Path) -> tuple[list[str], list[str]]:
    """What a browser says on its console about a page, and what it asks the network for."""
    log = tmp_path / "net.json"
    switches = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run"
    words = [str(CHROMIUM), *switches.split(), "--disable-sync", "--disable-extensions", "--enable-logging=stderr", "--dump-dom"]
    words += [f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={log}", page.resolve().as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert "<h1" in done.stdout
    events = json.loads(log.read_text(encoding="utf-8", errors="replace"))["events"]
    facts = [event["params"] for event in events if "url" in event.get("params", {})]
    own = "not an origin"  # what the browser itself asks for (the time, updates) was started by no page
    asked = [fact["url"] for fact in facts if fact["url"].startswith(("http", "ws")) and fact.get("initiator", own) != own]
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line], asked


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_shows_no_error_and_asks_no_network(page: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.html", tmp_path / "bad.html"
    good.write_text(page, encoding="utf-8")
    assert complaints(good, tmp_path) == ([], [])
    bad.write_text(page.replace("</h1>", "</h1><script>1</script>"), encoding="utf-8")
    assert complaints(bad, tmp_path)[0], "the same look finds an error where there is one"
    bad.write_text('<h1>?</h1><img src="http://127.0.0.1:9/pixel.png">', encoding="utf-8")
    assert complaints(bad, tmp_path)[1], "and a request"


@pytest.fixture(scope="module")
def diagnostics(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    place = tmp_path_factory.mktemp("real")
    swedish, russian = load_suite("superlim"), load_suite("russian-superglue")
    one = make_run(place / "sv", ModelName("tfidf-svm"), guess(0.6), swedish, tasks=["swenli", "swediagnostics", "swewinogender"])
    two = make_run(place / "ru", ModelName("tfidf-svm"), guess(0.6), russian, tasks=["LiDiRus"])
    return make_report([one, two])


def test_diagnostics_of_two_languages_stand_side_by_side(diagnostics: Report) -> None:
    (heat,) = diagnostics.diagnostics
    assert [column.task for column in heat.columns] == ["swediagnostics", "LiDiRus"]
    assert sum(row.fine is None for row in heat.rows) == 4
    assert sum(row.fine is not None for row in heat.rows) == 33
    assert all(cell is not None for row in heat.rows for cell in row.cells)
    assert any(row.reported for row in heat.rows)


def test_gender_parity_stands_beside_the_score(diagnostics: Report) -> None:
    (parity,) = diagnostics.sections[0].parity
    assert (parity.metric, parity.parity.n, parity.score.n) == ("alpha-nominal", 208, 624)


def test_reported_values_carry_their_source_and_what_is_wrong(diagnostics: Report) -> None:
    row = next(row for row in diagnostics.sections[0].rows if row.task == "swenli" and row.primary)
    assert len(row.reported) == 13
    assert {mark.source for mark in row.reported} == {"Superlim paper, Table 5"}
    assert [mark.model for mark in row.reported if mark.wrong] == ["Decision Tree"]
    page = render_page(diagnostics)
    assert "reported, known to be wrong" in page
    assert re.search(r"0\.192<sup>†\d</sup>", page)


def test_without_the_items_scores_remain(real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path / "run", ModelName("tfidf-svm"), guess(0.6), load_suite("superlim"), tasks=["swenli"])
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "nothing"))
    report = make_report([run])
    assert report.sections[0].rows[1].cells[0] is not None
    assert report.sections[0].confusions == []
    assert any("gluepot data fetch superlim" in remark for remark in report.systems[0].remarks)


@pytest.mark.slow
def test_ten_thousand_items_make_a_page_of_common_size(real_data: Path, tmp_path: Path) -> None:
    suite = load_suite("superlim")
    paths = [make_run(tmp_path / str(n), ModelName("tfidf-svm"), guess(n / 10), suite, tasks=["swenli"], split="dev") for n in (5, 6, 7)]
    page = render_page(make_report(paths))
    assert "9,815 items" in page
    assert len(page) < 200_000
