"""The quality page compared with a recomputation that shares no code with it."""

import csv
import re
from functools import cache
from html import unescape
from io import StringIO
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.board.filling import fill

from gluepot.board.standings.state import State
from gluepot.tasks.declarations import load_suite

SUITE = load_suite("superlim")
OFFICIAL = [term[0] for term in SUITE.overall.terms]
ADDRESS = f"/b/superlim/{SUITE.version}"


@pytest.fixture
def client(board: Path) -> Client:
    fill(26)
    table.cache_clear()
    return Client(HTTP_HOST="localhost")


@cache
def table() -> dict[str, dict[str, Any]]:
    """Return all scores and replicates in the database, by system."""
    from gluepot.board.models import Score, System

    systems: dict[str, dict[str, Any]] = {s.slug: {"facts": s, "values": {}, "draws": {}} for s in System.objects.all()}
    for score in Score.objects.select_related("entry__system"):
        if score.metric == SUITE.tasks[score.task].metrics[0]:
            mine = systems[score.entry.system.slug]
            mine["values"][score.split, score.task] = score.value
            if score.replicates is not None:
                mine["draws"][score.split, score.task] = np.frombuffer(score.replicates, np.float32).astype(float)
    return systems


def expected(state: State) -> list[tuple[str, str, int | None, int | None, int | None]]:
    """Return section, slug, rank and rank interval of each row in order, computed by loops."""
    split, chosen = state.split or "test", list(state.tasks) or OFFICIAL
    weights = {task: dict(state.weights).get(task, 1.0) for task in chosen}
    if not any(weights.values()):
        weights = dict.fromkeys(chosen, 1.0)
    used = [task for task in chosen if weights[task]]
    systems = table()
    means: dict[str, float] = {}
    draws: dict[str, np.ndarray] = {}
    for slug, one in systems.items():
        values = [one["values"].get((split, task)) for task in used]
        if None not in values:
            if state.aggregate == "min":
                means[slug] = round(min(values), 12)
            else:
                whole = sum(weights[t] for t in used)
                means[slug] = round(sum(weights[t] * v for t, v in zip(used, values, strict=True)) / whole, 12)
            if all((split, task) in one["draws"] for task in used):
                parts = [one["draws"][split, task] for task in used]
                if state.aggregate == "min":
                    draws[slug] = np.minimum.reduce(parts)
                else:
                    draws[slug] = sum(weights[t] * p for t, p in zip(used, parts, strict=True)) / sum(weights[t] for t in used)
    eligible = {slug for slug, one in systems.items() if fits(one["facts"], state)}
    competing = [slug for slug in means if slug in eligible and systems[slug]["facts"].role == "system"]
    rows = []
    for slug, one in systems.items():
        facts = one["facts"]
        text = f"{facts.name} {facts.family} {facts.team}".casefold()
        found = all(word in text for word in state.search.casefold().split())
        if slug not in state.pinned and not (found and (slug in eligible or facts.role != "system")):
            continue
        section = 0 if slug in state.pinned or facts.role != "system" else 1 if slug in means else 2
        if section == 2 and state.hide_incomplete:
            continue
        rows.append((section, *sort_key(one, slug, state, means, used, split), slug))
    rows.sort(key=lambda row: row[:-1])
    names = ["reference", "ranked", "incomplete"]
    rows.sort(key=lambda row: row[0] if state.pinned else [1, 0, 2][row[0]])  # pinned systems come first
    return [(names[row[0]], row[-1], *rank(row[-1], competing, means, draws)) for row in rows]


def fits(facts: Any, state: State) -> bool:
    if state.families and facts.family not in state.families:
        return False
    if state.smallest is not None and (facts.parameters is None or facts.parameters < state.smallest):
        return False
    if state.largest is not None and (facts.parameters is None or facts.parameters > state.largest):
        return False
    if state.languages and not set(facts.languages) & set(state.languages):
        return False
    return all(getattr(facts, f"open_{what}") for what in state.open)


