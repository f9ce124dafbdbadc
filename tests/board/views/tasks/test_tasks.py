"""The list of tasks, the page of a task, and its item browser."""

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from time import process_time
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from tests.board.views.answering import add_answers, add_score, add_system, items_of, open_suite

from gluepot.board.items.item_query import NEARNESS, RIGHTNESS, ItemQuery, parse_item_query
from gluepot.tasks.declarations import load_suite

HOST = {"HTTP_HOST": "localhost"}
PLACE = "/b/pocket/1/tasks/entailment-ru"


@pytest.fixture
def client(board: Path) -> Client:
    """The pocket suite; `flip` is wrong on every third item, `same` always predicts the first label."""
    version = open_suite("pocket")
    task, examples = items_of("pocket/entailment-ru")
    other = {label: task.labels[(number + 1) % len(task.labels)] for number, label in enumerate(task.labels)}
    flip = [other[e.target] if number % 3 == 0 else e.target for number, e in enumerate(examples)]
    for slug, outputs in (("flip", flip), ("same", [task.labels[0]] * len(examples))):
        entry = add_system(version, slug)
        right = sum(o == e.target for o, e in zip(outputs, examples, strict=True)) / len(examples)
        add_score(entry, task.name, "accuracy", right, low=right - 0.1, high=right + 0.1)
        add_score(entry, task.name, task.metrics[0], right, low=right - 0.1, high=right + 0.1)
        add_answers(entry, task, "test", examples, outputs)
    return Client(**HOST)


def browser(client: Client, query: str, place: str = PLACE) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.get(f"{place}.json?{query}").content)["browser"]
    return found


def all_items(client: Client, query: str) -> list[dict[str, Any]]:
    first = browser(client, query)
    return [item for page in range(1, first["pages"] + 1) for item in browser(client, f"{query}&page={page}")["items"]]


def test_the_list_has_every_task_with_its_sizes(client: Client) -> None:
    page = client.get("/b/pocket/1/tasks").content.decode()
    tasks = json.loads(client.get("/b/pocket/1/tasks.json").content)["tasks"]
    assert len(tasks) == 13
    assert all(task["title"] in page for task in tasks)
    assert client.get("/b/pocket/1/tasks.csv").content.count(b"\r\n") >= 14


def test_unknown_task_is_a_404_that_suggests_the_nearest(client: Client) -> None:
    response = client.get("/b/pocket/1/tasks/entailment-rv")
    assert response.status_code == 404
    assert 'Did you mean <a href="/b/pocket/1/tasks/entailment-ru">' in response.content.decode()


@pytest.mark.parametrize("meant", ["entail", "Pocket-entailmnt", "zzzz"])
def test_unknown_task_is_matched_by_title_or_prefix(client: Client, meant: str) -> None:
    page = client.get(f"/b/pocket/1/tasks/{meant}").content.decode()
    assert ('<a href="/b/pocket/1/tasks/entailment' in page) is (meant != "zzzz")


def test_page_has_documentation_sheet_scores_and_power(client: Client) -> None:
    page = client.get(PLACE).content.decode()
    for text in ("Documentation sheet", "I. Identifying information", "FLIP", "SAME", "Guessing"):
        assert text in page
    shown = json.loads(client.get(f"{PLACE}.json").content)
    assert [row["slug"] for row in shown["scores"]] == ["flip", "same"]
    test = next(row for row in shown["detectable"] if row["split"] == "test")
    assert test["n"] == 40


def test_superlim_detectable_differences_match_the_reference(board: Path) -> None:
    from gluepot.board.analysis.power import detectable

    wanted = {"swefaq": (8.4, 11.9, 14.5), "swewinograd": (7.4, 10.5, 12.9), "swenli": (5.1, 7.1, 8.8), "swewic": (2.8, 4.0, 4.8)}
    wanted |= {"dalaj-ged-superlim": (1.3, 1.9, 2.3)}
    for name, points in wanted.items():
        found = next(row for row in detectable(load_suite("superlim").tasks[name]) if row.split == "test")
        assert [round(100 * (value or 0), 1) for value in found.accuracy] == pytest.approx(points, abs=0.11)


@pytest.mark.parametrize("only", RIGHTNESS)
def test_filters_select_the_matching_items(client: Client, only: str) -> None:
    items = all_items(client, f"a=flip&b=same&only={only}")
    everything = all_items(client, "a=flip&b=same")
    wanted = [item["id"] for item in everything if fits(only, *[answer["answer"] == item["gold"] for answer in item["answers"]], item)]
    assert [item["id"] for item in items] == wanted
    assert wanted


def fits(only: str, a: bool, b: bool, item: dict[str, Any]) -> bool:
    answers = [answer["answer"] for answer in item["answers"]]
    return {
        "a-right": a,
        "a-wrong": not a,
        "b-right": b,
        "b-wrong": not b,
        "a-right-b-wrong": a and not b,
        "a-wrong-b-right": b and not a,
        "both-right": a and b,
        "both-wrong": not a and not b,
        "differ": answers[0] != answers[1],
    }[only]


def test_labels_lengths_and_words_filter_items(client: Client) -> None:
    task, examples = items_of("pocket/entailment-ru")
    label = task.labels[0]
    assert browser(client, f"label={label}")["found"] == sum(e.target == label for e in examples)
    words = Counter(len(e.inputs["text"].split()) + len(e.inputs["pair"].split()) for e in examples)
    assert browser(client, "min=12&max=14")["found"] == sum(count for n, count in words.items() if 12 <= n <= 14)
    word = examples[3].inputs["text"].split()[0]
    assert examples[3].id in [item["id"] for item in all_items(client, f"q={quote(word.upper())}")]
    assert browser(client, "q=nowhere-to-be-found")["found"] == 0


