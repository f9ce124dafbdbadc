"""Citations of board, task and comparison pages: the address of the exact view and a BibTeX entry with it."""

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
def test_page_and_bib_file_cite_the_full_address_of_the_view(client: Client, page: str) -> None:
    query, address = VIEWS[page]
    for prefix in ("", "/sv"):
        text = unescape(client.get(f"{prefix}/b/pocket/1{page}", query_params=None, QUERY_STRING=query, follow=True).content.decode())
        entry = client.get(f"{prefix}/b/pocket/1{page}.bib?{query}")
        assert entry.headers["Content-Type"].startswith("application/x-bibtex")
        assert f"\\url{{{address}}}" in entry.content.decode()
        assert entry.content.decode() in text, "the page shows what the file holds"
        assert f'href="{address}"' in text
    assert unescape(client.get(address).content.decode()).count(f"\\url{{{address}}}") == 1, "the address leads to a page with this address"


def test_comparison_without_systems_has_no_citation(client: Client) -> None:
    assert client.get("/b/pocket/1/compare.bib").content == b""
