"""The front page: coverage by language and task type; and 404 pages that suggest the nearest page."""

import re
from pathlib import Path

import pytest
from django.test import Client
from tests.board.views.answering import add_score, add_system, open_suite

from gluepot.tasks.declarations import load_suite

HOST = {"HTTP_HOST": "localhost"}
ROWS = re.compile(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', re.DOTALL)
CELL = re.compile(r'<td><a href="(.*?)" .*?class="(pt|open)".*? r="([\d.]+)"/></svg>(\d+)</a></td>|<td><span class="soft">·</span></td>')


@pytest.fixture
def client(board: Path) -> Client:
    """Two systems with scores on Swedish questions, one of them only reported; three with reported scores on Basque topics."""
    superlim, basque = open_suite("superlim"), open_suite("basqueglue")
    entries = [add_system(superlim, slug, name=slug.upper()) for slug in ("kb-bert", "nb-bert")]
    add_score(entries[0], "swefaq", "alpha-nominal", 0.5)
    add_score(entries[1], "swefaq", "alpha-nominal", 0.6, verified=False)
    for slug in "abc":
        add_score(add_system(basque, slug), "bhtc", "f1-micro", 0.7, verified=False)
    return Client(**HOST)


def test_table_links_the_task_with_most_systems_by_language_and_type(client: Client) -> None:
    page = client.get("/").content.decode()
    table = page[page.index('class="covered"') :]
    rows = {label: [cell.groups() for cell in CELL.finditer(cells)] for label, cells in ROWS.findall(table)}
    (none, swedish), (basque, nobody) = rows["reading and answers"], rows["topics and intents"]
    assert nobody == none == (None, None, None, None)
    assert swedish == ("/b/superlim/2.0.4?only=swefaq", "pt", "6.5", "2")
    assert basque == ("/b/basqueglue/1.0?only=bhtc", "open", "8.0", "3"), "most are as reported; areas are as 2 : 3"


def test_unanswered_question_preserves_its_size_and_suggests_languages(client: Client) -> None:
    page = client.get("/?what=reading&in=eu&max=150M").content.decode()
    assert '<option value="150M" selected>' in page
    assert '<a href="/b/superlim/2.0.4?only=swefaq">matching answers, Superlim</a> <small>Swedish</small>' in page


def test_single_system_is_not_called_the_best(board: Path) -> None:
    entry = add_system(open_suite("pocket"), "one")
    for name, task in load_suite("pocket").tasks.items():
        add_score(entry, name, task.metrics[0], 0.5, low=0.4, high=0.6)
    page = Client(**HOST).get("/").content.decode()
    assert "One system only" in page
    assert "may be the best</b>" not in page


def test_svg_numbers_use_decimal_points_in_every_language(client: Client) -> None:
    assert 'r="6.5"' in client.get("/ru/").content.decode()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("/b/superlm", '<a href="/b/superlim">Superlim</a>'),
        ("/b/superlim/9.9", '<a href="/b/superlim">Superlim</a>'),
        ("/sv/b/SuperLim/compare", '<a href="/sv/b/superlim">Superlim</a>'),
        ("/s/kb-bertt", '<a href="/s/kb-bert">KB-BERT</a>'),
        ("/s/nb-", '<a href="/s/nb-bert">NB-BERT</a>'),
    ],
)
def test_missing_page_suggests_the_nearest_one(client: Client, asked: str, meant: str) -> None:
    answer = client.get(asked)
    assert answer.status_code == 404
    assert meant in answer.content.decode()


def test_missing_page_without_a_close_match_suggests_nothing(client: Client) -> None:
    for asked in ("/b/quite-another-thing", "/s/quite-another-thing", "/nothing"):
        answer = client.get(asked)
        assert answer.status_code == 404
        assert "Did you mean" not in answer.content.decode()