def sort_key(one: dict[str, Any], slug: str, state: State, means: dict[str, float], used: list[str], split: str) -> tuple[Any, ...]:
    facts, values = one["facts"], one["values"]
    key = {
        "name": facts.name.casefold(),
        "family": facts.family.casefold() or None,
        "parameters": facts.parameters,
        "data": facts.data_size,
        "overall": means.get(slug),
        "coverage": sum((split, task) in values for task in used),
    }.get(state.sort, values.get((split, state.sort)))
    if key is None:
        return (1, 0, facts.name.casefold())
    if isinstance(key, str):
        key = tuple(-ord(c) if state.descending else ord(c) for c in key) + ((1,) if state.descending else (-1,)) * 1
    elif state.descending:
        key = -key
    return (0, key, facts.name.casefold())


def rank(
    slug: str, competing: list[str], means: dict[str, float], draws: dict[str, np.ndarray]
) -> tuple[int | None, int | None, int | None]:
    if slug not in competing:
        return None, None, None
    place = 1 + sum(means[other] > means[slug] for other in competing)
    if slug not in draws:
        return place, 1, len(competing)
    others = [other for other in competing if other in draws and other != slug]
    stray = []
    for other in others:
        noise = draws[other] - draws[slug] - (means[other] - means[slug])
        stray.append(np.abs(noise) / np.std(noise))
    critical = np.quantile(np.max(stray, axis=0), 0.95) if others else 0.0
    spread = {other: np.std(draws[other] - draws[slug]) for other in others}
    better = sum(means[other] - means[slug] > critical * spread[other] for other in others)
    worse = sum(means[slug] - means[other] > critical * spread[other] for other in others)
    return place, 1 + better, len(competing) - worse


tasks = st.lists(st.sampled_from(list(SUITE.tasks)), unique=True, max_size=4).map(lambda names: tuple(sorted(names)))
states = st.builds(
    State,
    split=st.sampled_from(["", "dev", "test"]),
    tasks=tasks,
    weights=st.dictionaries(st.sampled_from(OFFICIAL), st.sampled_from([0.0, 0.5, 2.0, 7.0]), max_size=3).map(
        lambda w: tuple(sorted(w.items()))
    ),
    families=st.lists(st.sampled_from(["Encoder", "Decoder", "Classical"]), unique=True, max_size=2).map(lambda f: tuple(sorted(f))),
    smallest=st.sampled_from([None, None, 10**8]),
    largest=st.sampled_from([None, None, 10**9, 5 * 10**9]),
    languages=st.sampled_from([(), (), ("da",)]),
    open=st.sampled_from([(), (), ("weights",), ("code", "weights")]),
    search=st.sampled_from(["", "", "", "base", "org1", "zzz"]),
    sort=st.sampled_from(["overall", "name", "family", "parameters", "data", "coverage", "swefaq", "swenli"]),
    descending=st.booleans(),
    aggregate=st.sampled_from(["mean", "min"]),
    hide_incomplete=st.booleans(),
    pinned=st.sampled_from([(), (), ("system-3",)]),
    intervals=st.booleans(),
)


def shown(client: Client, state: State) -> list[tuple[str, str, int | None, int | None, int | None]]:
    rows = client.get(f"{ADDRESS}.json?{state.query()}").json()["rows"]
    return [(row["section"], row["slug"], row["rank"], row["rank_low"], row["rank_high"]) for row in rows]


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(state=states)
def test_rank_interval_and_order_equal_a_recomputation(client: Client, state: State) -> None:
    assert shown(client, state) == expected(state)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(state=states)
