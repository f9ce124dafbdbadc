"""Fuzzing of URLs: NUL, surrogates, huge numbers and very long words cause no server error."""

from pathlib import Path
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.board.filling import fill

from gluepot.tasks.declarations import load_suite

SUITE = load_suite("superlim")
BOARD = f"/b/superlim/{SUITE.version}"
PAGES = [
    "/",
    BOARD,
    *(f"{BOARD}.{form}" for form in ("bib", "csv", "json", "md", "tex")),
    *(f"{BOARD}/{page}" for page in ("performance", "frontier", "diagnostics", "compare", "tasks", "tasks/swenli", "tasks/swediagnostics")),
    "/b/superlim/changes",
    "/b/superlim/changes.json",
    "/s/system-3",
    "/s/system-3.json",
    "/s/system-3/answers/1.jsonl.gz",
    "/snap/2026-11-16-abc",
    "/errata",
    "/search",
    "/api/docs",
    "/api/scores",
    "/api/systems",
    f"/api{BOARD.replace('/b/', '/suites/')}/standings",
]
NAMES = "split tasks w w-swenli fam pmin pmax lang open q sort agg miss pin ci page part a b s task with profile swap only label said tag"
NAMES += " min max slice metric system current verified limit offset"
ODD = [
    *("\0", "%00", "\ud800", "\udcff", "\ufffe", "\u202e", "é", "日本", "'", '"', "<script>", "../..", "..", "//", ";", "%", "&", "=", "#"),
    *("-1", "0", "1e999", "nan", "inf", "-inf", "9" * 30, "9" * 5000, "0x10", "1" * 19, "½", "٣", "−1", ",", ":", ",,,", "::"),
    *("swenli", "swefaq:2", "swenli:nan", "swenli:1e400", "system-3", "system-4", "system-99", "-overall", "test", "dev", "None", "true"),
    *("x" * 3000, "swenli," * 500, "日" * 1000, "test", "[]", "{}", "${7*7}", "{{7*7}}", "\r\nX-Evil: 1", "\t", " "),
]
words = st.one_of(st.sampled_from(ODD), st.text(max_size=20), st.binary(max_size=8).map(lambda raw: raw.decode("latin-1")))
queries = st.lists(st.tuples(st.sampled_from(NAMES.split()) | words, words), max_size=6)
paths = st.one_of(
    st.sampled_from(PAGES),
    st.tuples(st.sampled_from(PAGES), words).map(lambda parts: f"{parts[0]}/{parts[1]}"),
    st.lists(st.sampled_from(["b", "s", "snap", "superlim", SUITE.version, "compare", "tasks", "api", "answers", "static"]) | words).map(
        lambda parts: "/" + "/".join(parts)
    ),
)


def escaped(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="/")


@pytest.fixture
def client(board: Path) -> Client:
    from gluepot.board.models import Snapshot, SuiteVersion
    from gluepot.board.standings.snapshots import take_snapshot

    fill(6)
    take_snapshot(SuiteVersion.objects.get())
    Snapshot.objects.update(key="2026-11-16-abc")
    return Client(HTTP_HOST="localhost")


@pytest.mark.slow
@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(language=st.sampled_from(["", "", "/sv", "/ru", "/xx"]), path=paths, query=queries)
@example(language="", path=BOARD, query=[("w", ",".join(f"{task}:0" for task in SUITE.tasks))])
@example(language="", path=BOARD, query=[("q", "x" * 100_000)])
@example(language="", path=BOARD, query=[("q", "x")] * 5000)
@example(language="", path="/" + "a" * 50_000, query=[])
def test_no_url_causes_a_server_error(client: Client, language: str, path: str, query: list[tuple[str, str]]) -> None:
    asked = "&".join(f"{escaped(name)}={escaped(value)}" for name, value in query)
    answer = client.get(f"{language}{escaped(path)}", QUERY_STRING=asked)
    assert answer.status_code < 500
    assert "Content-Security-Policy" in answer.headers
    answer.close()


def test_invalid_utf8_causes_no_server_error(client: Client) -> None:
    for raw in ("%ff%fe", "%c3%28", "%ed%a0%80", "%f8%a1%a1%a1%a1", "%00", "%", "%zz", "%u1234"):
        for page in PAGES:
            assert client.get(f"{page}", QUERY_STRING=f"q={raw}&a={raw}&b={raw}&{raw}").status_code < 500
            assert client.get(f"{page}/{raw}").status_code < 500


@pytest.mark.parametrize("place", ["/status", "/submit", "/submit/pocket", "/api/docs", "/sv/account/privacy", "/errata"])
def test_trailing_slash_redirects_to_the_page(board: Path, place: str) -> None:
    answer = Client(HTTP_HOST="localhost").get(f"{place}/?q=1")
    assert (answer.status_code, answer.headers.get("Location")) in {(200, None), (301, f"{place}?q=1")}
    assert Client(HTTP_HOST="localhost").get("/%2Fevil.example/").status_code == 404
