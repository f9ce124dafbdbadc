"""HTML, JSON, API, CSV and snapshots of standings are parsed and compared with their record field by field."""

import csv
from collections.abc import Callable
from dataclasses import fields
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser, LexborNode
from tests.board.filling import fill

from gluepot.tasks.declarations import load_suite

SKIPPING, COUNTING, PLAIN = "supersim", "russian-superglue", "superlim"
QUERIES = {
    PLAIN: [
        "",
        "ci=95",
        "split=dev",
        "tasks=swefaq,swenli&w=swenli:2&sort=swenli",
        "fam=Encoder&pmax=5B&open=code&ci=95&sort=name",
        "agg=min&ci=95",
        "agg=rank&miss=hide",
        "agg=copeland&pin=system-3&q=org1",
        "sort=-coverage&tasks=nothing&colour=red&page=2",
    ],
    COUNTING: ["", "ci=95&sort=-MuSeRC", "tasks=MuSeRC,RuCoS"],
    SKIPPING: ["", "ci=95", "sort=similarity"],
}


@pytest.fixture
def client(board: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr("gluepot.board.standings.making.PAGE", 9)
    return Client(HTTP_HOST="localhost")


def furnish(suite: str) -> Any:
    """Fill a board with one suite and every cell content: further metrics, notes, teams, omitted items, unranked scores."""
    from gluepot.board.models import Entry, Score, SuiteVersion, System

    fill(23, suite)
    System.objects.filter(slug="system-4").update(team='Institute "of" <Words>')
    Score.objects.filter(entry__system__slug="system-9").update(reason="as printed, & off by one")
    Entry.objects.filter(system__slug="system-8").update(details={"scored_in_private": 17, "ran_here": True})
    Score.objects.filter(entry__system__slug="system-11", task="swenli").update(ranked=False, reason="trained on test of this task")
    if suite == SKIPPING:
        Score.objects.update(coverage=1.0)
        Score.objects.filter(entry__system__slug="system-5").update(coverage=0.9, answered=0.7, n=450)
        Score.objects.filter(entry__system__slug="system-7").update(coverage=0.1, n=50, ranked=False, reason="50 of 500 items answered")
    return SuiteVersion.objects.get()


def record_of(suite: str, query: str, *, whole: bool = False) -> Any:
    from gluepot.board.models import SuiteVersion
    from gluepot.board.standings.making import make_standings
    from gluepot.board.standings.state import parse_state

    version = SuiteVersion.objects.first() or furnish(suite)
    return make_standings(version, parse_state(query), whole=whole)


def plain(record: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(record))


def address(suite: str) -> str:
    return f"{suite}/{load_suite(suite).version}"


def ask(client: Client, path: str, query: str = "") -> str:
    response = client.get(f"{path}?{query}" if query else path, follow=True)
    assert response.status_code == 200, path
    return response.content.decode()


@pytest.mark.parametrize("suite", QUERIES)
def test_json_and_api_equal_the_record(client: Client, suite: str) -> None:
    for query in QUERIES[suite]:
        page = record_of(suite, query)
        assert page.rows
        for path in (f"/b/{address(suite)}.json", f"/api/suites/{address(suite)}/standings"):
            assert msgspec.json.decode(ask(client, path, query)) == plain(page), query


def test_api_schema_has_exactly_the_fields_of_the_record(client: Client) -> None:
    from gluepot.board.standings import record

    described = client.get("/api/openapi.json").json()
    shapes = described["components"]["schemas"]
    answer = described["paths"]["/api/suites/{suite}/{version}/standings"]["get"]["responses"]["200"]
    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/StandingsPage")
    for made in (record.StandingsPage, record.StandingsTask, record.StandingsRow, record.ScoreCell):
        shape = shapes[made.__name__]
        assert list(shape["properties"]) == [field.name for field in fields(made)]
        assert (sorted(shape["required"]), shape["additionalProperties"]) == (sorted(shape["properties"]), False)
    assert shapes["StandingsPage"]["properties"]["with_intervals"]["description"]
    parameters = described["paths"]["/api/suites/{suite}/{version}/standings"]["get"]["parameters"]
    from gluepot.board.standings.state import NAMES

    assert {one["name"] for one in parameters if one["in"] == "query"} == set(NAMES) - {"w-"}


@pytest.mark.parametrize("suite", QUERIES)
def test_a_csv_file_has_every_field_of_every_row(client: Client, suite: str) -> None:
    for query in QUERIES[suite]:
        page = plain(record_of(suite, query))
        assert read_csv(ask(client, f"/b/{address(suite)}.csv", query), page["tasks"]) == page["rows"], query


@pytest.mark.parametrize("suite", QUERIES)
def test_snapshot_equals_the_record_of_all_pages_in_every_format(client: Client, suite: str) -> None:
    from gluepot.board.standings.snapshots import PASSING, take_snapshot

    version = furnish(suite)
    for query in QUERIES[suite]:
        query = query.replace("&tasks=nothing&colour=red&page=2", "")
        page = plain(record_of(suite, query, whole=True))
        page["query"] = "&".join(part for part in page["query"].split("&") if part != "ci=95")
        lasting = {name: value for name, value in page.items() if name not in PASSING}
        key = take_snapshot(version, query).key
        assert msgspec.json.decode(ask(client, f"/snap/{key}.json")) == lasting
        assert msgspec.json.decode(ask(client, f"/api/snapshots/{key}"))["document"] == lasting
        assert read_csv(ask(client, f"/snap/{key}.csv"), page["tasks"]) == page["rows"]
        tree = LexborHTMLParser(ask(client, f"/snap/{key}"))
        assert read_rows(tree, page["tasks"]) == [shown_row(row, page, intervals=True) for row in page["rows"]]


@pytest.mark.parametrize("suite", QUERIES)
def test_the_html_shows_every_field(client: Client, suite: str) -> None:
    for query in QUERIES[suite]:
        page = plain(record_of(suite, query))
        tree = LexborHTMLParser(ask(client, f"/b/{address(suite)}", query))
        assert read_rows(tree, page["tasks"]) == [shown_row(row, page, intervals="ci=95" in query) for row in page["rows"]], query
        assert read_page(tree) == shown_page(page), query


def read_csv(text: str, tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Parse the rows of a CSV file into the form of the record."""
    lines = [line for line in text.splitlines(True) if not line.startswith("#")]
    return [read_csv_row(line, tasks) for line in csv.DictReader(StringIO("".join(lines)))]


def read_csv_row(line: dict[str, str], tasks: list[dict[str, Any]]) -> dict[str, Any]:
    scores = {task["name"]: read_csv_cell(line, task) for task in tasks}
    left_out = {name: cell["coverage"] for name, cell in scores.items() if cell and cell["coverage"] is not None and cell["coverage"] < 1}
    opened = dict(word.split("=") for word in line["open"].split())
    numbers: dict[str, Any] = {
        name: number(line[name], int) for name in ("rank", "rank_low", "rank_high", "parameters", "private_scorings")
    }
    numbers |= {name: number(line[name]) for name in ("data_gigabytes", "overall", "overall_low", "overall_high")}
    return {
        **{name: line[name] for name in ("section", "slug", "role", "coverage", "team", "evidence")},
        "tied": line["tied"].split(),
        "versions": line["versions"].split("; ") if line["versions"] else [],
        **numbers,
        "system": line["system"].removeprefix("'"),
        "family": line["family"] or None,
        "verified": line["verified"] == "1",
        "ran_here": line["ran_here"] == "1",
        "languages": line["languages"].split(),
        "open": {what: opened[what] == "1" if what in opened else None for what in ("weights", "code", "data")},
        "left_out": left_out,
        "scores": scores,
    }


def read_csv_cell(line: dict[str, str], task: dict[str, Any]) -> dict[str, Any] | None:
    first, *others = task["metrics"]

    def read(what: str, kind: Callable[[str], Any] = float) -> Any:
        return number(line.get(f"{task['name']}:{what}", ""), kind)

    if read(first) is None:
        return None
    return {
        "value": read(first),
        "low": read(f"{first}:low"),
        "high": read(f"{first}:high"),
        "verified": read("verified") == 1,
        "others": [[metric, read(metric)] for metric in others if read(metric) is not None],
        "note": line[f"{task['name']}:note"],
        "n": read("n", int),
        "coverage": read("coverage"),
        "answered": read("answered"),
        "ranked": read("ranked") != 0,
        "method": line[f"{task['name']}:method"],
        "harness": line[f"{task['name']}:harness"],
        "people": {name: float(value) for name, value in (word.split("=") for word in line[f"{task['name']}:people"].split())},
        "same_items": read("same_items"),
    }


def number(text: str, kind: Callable[[str], Any] = float) -> Any:
    return kind(text) if text else None


def points(value: float) -> str:
    text = f"{100 * value:.1f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def span(low: float | None, high: float | None, wanted: bool) -> list[str]:
    if not wanted or low is None or high is None:
        return []
    return [f"{points(low)}{'–' if low >= 0 else ' … '}{points(high)}"]


def shown_row(row: dict[str, Any], page: dict[str, Any], *, intervals: bool) -> dict[str, Any]:
    """Return the expected visible content of a row; cells show the share of omitted items, the task's page shows `answered`."""
    if row["overall"] is None:
        overall: list[Any] = [f"{row['coverage'].partition('/')[0]} of {row['coverage'].partition('/')[2]} tasks"]
    else:
        text = points(row["overall"]) if page["aggregate"] in ("mean", "min") else f"{abs(row['overall']):.2f}"
        overall = [f"{text}{'' if row['verified'] else 'ʳ'}", *span(row["overall_low"], row["overall_high"], intervals)]
    interval = [f"({row['rank_low']}–{row['rank_high']})"] if row["rank_low"] != row["rank_high"] else []
    return {
        "section": row["section"],
        "rank": [str(row["rank"] or "–"), *interval],
        "system": row["system"],
        "slug": row["slug"],
        "role": row["role"],
        "family": row["family"] or "",
        "parameters": None if row["parameters"] is None else int(float(f"{row['parameters']:.10g}")),
        "data_gigabytes": row["data_gigabytes"],
        "overall": overall,
        "coverage": row["coverage"].partition("/")[0],
        "evidence": row["evidence"] != "none",
        "tied": row["tied"],
        "versions": [version.rpartition(" ")[2] for version in row["versions"]] if len(page["versions"]) > 1 else [],
        "scores": {name: shown_cell(cell, intervals) for name, cell in row["scores"].items()},
        "languages": row["languages"],
        "team": row["team"],
        "ran_here": row["ran_here"],
        "private_scorings": f"scored {row['private_scorings']} times in private" if row["private_scorings"] else "",
        "open": sorted(what for what, is_open in row["open"].items() if is_open),
    }


def shown_cell(cell: dict[str, Any] | None, intervals: bool) -> dict[str, Any]:
    if cell is None:
        return {"texts": ["·"], "note": "", "ranked": True}
    others = [" / ".join(points(value) for _metric, value in cell["others"])] if cell["others"] else []
    counted = [f"{points(cell['same_items'])}ʰ"] if cell["same_items"] is not None else []
    counted += [f"n {cell['n']} · {100 * cell['coverage']:.1f} %"] if cell["coverage"] is not None else []
    texts = [f"{points(cell['value'])}{'' if cell['verified'] else 'ʳ'}", *others, *span(cell["low"], cell["high"], intervals), *counted]
    return {"texts": texts + ([] if cell["ranked"] else ["not ranked"]), "note": cell["note"], "ranked": cell["ranked"]}


def read_rows(tree: LexborHTMLParser, tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [read_row(body, row, tasks) for body in tree.css("tbody[data-section]") for row in body.css("tr:not(.section)")]


def read_row(body: LexborNode, row: LexborNode, tasks: list[dict[str, Any]]) -> dict[str, Any]:
    _tick, rank, overall, *cells = row.css("td")
    versions, cells = (cells[:1], cells[1:]) if len(cells) > len(tasks) else ([], cells)
    link = row.css_first("th a")
    given = {name: value or "" for name, value in row.attributes.items()}
    badge = row.css_first("th .badge:not(.ran)")
    return {
        "section": body.attributes["data-section"],
        "rank": texts(rank),
        "system": link.text(),
        "slug": (link.attributes["href"] or "").removeprefix("/s/"),
        "role": {"human": "human", "baseline": "trivial"}[badge.text()] if badge else "system",
        "family": given.get("data-f", ""),
        "parameters": number(given.get("data-p", ""), lambda text: int(float(text))),
        "data_gigabytes": number(given.get("data-g", "")),
        "overall": texts(overall),
        "coverage": given["data-c"],
        "evidence": bool(rank.css("rect.track")) or (len(texts(rank)) == 1 and texts(rank) != ["–"]),
        "tied": [task["name"] for task, cell in zip(tasks, cells, strict=True) if cell.attributes.get("class") == "tie"],
        "versions": [word for cell in versions for word in cell.text().split(", ") if word != "–"],
        "scores": {task["name"]: read_cell(cell) for task, cell in zip(tasks, cells, strict=True)},
        "languages": given["data-l"].split(","),
        "team": given.get("data-q", ""),
        "ran_here": row.css_first("th .badge.ran") is not None,
        "private_scorings": next((fact for fact in row.css_first("th small").text().split(" · ") if fact.endswith("in private")), ""),
        "open": sorted(given["data-o"].split(",")) if given["data-o"] else [],
    }


def read_cell(cell: LexborNode) -> dict[str, Any]:
    return {"texts": texts(cell), "note": cell.attributes.get("title") or "", "ranked": cell.attributes.get("class") != "aside"}


def texts(cell: LexborNode) -> list[str]:
    return [part.strip() for part in cell.text(separator="\0").split("\0") if part.strip()]


def shown_page(page: dict[str, Any]) -> dict[str, Any]:
    """Return the expected visible content around the table; its size is on the task's page."""
    intervals = f"{page['tied_with_best']} of {page['with_intervals']} systems with an interval may be the best"
    columns = [
        {name: task[name] for name in ("name", "short", "metrics", "counts", "declared")} | {"term": (task["terms"] or [None])[0]}
        for task in page["tasks"]
    ]
    return {
        "title": f"{page['title']} {page['version']}",
        "split": page["split"],
        "splits": page["splits"],
        "aggregate": page["aggregate"],
        "tasks": columns,
        "shown": f"{page['shown']} of {page['systems']} systems shown",
        "tied": f"· {intervals}" if page["with_intervals"] > 1 else "",
        "competing": f"rank among {page['competing']} systems",
        "pages": page["pages"],
        "unknown_parameters": page["unknown_parameters"],
        "missing": page["missing"],
        "skips": any(task["skips"] for task in page["tasks"]),
        "citation": page["citation"],
        "changed": page["changed"][:19],
        "queries": page["query"],
        "cites": [True, True, True],
    }


def read_page(tree: LexborHTMLParser) -> dict[str, Any]:
    def text(where: str) -> str:
        found = tree.css_first(where)
        return " ".join(found.text().split()) if found else ""

    missing = next((node.text() for node in tree.css("p.note") if node.text().startswith("Nobody")), ": .")
    names = missing.partition(":")[2].strip(" .")
    file = next(node.attributes["href"] or "" for node in tree.css("p.files a") if node.text() == "JSON")
    citation = text(".cite q")
    return {
        "title": " ".join(text("h1").split(" · ")[0].split()),
        "split": text(".splits a[aria-current]"),
        "splits": [node.text() for node in tree.css(".splits a")],
        "aggregate": tree.css_first("#agg option[selected]").attributes["value"],
        "tasks": [read_head(node) for node in tree.css("#board thead th[data-metrics]")],
        "shown": text("#count"),
        "tied": text("#tied"),
        "competing": text("caption").partition(": ")[2].partition(" with its")[0],
        "pages": int(tree.css_first("#board").attributes["data-pages"] or 0),
        "unknown_parameters": [node.text() for node in tree.css(".warning code")],
        "missing": names.split(", ") if names else [],
        "skips": "how many items were answered" in text("ul.legend"),
        "citation": citation,
        "changed": (tree.css_first("#status time").attributes["datetime"] or "")[:19],
        "queries": file.partition("?")[2],
        "cites": [said in citation for said in ("revision 1", "scored by gluepot", " ".join(text("h1").split(" · ")[0].split()))],
    }


def read_head(node: LexborNode) -> dict[str, Any]:
    term = node.attributes.get("data-term")
    return {
        "name": node.attributes.get("data-key"),
        "short": node.css_first("a.sort").text(deep=False),
        "metrics": (node.attributes.get("data-metrics") or "").split(" / "),
        "counts": "outside" not in (node.attributes.get("class") or ""),
        "declared": "data-printed" not in node.attributes,
        "term": None if term is None else int(term),
    }


def test_every_field_of_the_record_is_compared_in_every_output() -> None:
    from gluepot.board.standings import record

    row = {field.name for field in fields(record.StandingsRow)}
    cell = {field.name for field in fields(record.ScoreCell)}
    empty = {"system": "", "slug": "", "role": "", "section": "", "coverage": "", "team": "", "family": "", "verified": "", "languages": ""}
    numbers = dict.fromkeys(["open", "rank", "rank_low", "rank_high", "parameters", "data_gigabytes", "private_scorings"], "")
    line = empty | numbers | dict.fromkeys(["overall", "overall_low", "overall_high"], "") | {"t:m": "0.5", "t:note": ""}
    line |= dict.fromkeys(["evidence", "tied", "versions", "ran_here", "t:method", "t:harness", "t:people", "t:same_items"], "")
    read = read_csv_row(line, [{"name": "t", "metrics": ["m"]}])
    assert set(read) == row
    assert set(read["scores"]["t"]) == cell
    shown = shown_row(read | {"rank": 1}, {"aggregate": "mean", "versions": {}}, intervals=True)
    assert row - set(shown) == {"rank_low", "rank_high", "overall_low", "overall_high", "verified", "left_out"}, (
        "beside rank, number and cells"
    )
    page = dict.fromkeys((field.name for field in fields(record.StandingsPage)), "") | {"tasks": [], "with_intervals": 2}
    seen = {"shown": {"systems"}, "tied": {"with_intervals", "tied_with_best"}, "title": {"version"}, "queries": {"query"}}
    seen |= {"citation": {"revision", "scorer", "suite_citation"}, "address": {"suite", "terms"}, "table": {"rows"}}
    seen |= {"choices": {"only", "versions", "unsized"}, "bold cells": {"best"}}
    assert set(page) - set(shown_page(page)) == {name for names in seen.values() for name in names}
