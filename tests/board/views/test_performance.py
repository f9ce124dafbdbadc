"""The performance page: one machine per plot, common tasks for all systems, the frontier, and the table."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from tests.board.published import bring_published
from tests.board.views.answering import add_score, add_system, open_suite

HOST = {"HTTP_HOST": "localhost"}
PLACE = "/b/russian-superglue/1.1/performance"
FIGURE_2 = ["LiDiRus", "RCB", "TERRa", "RUSSE", "RWSD", "DaNetQA"]


@pytest.fixture
def printed(board: Path) -> Client:
    """A board with all published results."""
    bring_published()
    return Client(**HOST)


def document(client: Client, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.get(f"{PLACE}.json?{query}").content)
    return found


def test_the_mean_is_over_the_six_tasks_of_figure_2(printed: Client) -> None:
    page = document(printed)
    assert page["chosen"] == FIGURE_2
    assert page["averaged"]
    assert len(page["points"]) == 6
    from gluepot.tasks.declarations import load_suite
    from gluepot.tasks.published_results import load_published
    from gluepot.tasks.systems import names_of

    cells = [cell for cell in load_published(load_suite("russian-superglue")) if cell.task in FIGURE_2]
    for point in page["points"]:
        speeds = [
            cell.value for cell in cells if cell.metric == "throughput" and cell.model in names_of("russian-superglue", point["name"])
        ]
        assert point["throughput"]["value"] == pytest.approx(sum(speeds) / 6)
        assert point["throughput"]["reported"] == pytest.approx(sum(speeds) / 6)


def test_published_scores_without_an_interval_dominate_no_system(printed: Client) -> None:
    page = document(printed)
    assert {point["name"] for point in page["points"] if point["frontier"] == "on"} == {"RuBERT conversational", "RuGPT3Small"}
    assert {point["frontier"] for point in page["points"]} == {"on", "open"}
    html = printed.get(PLACE).content.decode()
    plots = [plot for plot in re.findall(r"<svg.*?</svg>", html, re.S) if "disc" in plot]
    assert [(plot.count('class="disc"'), plot.count('class="disc open"')) for plot in plots] == [(2, 4)] * 2, "wide, and for phones"
    assert html.count("✓ on the frontier") == 2


def test_plot_is_well_formed_and_every_disc_has_a_label(printed: Client) -> None:
    html = printed.get(PLACE).content.decode()
    svg = re.search(r"<svg.*?</svg>", html, re.DOTALL)
    assert svg
    tree = ElementTree.fromstring(svg[0])
    links = tree.findall("a")
    assert len(links) == 6
    assert all("GiB" in link.attrib["aria-label"] and link.find("title") is not None for link in links)
    ground = tree.find("g")
    assert ground is not None
    assert ground.attrib["role"] == "img"
    assert ground.find("title") is not None
    assert "style=" not in svg[0]


def test_swapping_swaps_the_axes_and_nothing_else(printed: Client) -> None:
    plain, swapped = (printed.get(f"{PLACE}{query}").content.decode() for query in ("", "?swap=1"))
    across = [re.findall(r'class="title">([^<]*)<', page) for page in (plain, swapped)]
    assert across[0] == across[1][::-1]
    assert document(printed)["points"] == document(printed, "swap=1")["points"]


def test_unknown_tasks_and_profiles_are_reported(printed: Client) -> None:
    page = document(printed, "task=TERRa,Nowhere&profile=my%20laptop")
    assert page["chosen"] == ["TERRa"]
    assert page["unknown"] == ["profile=my laptop", "task=Nowhere"]


def measure(entry: Any, task: str, profile: str, throughput: float, memory: float, **more: Any) -> None:
    from gluepot.board.models import Measurement

    Measurement.objects.create(entry=entry, task=task, quantity="throughput", value=throughput, profile=profile, **more)
    Measurement.objects.create(entry=entry, task=task, quantity="memory", value=memory, profile=profile)


@pytest.fixture
def made(board: Path) -> Client:
    """Three systems on a fast machine, one of them also on a slow one, one without a task."""
    version = open_suite("pocket")
    for slug, quality, speed in (("a", 0.8, 100.0), ("b", 0.6, 200.0), ("c", 0.5, 50.0)):
        entry = add_system(version, slug)
        for task in ("stance-sv", "entailment-ru"):
            metric = version.declaration["tasks"][task]["metrics"][0]
            add_score(entry, task, metric, quality, low=quality - 0.1, high=quality + 0.1)
            if slug != "c" or task == "stance-sv":
                more = {"low": speed - 10, "high": speed + 30, "reported": 101.0, "note": "unstable: <b>"} if slug == "a" else {}
                measure(entry, task, "fast", speed, 2.0, **more)
        measure(entry, "stance-sv", "slow", speed / 10, 2.0) if slug == "a" else None
    return Client(**HOST)


def of(client: Client, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.get(f"/b/pocket/1/performance.json?{query}").content)
    return found


def test_profiles_never_share_a_plot(made: Client) -> None:
    assert of(made)["profiles"] == {"fast": 3, "slow": 1}
    assert {p["throughput"]["value"] for p in of(made, "profile=slow")["points"]} == {10.0}
    assert 10.0 not in {p["throughput"]["value"] for p in of(made)["points"]}


def test_systems_that_lack_a_task_are_named_and_not_drawn(made: Client) -> None:
    page = of(made, "task=stance-sv,entailment-ru")
    assert [point["slug"] for point in page["points"]] == ["a", "b"]
    assert page["lacking"] == {"C": ["entailment-ru"]}
    assert of(made)["chosen"] == ["stance-sv"]  # the tasks on which all systems were measured


def test_interval_of_a_mean_assumes_independent_parts(made: Client) -> None:
    point = of(made, "task=stance-sv,entailment-ru")["points"][0]["throughput"]
    assert (point["low"], point["high"]) == pytest.approx((100 - (2 * 10**2) ** 0.5 / 2, 100 + (2 * 30**2) ** 0.5 / 2))


def test_notes_and_published_values_are_escaped_in_the_table(made: Client) -> None:
    html = made.get("/b/pocket/1/performance").content.decode()
    assert "unstable: &lt;b&gt;" in html
    assert ">101</td>" in html
    assert "100* (101)" in html
    rows = made.get("/b/pocket/1/performance.csv").content.decode().splitlines()
    assert rows[1].startswith("system,quality,throughput,memory_gib,frontier")
    assert len(rows) == 2 + 3


def test_suite_without_measurements_shows_a_message(board: Path) -> None:
    open_suite("superlim")
    assert "Nothing was measured" in Client(**HOST).get("/b/superlim/2.0.4/performance").content.decode()


def test_new_measurement_is_visible_immediately(printed: Client) -> None:
    from gluepot.board.importing.storage.entries import bump_revision
    from gluepot.board.models import Measurement

    before = document(printed, "task=RCB")["points"]
    Measurement.objects.filter(task="RCB", quantity="throughput", current=True).update(value=12.5)
    bump_revision()
    assert {point["throughput"]["value"] for point in before} != {12.5}
    assert {point["throughput"]["value"] for point in document(printed, "task=RCB")["points"]} == {12.5}
