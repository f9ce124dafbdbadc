"""Board, task and comparison: each tells the address of exactly its view, and a BibTeX entry with it."""

from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from tests.board.views.answering import add_score, add_system, open_suite

HOST = {"HTTP_HOST": "localhost"}
VIEWS = {
    "": ("pmax=1B", "/b/pocket/1?split=test&pmax=1B"),
    "/tasks/entailment-ru": ("max=10", "/b/pocket/1/tasks/entailment-ru?split=test&max=10"),
    "/compare": ("a=one&b=two", "/b/pocket/1/compare?a=one&b=two&split=test"),
}


@pytest.fixture
def client(board: Path) -> Client:
    version = open_suite("pocket")
    for slug, value in (("one", 0.5), ("two", 0.6)):
        add_score(add_system(version, slug), "entailment-ru", "accuracy", value)
    return Client(**HOST)


@pytest.mark.parametrize("page", VIEWS)
def test_a_view_tells_its_whole_address_and_bibtex_in_page_and_file(client: Client, page: str) -> None:
    query, address = VIEWS[page]
    for prefix in ("", "/sv"):
        text = unescape(client.get(f"{prefix}/b/pocket/1{page}", query_params=None, QUERY_STRING=query, follow=True).content.decode())
        entry = client.get(f"{prefix}/b/pocket/1{page}.bib?{query}")
        assert entry.headers["Content-Type"].startswith("application/x-bibtex")
        assert f"\\url{{{address}}}" in entry.content.decode()
        assert entry.content.decode() in text, "the page shows what the file holds"
        assert f'href="{address}"' in text
    assert unescape(client.get(address).content.decode()).count(f"\\url{{{address}}}") == 1, "the address leads to a page with this address"


def test_a_page_that_compares_nobody_cites_nothing(client: Client) -> None:
    assert client.get("/b/pocket/1/compare.bib").content == b""
