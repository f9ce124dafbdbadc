"""The diagnostics page: scores by category, alignment of two languages, gender parity."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from tests.board.views.answering import add_answers, add_score, add_system, items_of, open_suite

HOST = {"HTTP_HOST": "localhost"}
PLACE = "/b/superlim/2.0.4/diagnostics"


@pytest.fixture
def real(board: Path, submissions: Path, tmp_path: Path) -> Client:
    """Two Superlim submissions, diagnostics only, and the official sample of Russian SuperGLUE."""
    from gluepot.board.importing import import_paths

    for name in ("KB-bert-base-swedish-cased", "SVM"):
        for task in ("swediagnostics", "swewinogender"):
            if (submissions / "superlim" / name / task).is_dir():
                copytree(submissions / "superlim" / name / task, tmp_path / name / task)
    import_paths([tmp_path / "KB-bert-base-swedish-cased", tmp_path / "SVM", submissions / "russian-superglue"], None)
    return Client(**HOST)


def document(client: Client, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.get(f"{PLACE}.json?{query}").content)
    return found


@pytest.mark.slow
def test_the_heat_table_has_four_coarse_and_thirty_three_fine_rows(real: Client) -> None:
    page = document(real)
    assert sum(not row["fine"] for row in page["rows"]) == 4
    assert sum(bool(row["fine"]) for row in page["rows"]) == 33
    assert all(len(row["cells"]) == 2 and all(row["cells"]) for row in page["rows"])
    html = real.get(PLACE).content.decode()
    assert html.count('<tr class="coarse">') == 4
    assert html.count("−") > 2
    below = [cell for row in page["rows"] for cell in row["cells"] if cell["value"] < 0]
    assert html.count('class="below"') == len(below) + 1  # and the legend
    csv = real.get(f"{PLACE}.csv").content.decode().splitlines()
    assert len([line for line in csv if not line.startswith("#")]) == 1 + 37

    both = document(real, "with=russian-superglue")
    assert {column["suite"] for column in both["columns"]} == {"superlim", "russian-superglue"}
    assert len(both["rows"]) == 37
    assert [row["n"] for row in both["rows"] if row["name"] == "lexical-semantics"] == [[368, 367]]
    aligned = both["alignment"]
    assert aligned["items"] == 1104
    assert len(aligned["rows"]) == 37
    for row in aligned["rows"]:
        assert row["both_right"] + row["only_first"] + row["only_second"] + row["both_wrong"] == row["n"]
    assert [(one["id"], one["what"]) for one in aligned["differences"]] == [("233", "gold"), ("832", "categories")]

    parity = page["parities"][0]["rows"]
    constant = next(row for row in parity if row["name"].endswith("KB-bert-base-swedish-cased") or "bert" in row["name"])
    assert (constant["parity"], constant["groups"], constant["constant"]) == (1.0, 208, True)
    assert constant["score"] < 0


@pytest.fixture
def made(board: Path) -> Client:
    """Eight systems with one coarse and one fine category; only the best three have both."""
    version = open_suite("superlim")
    for number in range(8):
        entry = add_system(version, f"s{number}")
        add_score(entry, "swediagnostics", "alpha-nominal", 0.8 - number / 10)
        add_score(entry, "swediagnostics", "alpha-nominal", 0.5 - number / 10, slice="logic", low=0.1, high=0.6, n=364)
        if number < 3:
            add_score(entry, "swediagnostics", "alpha-nominal", -0.1, slice="logic/Negation", n=82)
    return Client(**HOST)


def shown(page: dict[str, Any]) -> list[str]:
    return [column["slug"] for column in page["columns"]]


def test_best_six_systems_are_shown_by_default(made: Client) -> None:
    assert shown(document(made)) == ["s0", "s1", "s2", "s3", "s4", "s5"]
    assert shown(document(made, "s=s7,s1")) == ["s7", "s1"]
    many = document(made, "s=s7,s6,s5,s4,s3,s2,s1,nobody")
    assert shown(many) == ["s7", "s6", "s5", "s4", "s3", "s2"]
    assert many["left_out"] == ["s1"]
    assert many["unknown"] == ["s=nobody"]


def test_form_is_redirected_to_the_canonical_address(made: Client) -> None:
    response = made.get(f"{PLACE}?s=s1&s=s2")
    assert response.status_code == 302
    assert response.headers["Location"] == f"{PLACE}?s=s1,s2"


def test_missing_cells_are_dashes_and_a_fine_row_follows_its_coarse_one(made: Client) -> None:
    page = document(made, "s=s0,s7")
    assert [row["name"] for row in page["rows"]] == ["logic", "logic/Negation"]
    assert page["rows"][1]["cells"][1] is None
    assert made.get(f"{PLACE}?s=s0,s7").content.decode().count("<td>–</td>") == 1


PARTS = ["s=", "task=", "with=", "swap=", "profile=", "a", ",", " ", "&", "1", "%00", "+", "ÿ", "x="]


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_query_normalisation_is_idempotent(board_folder: Path, parts: list[str]) -> None:
    from gluepot.board.views import diagnostics
    from gluepot.board.views.tradeoffs import performance

    for parse in (diagnostics.parse_asked, performance.parse_asked):
        corrected = parse("".join(parts)).query()
        assert parse(corrected).query() == corrected


def test_suite_without_diagnostics_shows_a_message(board: Path) -> None:
    open_suite("basqueglue")
    page = Client(**HOST).get("/b/basqueglue/1.0/diagnostics").content.decode()
    assert "No system here has scores by category" in page


def test_hostile_names_are_escaped(board: Path) -> None:
    version = open_suite("pocket")
    task, examples = items_of("pocket/analogy-sv")
    entry = add_system(version, "evil", name="<script>alert(1)</script>")
    add_answers(entry, task, "test", examples, ["<b>"] * len(examples))
    add_score(entry, "analogy-sv", task.metrics[0], 0.2)
    add_score(entry, "analogy-sv", task.metrics[0], 0.2, slice="category/<img src=x>")
    page = Client(**HOST).get("/b/pocket/1/diagnostics").content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;img src=x&gt;" in page
