"""Snapshots: immutable bytes, regardless of later imports."""

import csv
import json
import re
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from tests.board.filling import fill

from gluepot.cli import main
from gluepot.errors import WrongUse
from gluepot.tasks.declarations import load_suite

SUITE = load_suite("superlim")
BOARD = f"/b/superlim/{SUITE.version}"


@pytest.fixture
def client(board: Path) -> Client:
    fill(12)
    return Client(HTTP_HOST="localhost")


def take(query: str = "") -> str:
    from gluepot.board.models import SuiteVersion
    from gluepot.board.standings.snapshots import take_snapshot

    return take_snapshot(SuiteVersion.objects.get(), query).key


def change_scores() -> None:
    """Change a system's scores as an import does."""
    from gluepot.board.importing.storage.entries import bump_revision
    from gluepot.board.models import Score

    Score.objects.filter(entry__system__slug="system-3").update(value=0.99, low=0.98, high=1.0)
    bump_revision()


def read(client: Client, address: str) -> bytes:
    response = client.get(address)
    assert response.status_code == 200
    return bytes(response.content)


def test_a_snapshot_stays_byte_equal_after_new_imports(client: Client) -> None:
    from gluepot.board.importing import import_published

    key = take("split=dev")
    before = [read(client, f"/snap/{key}{form}") for form in ("", ".json", ".csv")]
    page = read(client, f"{BOARD}.json?split=dev")
    change_scores()
    import_published()
    assert read(client, f"{BOARD}.json?split=dev") != page
    assert [read(client, f"/snap/{key}{form}") for form in ("", ".json", ".csv")] == before


def test_key_is_the_date_and_a_prefix_of_the_file_hash(client: Client) -> None:
    key = take()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-[0-9a-f]{8}", key)
    assert key.endswith(sha256(read(client, f"/snap/{key}.json")).hexdigest()[:8])


@pytest.mark.parametrize("query", ["", "split=dev", "agg=min&sort=name", "tasks=swenli,swewic&w=swenli:2&pmax=1B", "agg=rank&fam=Encoder"])
def test_snapshot_has_the_content_of_the_page(client: Client, query: str) -> None:
    now = json.loads(read(client, f"{BOARD}.json?{query}"))
    key = take(query)
    kept = json.loads(read(client, f"/snap/{key}.json"))
    passing = {"revision", "splits", "pages", "citation", "unknown_parameters"}
    assert {name: kept[name] for name in now if name not in passing} == {name: now[name] for name in now if name not in passing}
    assert rows_of(read(client, f"/snap/{key}.csv")) == rows_of(read(client, f"{BOARD}.csv?{query}"))
    text = read(client, f"/snap/{key}").decode()
    assert re.findall(r'<th scope="row"><a href="/s/([\w-]+)">', text) == [row["slug"] for row in kept["rows"]]


def rows_of(data: bytes) -> list[dict[str, Any]]:
    lines = [line for line in data.decode().splitlines(True) if not line.startswith("#")]
    return list(csv.DictReader(StringIO("".join(lines))))


def test_a_snapshot_has_the_rows_of_all_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gluepot.board.standings.making.PAGE", 3)
    kept = json.loads(read(client, f"/snap/{take('page=2')}.json"))
    assert len(kept["rows"]) == 12
    assert kept["query"] == ""


def test_the_same_content_on_the_same_day_is_one_snapshot(client: Client) -> None:
    from gluepot.board.importing.storage.entries import bump_revision

    first = take()
    bump_revision()
    assert take("split=test&ci=95") == first
    change_scores()
    assert take() != first


def test_only_changed_content_gets_a_new_snapshot(client: Client) -> None:
    from gluepot.board.standings.snapshots import snapshot_all

    assert sorted(snapshot.query for snapshot in snapshot_all()) == ["", "split=dev"]
    assert snapshot_all() == []
    from gluepot.board.importing.storage.entries import bump_revision
    from gluepot.board.models import Score

    Score.objects.filter(entry__system__slug="system-3", split="dev").update(value=0.99)
    bump_revision()
    assert [snapshot.query for snapshot in snapshot_all()] == ["split=dev"]


def test_new_snapshots_are_linked_from_the_quality_page_immediately(client: Client) -> None:
    assert b"/snap/" not in read(client, BOARD)
    assert f"/snap/{take()}".encode() in read(client, BOARD)


def test_snapshot_is_immutably_cacheable_and_has_a_citation(client: Client) -> None:
    key = take("pmax=1B")
    for form in ("", ".json", ".csv"):
        assert client.get(f"/snap/{key}{form}")["Cache-Control"] == "public, max-age=31536000, immutable"
    text = read(client, f"/snap/{key}").decode()
    for words in ("this page never changes", f"snapshot {key}, scored by gluepot", "<code>pmax=1B</code>"):
        assert words in text


def test_hostile_names_are_escaped(client: Client) -> None:
    key = take()
    assert "<script>alert" not in read(client, f"/snap/{key}").decode()
    assert "'=cmd" in read(client, f"/snap/{key}.csv").decode()


@pytest.mark.parametrize("query", ["split=train", "colour=red", "tasks=nothing"])
def test_unknown_parameters_are_refused(client: Client, query: str) -> None:
    with pytest.raises(WrongUse, match=re.escape(query)):
        take(query)


@pytest.mark.parametrize("address", ["/snap/2020-01-01-00000000", "/snap/2020.json", "/snap/2020.csv", "/snap/20200101"])
def test_unknown_snapshot_is_a_404_with_a_message(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 404
    assert "There is no snapshot “2020" in response.content.decode()


def test_command_takes_a_snapshot_and_reports_unknown_arguments(client: Client, board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["board", "snapshot", "superlim", "--dir", str(board)]
    assert main([*words, "--query", "split=dev", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["suite"], told["query"]) == ("superlim", "split=dev")
    assert read(client, told["path"])
    assert main(["board", "snapshot", "superlin", "--dir", str(board)]) == 2
    assert "Did you mean 'superlim'?" in capsys.readouterr().err
    assert main([*words, "--version", "9"]) == 2
    assert main([*words, "--query", "split=train"]) == 2


def test_snapshot_of_an_earlier_version_is_still_readable(client: Client) -> None:
    from gluepot.board.models import Snapshot
    from gluepot.board.standings.snapshots import encode_document

    kept = Snapshot.objects.get(key=take())
    rows = [{name: value for name, value in row.items() if name not in ("languages", "team", "open")} for row in kept.document["rows"]]
    tasks = [{name: task[name] for name in ("name", "title", "metrics", "n", "counts")} for task in kept.document["tasks"]]
    later = ("terms", "competing", "missing")
    kept.document = {name: value for name, value in kept.document.items() if name not in later} | {"rows": rows, "tasks": tasks}
    kept.save()
    assert read(client, f"/snap/{kept.key}.json") == encode_document(kept.document)
    assert [row["overall"] for row in rows_of(read(client, f"/snap/{kept.key}.csv"))] == [str(row["overall"] or "") for row in rows]
    assert read(client, f"/snap/{kept.key}").decode().count('<th scope="row">') == len(rows)


def test_snapshot_has_as_many_headers_as_cells(client: Client) -> None:
    page = client.get(f"/snap/{take()}").content.decode()
    heads = page.partition("<thead>")[2].partition("</thead>")[0].count("<th ")
    row = page.partition('<tbody data-section="ranked"')[2].partition("</tr>")[0]
    assert heads == len(re.findall(r"<t[hd][ >]", row))