def test_html_json_and_csv_show_the_same_rows(client: Client, state: State) -> None:
    query = state.query()
    document = client.get(f"{ADDRESS}.json?{query}").json()
    html = client.get(f"{ADDRESS}?{query}")
    assert html.status_code == 200, html.headers
    names = [unescape(name) for name in re.findall(r'<th scope="row"><a href="/s/[^"]*">(.*?)</a>', html.content.decode())]
    names = [re.sub("</?span.*?>", "", name) for name in names]
    assert names == [row["system"] for row in document["rows"]]
    lines = [line for line in client.get(f"{ADDRESS}.csv?{query}").content.decode().splitlines() if not line.startswith("# ")]
    rows = list(csv.DictReader(StringIO("\r\n".join(lines))))
    assert [row["system"].removeprefix("'") for row in rows] == names
    for row, same in zip(rows, document["rows"], strict=True):
        assert row["overall"] == ("" if same["overall"] is None else repr(same["overall"]))
        assert row["rank"] == ("" if same["rank"] is None else str(same["rank"]))
    markdown = client.get(f"{ADDRESS}.md?{query}").content.decode()
    assert sum(line.startswith("| ") for line in markdown.splitlines()) == len(names) + 2
    latex = client.get(f"{ADDRESS}.tex?{query}").content.decode()
    assert latex.count(r" \\") == len(names) + 1


def test_spreadsheet_formulas_are_neutralised_and_markup_is_escaped(client: Client) -> None:
    table = client.get(f"{ADDRESS}.csv").content.decode()
    assert "'=cmd|" in table
    assert "\n=cmd" not in table
    assert ",=cmd" not in table
    page = client.get(ADDRESS).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_people_and_trivial_baselines_are_never_ranked(client: Client) -> None:
    rows = client.get(f"{ADDRESS}.json").json()["rows"]
    assert {row["role"] for row in rows if row["rank"]} == {"system"}
    assert {row["role"] for row in rows if row["section"] == "reference"} == {"human", "trivial"}


def test_unknown_values_come_last_both_ways(client: Client) -> None:
    for sort in ("parameters", "-parameters"):
        rows = [row for row in client.get(f"{ADDRESS}.json?sort={sort}").json()["rows"] if row["section"] == "ranked"]
        known = [row["parameters"] is not None for row in rows]
        assert known == sorted(known, reverse=True)
        assert not all(known)


def test_noncanonical_address_is_redirected_to_its_canonical_form(client: Client) -> None:
    answer = client.get(f"{ADDRESS}?sort=-overall&tasks=swenli&tasks=swefaq")
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"{ADDRESS}?tasks=swefaq,swenli"


def test_unknown_parameters_are_reported(client: Client) -> None:
    page = client.get(f"{ADDRESS}?tasks=swenlii&colour=red").content.decode()
    assert "tasks=swenlii" in page
    assert "colour=red" in page


def test_unknown_pin_changes_nothing(client: Client) -> None:
    pages = [client.get(f"{ADDRESS}{query}").content.decode() for query in ("", "?pin=nosuch", "?pin=system-3")]
    sections = [re.findall(r'<tbody data-section="(\w+)"', page) for page in pages]
    assert sections == [["ranked", "reference", "incomplete"], ["ranked", "reference", "incomplete"], ["reference", "ranked", "incomplete"]]


def test_english_dates_have_month_names(client: Client) -> None:
    assert re.search(r"<time [^>]*>\d+ [A-Z][a-z]+ 20\d\d, \d\d:\d\d UTC</time>", client.get(ADDRESS).content.decode())


def test_numbers_follow_the_language(client: Client) -> None:
    swedish = client.get(f"/sv{ADDRESS}").content.decode()
    assert re.search(r"<b>\d\d,\d</b>", swedish)
    assert not re.search(r"<b>\d\d\.\d</b>", swedish)
    assert 'href="/sv/s/system-3"' in swedish


def test_unchanged_page_returns_304(client: Client) -> None:
    first = client.get(ADDRESS)
    again = client.get(ADDRESS, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_no_value_is_nan(client: Client) -> None:
    rows = client.get(f"{ADDRESS}.json").json()["rows"]
    cells = [cell for row in rows for cell in row["scores"].values()]
    assert None in cells
    assert not any(isnan(cell["value"]) for cell in cells if cell)
