"""A custom suite: an exhausted quota, and a second version with its page of changes."""

import subprocess
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from tests.board.made import without_board
from tests.board.serving import gluepot
from tests.board.submitting.hiding import gold, write_answers, write_lines
from tests.browser.visitors import PATIENCE, Letters, decide, fill_facts, look_all, press, register, visit

pytestmark = pytest.mark.slow
EMAIL = "versions@example.org"


def answers(tmp_path: Path, seed: int) -> Path:
    """Write predictions, about 90 % of them correct."""
    rng = Random(seed)
    return write_answers(tmp_path / "coins.jsonl", [right if rng.random() < 0.8 else "heads" for right in gold()])


def send(page: Any, name: str, file: Path) -> None:
    page.goto("/submit/hidden")
    page.fill("#name", name)
    page.set_input_files("#files", file)
    press(page, "form.drop button")


def rescore(board: Path, suite: Path) -> None:
    """Rescore for a second version with corrected labels of the first 20 items."""
    path, declared = suite / "data" / "coins" / "test.jsonl", suite / "suite.toml"
    rows = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    for row in rows[:20]:
        row["label"] = "tails" if row["label"] == "heads" else "heads"
    write_lines(path, rows)
    declared.write_text(declared.read_text().replace('version = "1"', 'version = "2"'))
    words = gluepot("board", "rescore", "hidden", "--reason", "Twenty labels were wrong.", "--dir", str(board))
    subprocess.run(words, check=True, capture_output=True, env=without_board() | {"GLUEPOT_SUITES": str(suite.parent)})


def test_exhausted_quota_names_the_next_slot_and_a_new_version_lists_its_changes(
    chromium: Any, open_site: str, moderator: Any, letters: Letters, axe: Any, board_folder: Path, own_suite: Path, tmp_path: Path
) -> None:
    with visit(chromium, open_site) as page:
        register(page, letters, EMAIL)
        for number in (1, 2):
            send(page, f"coins {number}", answers(tmp_path, number))
            page.wait_for_selector("text=Where it would rank", timeout=PATIENCE)
        room = page.url
        send(page, "coins 3", answers(tmp_path, 3))
        assert "No slot is left for Coins. The next one is free on" in page.locator("[role=alert]").inner_text()
        assert page.locator(".pips .left").count() == 0
        look_all(page, axe, "quota-spent")
        page.goto(room)
        fill_facts(page, "coins 2", "Other")
        press(page, "button[name=send]")
        decide(moderator, "coins 2", "approve")
        letters.wait(EMAIL, "is published")
        page.goto(room)
        look_all(page, axe, "published")
        rescore(board_folder, own_suite)
        assert "Twenty labels were wrong." in letters.wait(EMAIL, "was rescored")
        page.goto("/b/hidden/changes")
        assert page.locator("tr:has-text('coins 2') td").count() >= 3
        look_all(page, axe, "changes")
        page.goto("/da/b/hidden/changes")
        look_all(page, axe, "da-changes")
        page.goto(room)
        assert page.locator("h2", has_text="Earlier scores").count() == 1
        look_all(page, axe, "scored-again")
