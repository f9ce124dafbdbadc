"""Trade-off plots of quality and cost, on a page of their own and in reports."""

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.efficiency.figures.test_tradeoffs import figures
from tests.reporting.made import POCKET, guess, make_run

from gluepot.cli import main
from gluepot.efficiency.figures.tradeoffs import make_tradeoffs
from gluepot.models import parse_model
from gluepot.reporting.tradeoffs.bubbles import AHEAD, LETTER, Bubble, ErrorBar, PlotAxis, bubble_plot
from gluepot.reporting.tradeoffs.page import render_tradeoffs

EVIL = "<script>alert('&')</script>"
POINTS = r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)" class="disc'


def test_the_plot_has_both_orientations_and_disc_areas_show_memory() -> None:
    page = render_tradeoffs(make_tradeoffs([figures("a"), figures(EVIL, quality=0.5, throughput=1000, memory=0.5)]))
    assert "<script" not in page
    straight, swapped = (ElementTree.fromstring(svg) for svg in re.findall(r'<svg viewBox="0 0 820.*?</svg>', page, re.DOTALL))
    for svg in (straight, swapped):
        words = [title.text or "" for title in svg.iter("title")]
        assert any(word.startswith("a: quality 80.0, throughput 100/s, 2.00 GiB") for word in words)
    (x1, y1, r1), (x2, y2, r2) = ([float(part) for part in place] for place in re.findall(POINTS, page)[:2])
    assert (x1 > x2, y1 > y2) == (True, True), "more quality is to the right, more speed is up"
    assert r1 / r2 == pytest.approx(2, rel=0.02)
    assert "780 to 820" not in page
    assert "78.0 to 82.0" in page


def ends_of(label: ElementTree.Element) -> tuple[float, float]:
    """Return the estimated left and right ends of a label."""
    width = LETTER * len(label.text or "")
    left = float(label.attrib["x"]) - AHEAD[label.attrib["text-anchor"]] * width
    return left, left + width


def test_no_label_overlaps_the_frontier() -> None:
    places = {"first": (1.0, 50.0), "second": (2.0, 51.0), "third": (4.0, 54.0)}
    discs = [Bubble(name, "", name, ErrorBar(x), ErrorBar(y), None, "on") for name, (x, y) in places.items()]
    less = PlotAxis("Size", str, less=True)
    for drawing in re.findall(r"<svg .*?</svg>", bubble_plot(discs, less, PlotAxis("Quality", str), "a", "b"), re.DOTALL):
        (path,) = re.findall(r'<path d="M(.*?)" class="front"', drawing)
        points = [tuple(float(part) for part in point.split()) for point in path.split("L")]
        assert len(points) == 7
        for label in ElementTree.fromstring(drawing).findall("text"):
            (left, right), foot = ends_of(label), float(label.attrib["y"])
            for (x1, y1), (x2, y2) in pairwise(points):
                assert max(x1, x2) <= left or min(x1, x2) >= right or max(y1, y2) <= foot - 11 or min(y1, y2) >= foot + 3


def test_labels_and_ticks_of_the_narrow_plot_fit_and_do_not_overlap() -> None:
    names = ["RuBERT conversational", "megatron-bert-large-swedish-cased-165k", "b"]
    discs = [Bubble(name, "", name, ErrorBar(50.0 + number), ErrorBar(60.0 - number), None, "on") for number, name in enumerate(names)]
    axis = PlotAxis("Quality", lambda value: f"{value:.2f}")
    drawn = bubble_plot(discs, axis, axis, "a", "b")
    slim = ElementTree.fromstring(re.findall(r"<svg .*?</svg>", drawn, re.DOTALL)[1])
    assert slim.attrib["viewBox"] == "0 0 360 420"
    for label in slim.findall("text"):
        left, right = ends_of(label)
        assert left >= 0
        assert right <= 360
    ticks = [float(text.attrib["x"]) for text in slim[0].findall("text") if text.attrib["y"] == "386"]
    assert len(ticks) > 1
    assert all(after - tick > 4 * LETTER for tick, after in pairwise(ticks))


def test_labels_do_not_overlap_their_disc_and_narrow_plots_have_smaller_discs() -> None:
    sizes = {"small": 1.0, "a": 900.0, "middling": 300.0}
    discs = [Bubble(name, "", name, ErrorBar(50.0 + size), ErrorBar(60.0), size, "on") for name, size in sizes.items()]
    axis = PlotAxis("Quality", lambda value: f"{value:.2f}")
    largest = []
    for drawing in re.findall(r"<svg .*?</svg>", bubble_plot(discs, axis, axis, "a", "b"), re.DOTALL):
        places = {float(x): (float(y), float(radius)) for x, y, radius in re.findall(POINTS, drawing)}
        largest.append(max(radius for _y, radius in places.values()))
        for x, (name, _size) in zip(sorted(places), sorted(sizes.items(), key=lambda one: one[1]), strict=True):
            y, radius = places[x]
            label = next(text for text in ElementTree.fromstring(drawing).findall("text") if text.text == name)
            (left, right), foot = ends_of(label), float(label.attrib["y"])
            beside = left >= x + 0.7 * radius or right <= x - 0.7 * radius
            assert beside or foot <= y - 0.7 * radius or foot - 11 >= y + 0.7 * radius
    assert largest == [34, 24]


def write_records(folder: Path, seconds: dict[str, float]) -> None:
    folder.mkdir(parents=True)
    for name, length in seconds.items():
        rows = [f'{{"timestamp": 5.0, "ram": {2**30}}}', f'{{"timestamp": {5.0 + length}, "ram": {2**30}}}']
        (folder / f"{name}.jsonl").write_text("\n".join(rows))


def test_a_report_joins_speed_from_records_with_quality_from_the_run_of_a_model(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", parse_model("majority"), guess(0.6), POCKET, seeds=1)
    write_records(tmp_path / "records" / "majority" / "stance-sv", {"1_1_01": 10, "2000_32_01": 30})
    out = tmp_path / "report.html"
    words = ["report", str(run), "--measurements", str(tmp_path / "records"), "-o", str(out)]
    assert main(words) == 0
    page = out.read_text()
    assert "What quality costs" in page
    assert "majority: quality" in page
    assert "throughput 100/s, 1.00 GiB" in page
    capfd.readouterr()
    assert main([*words, "--tasks", "stance"]) == 2
    assert "stance-sv" in capfd.readouterr().err


def test_measure_writes_the_page_and_names_incomplete_records(tmp_path: Path) -> None:
    write_records(tmp_path / "records" / "mine" / "nli", {"1_1_01": 10, "2000_32_01": 30})
    assert main(["measure", "--from", str(tmp_path / "records"), "--html", str(tmp_path / "page.html")]) == 0
    assert "lack a score, throughput or memory: mine (nli)" in (tmp_path / "page.html").read_text()
