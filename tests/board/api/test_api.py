"""The read API: listings, filters, pagination, errors, query counts and the fields that it never exposes."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from tests.board.filling import fill

from gluepot.tasks.declarations import load_suite

SUITE = load_suite("superlim")
HERE = f"/api/suites/superlim/{SUITE.version}"


@pytest.fixture
def client(board: Path) -> Client:
    fill(12)
    return Client(HTTP_HOST="localhost")


def test_suite_lists_tasks_with_sizes_metrics_and_licences(client: Client) -> None:
    assert [(line["name"], line["systems"], line["splits"]) for line in client.get("/api/suites").json()] == [
        ("superlim", 12, ["dev", "test"])
    ]
    tasks = {task["name"]: task for task in client.get(HERE).json()["tasks"]}
    assert list(tasks) == SUITE.order
    assert tasks["swenli"]["sizes"] == SUITE.tasks["swenli"].data.rows
    assert tasks["swenli"]["metrics"] == SUITE.tasks["swenli"].metrics
    assert tasks["swenli"]["license"] == SUITE.tasks["swenli"].license


@pytest.mark.parametrize("query", ["", "split=dev", "tasks=swefaq,swenli&w=swenli:2&sort=-swenli", "fam=Encoder&pmax=1B&q=org", "odd=1"])
def test_standings_equal_those_of_the_quality_page(client: Client, query: str) -> None:
    by_api = client.get(f"{HERE}/standings?{query}").json()
    assert by_api == client.get(f"/b/superlim/{SUITE.version}.json?{query}").json()
    assert by_api["rows"] or "q=" in query


def test_system_search_matches_every_word(client: Client) -> None:
    found = client.get("/api/systems?search=base ORG3").json()
    assert [system["name"] for system in found["items"]] == ["Org3/model-3-base"]
    assert client.get("/api/systems?role=human").json()["count"] == 1


def test_system_includes_entries_and_a_link_to_its_scores(client: Client) -> None:
    system = client.get("/api/systems/system-3").json()
    assert system["name"] == "Org3/model-3-base"
    assert [entry["source"] for entry in system["entries"]] == ["made up"]
    scores = client.get(system["scores"]).json()
    assert scores["count"] == 2 * sum(len(task.metrics[:2]) for task in SUITE.tasks.values())
    assert {score["system"] for score in scores["items"]} == {"system-3"}


def test_pagination_visits_every_score_once(client: Client) -> None:
    seen, address = [], "/api/scores?suite=superlim&task=swenli&limit=7"
    while address:
        page = client.get(address).json()
        seen += [(score["system"], score["split"], score["metric"]) for score in page["items"]]
        address = page["next"]
    assert len(seen) == len(set(seen)) == page["count"] == 48


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("task=swefaq&split=test&metric=alpha-nominal", 11),
        ("task=swenli&split=test&verified=false&metric=accuracy", 2),
        ("task=swenli&split=test&slice=", 24),
        ("current=false", 0),
        ("suite=superlim&version=0", 0),
    ],
)
def test_scores_are_filtered(client: Client, query: str, count: int) -> None:
    assert client.get(f"/api/scores?{query}").json()["count"] == count


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/api/suites/superlim/0", 404, "There is no suite “superlim 0” on this board. Known: superlim"),
        ("/api/systems/nobody", 404, "There is no system “nobody”"),
        ("/api/snapshots/never", 404, "There is no snapshot “never”"),
        ("/api/nothing", 404, "There is nothing at this address."),
        ("/api/scores?limit=501", 422, "limit: input should be less than or equal to 500."),
        ("/api/scores?offset=-1", 422, "offset: input should be greater than or equal to 0."),
        ("/api/scores?offset=99999999999999999999999", 422, "offset:"),
        ("/api/scores?verified=perhaps", 422, "verified:"),
        ("/api/systems?search=%00", 422, "search:"),
        ("/api/systems/%00", 422, "slug:"),
    ],
)
def test_errors_are_json_with_a_readable_detail(client: Client, address: str, status: int, words: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (status, "application/json")
    assert answer.json()["detail"].startswith(words)


@pytest.mark.parametrize("address", ["/api/suites", HERE, "/api/systems?limit=500", "/api/systems/system-3", "/api/scores?limit=500"])
def test_the_number_of_queries_does_not_grow_with_the_answer(board: Path, address: str) -> None:
    from django.db import connection

    from gluepot.board.models import Revision, SuiteVersion, System
    from gluepot.board.standings.ranking import forget

    counts = []
    for systems in (4, 12):
        SuiteVersion.objects.all().delete()
        System.objects.all().delete()
        Revision.objects.all().delete()
        fill(systems)
        forget()
        with CaptureQueriesContext(connection) as queries:
            assert Client(HTTP_HOST="localhost").get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 5


def test_snapshots_are_listed_and_read(client: Client) -> None:
    from gluepot.board.models import Snapshot, SuiteVersion

    version = SuiteVersion.objects.get()
    Snapshot.objects.create(key="2026-11-16-abc", suite=version, query="split=dev", document={"rows": []})
    listed = client.get("/api/snapshots?suite=superlim").json()["items"]
    assert [(one["key"], one["suite"], one["query"]) for one in listed] == [("2026-11-16-abc", "superlim", "split=dev")]
    assert client.get("/api/snapshots/2026-11-16-abc").json()["document"] == {"rows": []}


def test_schema_has_no_field_that_reveals_hidden_answers(client: Client) -> None:
    described = client.get("/api/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    fields = {name for schema in described["components"]["schemas"].values() for name in schema["properties"]}
    assert not fields & {"replicates", "merits", "details", "file"}
    assert "replicates" not in json.dumps(client.get("/api/scores").json())


def test_head_is_get_without_the_body(client: Client) -> None:
    for address in ("/api/suites", "/", "/nowhere"):
        whole, head = client.get(address), client.head(address)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        assert head.headers["Content-Length"] == str(len(whole.content))


def test_writing_is_not_allowed(client: Client) -> None:
    assert client.post("/api/suites").status_code == 405


def test_every_endpoint_is_on_the_page_about_the_api(client: Client) -> None:
    for prefix in ("", "/sv"):
        page = client.get(f"{prefix}/api/docs").content.decode()
        for path in client.get("/api/openapi.json").json()["paths"]:
            assert f"GET {path}" in page
    assert "<script" not in page


def test_documented_curl_examples_work(client: Client) -> None:
    page = unescape(client.get("/api/docs").content.decode())
    examples = re.findall(r'curl "\$BOARD([^"]+)"', page)
    assert len(examples) == 8
    assert [client.get(address).status_code for address in examples] == [200] * 7 + [404]  # no snapshot was made