def test_confusion_cell_links_to_its_items(client: Client) -> None:
    matrix = browser(client, "a=flip")["confusions"][0]
    assert sum(map(sum, matrix["counts"])) == 40
    gold, said = matrix["labels"][0], matrix["labels"][1]
    assert browser(client, f"a=flip&label={gold}&said={said}")["found"] == matrix["counts"][0][1]


def test_unknown_system_or_parameter_is_reported(client: Client) -> None:
    page = client.get(f"{PLACE}?a=nobody&colour=red").content.decode()
    assert "a=nobody" in page
    assert "colour=red" in page


def test_numeric_tasks_compare_distance_instead_of_correctness(client: Client) -> None:
    from gluepot.board.models import SuiteVersion

    task, examples = items_of("pocket/word-pairs-eu")
    version = SuiteVersion.objects.get()
    for slug, shift in (("near", 0.1), ("far", 1.0)):
        add_answers(add_system(version, slug), task, "test", examples, [e.target + shift for e in examples])
    place = "/b/pocket/1/tasks/word-pairs-eu"
    assert browser(client, "a=near&b=far&only=a-nearer", place)["found"] == len(examples)
    assert browser(client, "a=near&b=far&only=b-nearer", place)["found"] == 0
    page = client.get(f"{place}?a=near&b=far").content.decode()
    assert "off by 0.10" in page
    assert "is right" not in page


@given(
    st.builds(
        ItemQuery,
        split=st.sampled_from(["", "dev"]),
        a=st.sampled_from(["", "svm"]),
        only=st.sampled_from(["", *RIGHTNESS, *NEARNESS]),
        tag=st.sampled_from(["", "logic/Negation", "a&b=c"]),
        shortest=st.none() | st.integers(0, 1000),
        search=st.sampled_from(["", "ett + två", "<b>", "å&ä=ö#"]),
        page=st.integers(1, 99),
    )
)
def test_every_selection_round_trips_through_its_query(wish: ItemQuery) -> None:
    assert parse_item_query(wish.query()) == wish


@given(st.text(alphabet="ab&=%+;,0129 \x00ÿ<-", max_size=60))
def test_query_normalisation_is_idempotent(query: str) -> None:
    corrected = parse_item_query(query).query()
    assert parse_item_query(corrected).query() == corrected


class Tags(HTMLParser):
    """Collector of the parsed elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"'&{{ page }}"


def test_hostile_text_in_items_and_answers_is_escaped(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Covers tasks with marked words, choices and analogies."""
    folder = tmp_path / "superlim"
    rows: dict[str, Any] = {
        "swewic": {
            "idx": HOSTILE,
            "first": {"context": HOSTILE, "word": {"text": HOSTILE[:8], "location": {"start": 0, "stop": 8}}},
            "second": {"context": HOSTILE, "word": {"text": HOSTILE[8:13], "location": {"start": 8, "stop": 13}}},
            "label": "same_sense",
        },
        "swesat-synonyms": {"id": "1", "item": HOSTILE, "candidate_answers": [HOSTILE, "b"], "label": 0},
        "sweanalogy": {
            "pair1_element1": HOSTILE,
            "pair1_element2": "b",
            "pair2_element1": "c",
            "label": HOSTILE,
            "category": HOSTILE,
        },
    }
    for name, row in rows.items():
        (folder / name).mkdir(parents=True)
        (folder / name / f"{name}_test.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    version = open_suite("superlim")
    entry = add_system(version, "evil", name=HOSTILE)
    client = Client(**HOST)
    for name in rows:
        task, examples = items_of(f"superlim/{name}")
        add_answers(entry, task, "test", examples, [HOSTILE if name == "sweanalogy" else examples[0].target])
        response = client.get(f"/b/superlim/{version.version}/tasks/{name}?a=evil")
        page = response.content.decode()
        assert response.status_code == 200
        assert "&lt;" in page
        for tag, attributes in Tags(page).found:
            assert tag not in ("script", "img")
            assert not any(key.startswith("on") or key == "style" for key in attributes)


def test_splits_with_withheld_labels_show_no_items(board: Path, real_data: Path) -> None:
    version = open_suite("russian-superglue")
    client = Client(**HOST)
    shown = json.loads(client.get(f"/b/russian-superglue/{version.version}/tasks/RWSD.json").content)
    assert shown["split"] == "test"
    assert shown["browser"]["items"] == []
    assert "withholds the answers" in shown["browser"]["closed"]
    assert browser(client, "split=val", "/b/russian-superglue/1.1/tasks/RWSD")["total"] == 204


def test_missing_data_message_names_the_fetch_command(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    open_suite("superlim")
    page = Client(**HOST).get("/b/superlim/2.0.4/tasks/swenli").content.decode()
    assert "gluepot data fetch superlim" in page


@pytest.mark.parametrize(("name", "split"), [("swenli", "dev"), ("sweanalogy", "test")])
def test_large_splits_respond_quickly_when_cached(board: Path, real_data: Path, name: str, split: str) -> None:
    version = open_suite("superlim")
    task, examples = items_of(f"superlim/{name}", split)
    for slug, shift in (("one", 1), ("two", 2)):
        outputs = [examples[(number + shift) % len(examples)].target for number in range(len(examples))]
        add_answers(add_system(version, slug), task, split, examples, outputs)
    client = Client(**HOST)
    place = f"/b/superlim/{version.version}/tasks/{name}"
    client.get(f"{place}?split={split}&a=one&b=two&q=en&min=3")
    times = []
    for page in range(2, 7):
        started = process_time()
        assert client.get(f"{place}?split={split}&a=one&b=two&only=differ&min=2&q=a&page={page}", follow=True).status_code == 200
        times.append(process_time() - started)
    assert min(times) < 0.3
