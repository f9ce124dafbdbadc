"""The system page: scores with their sources, unconfirmed claims, history, and downloadable predictions."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from tests.board.filling import fill

ANSWERS = gzip.compress(b'{"id":"1","prediction":"neutral"}\n')


@pytest.fixture
def client(board: Path) -> Client:
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    from gluepot.board.models import Answers, Entry, Measurement, Score, Stated, System

    fill(6)
    system = System.objects.get(slug="system-3")
    system.card, system.link, system.team = "# Card\n<script>alert(1)</script>", "https://example.org/model", "Ann & Bo"
    system.save()
    entry = system.entries.get()
    entry.details = {"seconds": {"swenli/test/1": 12.5, "swewic/test/1": 3.0}, "manifest": {"identity": {"seeds": [1, 2]}}}
    entry.save()
    for metric, stated, computed in (("alpha-nominal", 0.5, 0.5), ("accuracy", 0.9, 0.4), ("macro-f1", 0.7, None), ("n", 305, 1104)):
        Stated.objects.create(
            entry=entry, task="swenli", split="test", metric=metric, stated=stated, computed=computed, agrees=stated == computed
        )
    old = Entry.objects.create(system=system, suite=entry.suite, kind="print", source="An old paper", digest="old", gluepot="0.0.1")
    Score.objects.create(entry=old, task="swenli", split="test", metric="accuracy", value=0.123, verified=False, current=False)
    Measurement.objects.create(
        entry=old, task="swenli", quantity="throughput", value=1070.4, profile="One GPU", reported=1071, note="unstable"
    )
    name = default_storage.save("answers/test.jsonl.gz", ContentFile(ANSWERS))
    Answers.objects.create(entry=entry, task="swenli", split="test", file=name, merits=b"")
    return Client(HTTP_HOST="localhost")


def page(client: Client, address: str = "/s/system-3") -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def document(client: Client) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page(client, "/s/system-3.json"))
    return found


def test_all_metrics_of_all_tasks_are_shown_with_interval_and_source(client: Client) -> None:
    from gluepot.board.models import Score

    result = document(client)["results"][0]
    assert [part["split"] for part in result["parts"]] == ["test", "dev"]
    shown = {
        (task["task"], part["split"], line["metric"]): (
            line["value"],
            line["low"],
            line["high"],
            line["n"],
            line["verified"],
            line["source"],
        )
        for part in result["parts"]
        for task in part["tasks"]
        for line in task["lines"]
    }
    stored = Score.objects.filter(entry__system__slug="system-3", current=True).select_related("entry")
    assert shown == {(s.task, s.split, s.metric): (s.value, s.low, s.high, s.n, s.verified, s.entry.source) for s in stored}


def test_rank_equals_that_of_the_quality_page(client: Client) -> None:
    result = document(client)["results"][0]
    rows = json.loads(client.get(f"{result['address']}.json").content)["rows"]
    row = next(row for row in rows if row["slug"] == "system-3")
    part = result["parts"][0]
    assert (part["rank"], part["rank_low"], part["rank_high"]) == (row["rank"], row["rank_low"], row["rank_high"])
    assert (part["overall"], part["low"], part["high"]) == (row["overall"], row["overall_low"], row["overall_high"])


def test_stated_scores_that_differ_from_computed_ones_are_marked(client: Client) -> None:
    result = document(client)["results"][0]
    assert result["claims"] == 4
    assert [(claim["metric"], claim["computed"]) for claim in result["doubts"]] == [("accuracy", 0.4), ("macro-f1", None), ("n", 1104)]
    text = page(client)
    assert "3 are not what we compute" in text
    for words in ("90.0 differs", "cannot be confirmed", "1,104", "the same"):
        assert words in text


def test_hostile_card_and_name_are_escaped(client: Client) -> None:
    text = page(client)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<h3>Card</h3>" in text
    other = page(client, "/s/system-2")
    assert "<script>alert" not in other
    assert "<h1>&lt;script&gt;" in other


@pytest.mark.parametrize(
    ("link", "carried"), [("https://example.org/m", True), ("http://example.org/m", False), ("javascript:alert(1)", False)]
)
def test_link_is_https_with_nofollow(client: Client, link: str, carried: bool) -> None:
    from gluepot.board.importing.storage.entries import bump_revision
    from gluepot.board.models import System

    System.objects.filter(slug="system-3").update(link=link)
    bump_revision()
    assert (f'<a href="{link}" rel="nofollow ugc noopener">' in page(client)) == carried


def test_history_includes_replaced_scores(client: Client) -> None:
    past = [row for row in document(client)["history"] if not row["current"]]
    assert [(row["value"], row["source"], row["gluepot"]) for row in past] == [(0.123, "An old paper", "0.0.1")]
    assert "An old paper" in page(client)


def test_page_shows_time_seeds_and_measurements(client: Client) -> None:
    found = document(client)
    assert found["sources"][-1]["remarks"] == ["15.5 s of computing", "seeds 1, 2"]
    assert (found["measurements"][0]["value"], found["measurements"][0]["printed"]) == (1070.4, 1071)
    assert "1,070" in page(client)


def test_predictions_are_downloaded_as_they_were_stored(client: Client) -> None:
    address = document(client)["downloads"][0]["address"]
    response = client.get(address)
    assert b"".join(response.streaming_content) == ANSWERS  # type: ignore[attr-defined]
    assert response["Content-Disposition"] == 'attachment; filename="system-3-swenli-test-0.jsonl.gz"'
    assert response["Content-Type"] == "application/gzip"
    assert not response.has_header("Content-Encoding")
    response.close()
    assert client.get(address.replace("system-3", "system-4")).status_code == 404


def test_missing_prediction_file_is_a_404_with_a_message(client: Client) -> None:
    from django.core.files.storage import default_storage

    from gluepot.board.models import Answers

    default_storage.delete(Answers.objects.get().file.name)
    response = client.get(document(client)["downloads"][0]["address"])
    assert response.status_code == 404
    assert "is not in the store" in response.content.decode()


def test_other_systems_of_the_suite_are_offered_for_comparison(client: Client) -> None:
    text = page(client)
    assert '<input type="hidden" name="a" value="system-3">' in text
    assert '<option value="system-4">' in text
    assert '<option value="system-3">' not in text


@pytest.mark.parametrize("address", ["/s/nobody", "/s/nobody.json", "/s/nobody/answers/1.jsonl.gz", "/sv/s/nobody"])
def test_unknown_system_is_a_404_with_a_message(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 404
    assert "nobody" in response.content.decode()


def test_numbers_follow_the_language(client: Client) -> None:
    assert "90,0" in page(client, "/sv/s/system-3")
