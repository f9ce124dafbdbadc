"""Plots of quality against size and date: systems drawn, dominated, and possibly on the frontier."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from tests.board.published import bring_published
from tests.board.views.answering import add_score, add_system, open_suite

TASK = "stance-sv"
PLACE = f"/b/pocket/1/frontier.json?only={TASK}"


@pytest.fixture
def client(board: Path) -> Client:
    """Five systems: small and good, large and possibly better, large and bad, without an interval, and of unknown size."""
    from gluepot.board.models import System

    version = open_suite("pocket")
    metric = version.declaration["tasks"][TASK]["metrics"][0]
    made = {
        "small": (0.70, 0.05, 100, "2020"),
        "near": (0.66, 0.05, 200, "2021-07"),
        "far": (0.40, 0.05, 300, "2022-02-03"),
        "told": (0.10, None, 400, "2023"),
        "vague": (0.60, 0.05, None, ""),
    }
    for slug, (value, reach, size, released) in made.items():
        ends = {} if reach is None else {"low": value - reach, "high": value + reach}
        add_score(add_system(version, slug), TASK, metric, value, verified=reach is not None, **ends)
        System.objects.filter(slug=slug).update(parameters=size and size * 10**6, released=released)
    return Client(HTTP_HOST="localhost")


def plots(client: Client) -> dict[str, Any]:
    return {one["against"]: one for one in json.loads(client.get(PLACE).content)["plots"]}


def test_only_systems_with_intervals_dominate_others(client: Client) -> None:
    for against in ("size", "date"):
        places = {point["slug"]: point["frontier"] for point in plots(client)[against]["points"]}
        assert {slug: places[slug] for slug in ("small", "near", "far", "told")} == {
            "small": "on", "near": "open", "far": "beaten", "told": "open",
        }  # fmt: skip


def test_systems_of_unknown_size_are_named_and_computed_ones_have_a_date(client: Client) -> None:
    found = plots(client)
    assert found["size"]["unknown"] == ["VAGUE"]
    assert "vague" in {point["slug"] for point in found["date"]["points"]}
    assert [point["against"] for point in found["date"]["points"][:2]] == [2020.0, 2021.5]


def test_page_draws_both_plots_with_text_alternatives(client: Client) -> None:
    html = client.get(f"/b/pocket/1/frontier?only={TASK}").content.decode()
    drawn = [ElementTree.fromstring(svg) for svg in re.findall(r'<svg[^>]*class="plot roomy".*?</svg>', html, re.DOTALL)]
    assert [len(svg.findall("a")) for svg in drawn] == [4, 5]
    assert all(
        "frontier" in svg.findall("a")[0].attrib["aria-label"] or "may be" in svg.findall("a")[0].attrib["aria-label"] for svg in drawn
    )
    assert html.count("may be on it") >= 2
    assert "Not drawn, because their size is unknown" in html


def test_every_published_suite_has_the_page(board: Path) -> None:
    from gluepot.board.models import SuiteVersion

    bring_published()
    for name, version in SuiteVersion.objects.values_list("name", "version"):
        response = Client(HTTP_HOST="localhost").get(f"/b/{name}/{version}/frontier")
        assert response.status_code == 200
        assert b'class="plot roomy"' in response.content, name


def test_ticks_of_dates_are_whole_months(client: Client) -> None:
    from gluepot.board.views.tradeoffs.frontier import MONTHS, year_text
    from gluepot.reporting.tradeoffs.bubbles import PlotAxis, Scale

    ticks = Scale(PlotAxis("Date", year_text, room=0.3, steps=MONTHS), [2024.29], 0, 100).ticks()
    assert [year_text(tick) for tick in ticks] == ["2024", "2024-03", "2024-05", "2024-07"]
    years = Scale(PlotAxis("Date", year_text, room=0.3, steps=MONTHS), [2018.0, 2026.0], 0, 100).ticks()
    assert [year_text(tick) for tick in years] == ["2018", "2020", "2022", "2024", "2026"]
