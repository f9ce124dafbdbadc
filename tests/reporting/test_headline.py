"""Headline of a report: the summary sentence, plot and table in order, shading of ties, grouped notes."""

from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from gluepot.reporting import Report, make_report
from gluepot.reporting.html.page import render_page
from gluepot.reporting.scores import Mark
from gluepot.reporting.systems import SystemCard
from gluepot.runs.comparison.comparison import compare_paths

WEAK, STRONG = 1, 2
"""Positions among the shared runs."""


def test_the_summary_precedes_the_plot_and_the_plot_the_table(page: str) -> None:
    places = [page.index(found) for found in ('class="lead"', 'class="forest"', "<details", 'class="scores"', "How they were run</h3>")]
    assert places == sorted(places)


def test_the_summary_names_the_leader_and_its_distinction_from_the_next(report: Report) -> None:
    (section,) = report.sections
    led = sum(one.best == STRONG for one in section.leaders)
    assert section.answer.startswith(f"{report.systems[STRONG].name} leads on {led} of 13 tasks; ")
    assert f" from {report.systems[WEAK].name}" in section.answer


def test_shaded_systems_are_those_a_comparison_cannot_separate_from_the_best(report: Report, runs: list[Path]) -> None:
    found = {row.task: row for row in compare_paths(runs[1:3]).comparisons}
    (section,) = report.sections
    agreed = [bool(found[one.task].winner) == bool(one.behind) for one in section.leaders]
    assert len(agreed) == 13
    assert sum(agreed) >= 12, "a comparison has all seeds, a report the answers of the first"
    assert any(one.behind for one in section.leaders)
    assert any(one.tied for one in section.leaders)


def test_ties_are_shaded_and_the_best_is_bold(report: Report, tree: ElementTree.Element) -> None:
    (section,) = report.sections
    for kind, tag, shade in (("forest", "span", "line tie"), ("scores", "td", "value tie")):
        table = next(table for table in tree.iter("table") if table.get("class") == kind)
        shaded = [cell for cell in table.iter(tag) if cell.get("class") == shade]
        assert len(shaded) == sum(1 + len(one.tied) for one in section.leaders)
        assert sum(cell.find("b") is not None for cell in shaded) == len(section.leaders)


def test_each_task_names_the_systems_behind_the_best(report: Report, tree: ElementTree.Element) -> None:
    forest = next(table for table in tree.iter("table") if table.get("class") == "forest")
    found = {"".join(row[0][0].itertext()): "".join(row[3].itertext()) for row in forest.iter("tr") if row[0].get("scope") == "row"}
    (section,) = report.sections
    for one in section.leaders:
        behind = ", ".join("ABCD"[place] for place in one.behind)
        assert found[one.label] == (f"{behind} behind {'ABCD'[one.best]}" if behind else "cannot tell")


def test_a_note_on_several_systems_appears_once_and_folded(report: Report) -> None:
    def noted(card: SystemCard) -> SystemCard:
        own = ["its own"] if "tree" in card.name else ["shared"] if card.baseline or "tfidf" in card.name else []
        return msgspec.structs.replace(card, remarks=[f"{card.model}: cannot answer summaries.", *own])

    page = render_page(msgspec.structs.replace(report, systems=[noted(card) for card in report.systems]))
    tree = ElementTree.fromstring(page.removeprefix("<!doctype html>"))
    folded = next(one for one in tree.iter("details") if "things to know" in "".join(one[0].itertext()))
    assert ["".join(item.itertext()) for item in folded.iter("li")] == [
        "all systems: cannot answer summaries.",
        "majority, tfidf-logistic: shared",
        "tfidf-tree: its own",
    ]


def test_a_single_system_is_compared_with_published_ones(runs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.reporting import scores

    def marks(_published: object, _errata: object, task: str, metric: str, _split: str) -> list[Mark]:
        if task not in ("stance-sv", "entailment-ru", "idioms-da") or metric not in ("alpha-nominal", "mcc"):
            return []
        value = {"stance-sv": -0.9, "entailment-ru": 1.0, "idioms-da": -0.5}[task]
        return [Mark(f"published {number}", value, "a paper", "misprint" if task == "idioms-da" else None) for number in range(3)]

    monkeypatch.setattr(scores, "_marks", marks)
    (section,) = make_report(runs[1:2]).sections
    assert [(one.task, one.below, one.above) for one in section.published] == [("stance-sv", 3, 0), ("entailment-ru", 0, 3)]
    assert section.answer.startswith(
        "tfidf-logistic is good at sentiment (above 3 of 3 published systems) and bad at inference (below 3 of 3)."
    )
