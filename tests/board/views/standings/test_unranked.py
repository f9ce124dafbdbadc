"""Standings without a complete system: a message, and a link to the ranking by the common tasks."""

import re
from html import unescape
from pathlib import Path

from django.test import Client
from tests.board.views.answering import add_score, add_system, open_suite

from gluepot.tasks.declarations import load_suite

SUITE = load_suite("superlim")
PAGE = f"/b/superlim/{SUITE.version}"
METRICS = {name: task.metrics[0] for name, task in SUITE.tasks.items()}


def test_link_ranks_incomplete_systems_by_their_common_tasks(board: Path) -> None:
    version = open_suite("superlim")
    for name, tasks in (("one", ("swenli", "swewic", "swefaq")), ("two", ("swenli", "swewic", "swewinograd"))):
        entry = add_system(version, name)
        for task in tasks:
            add_score(entry, task, METRICS[task], 0.5)
    client = Client(HTTP_HOST="localhost")
    page = client.get(PAGE).content.decode()
    said = re.search(r'id="headline">(.*?) <a href="([^"]*)">(.*?)</a>', page)
    assert said is not None
    assert re.fullmatch(r"No system has all \d+ tasks\.", said[1])
    assert said[3] == "Rank them by the 2 that all of them have."
    ranked = client.get(unescape(said[2]).replace(PAGE, f"{PAGE}.json")).json()
    assert {row["system"]: row["rank"] for row in ranked["rows"]} == {"ONE": 1, "TWO": 1}


def test_systems_without_a_common_task_get_no_link(board: Path) -> None:
    version = open_suite("superlim")
    for name, task in (("one", "swenli"), ("two", "swewic")):
        add_score(add_system(version, name), task, METRICS[task], 0.5)
    page = Client(HTTP_HOST="localhost").get(PAGE).content.decode()
    assert 'id="headline"></p>' in page
