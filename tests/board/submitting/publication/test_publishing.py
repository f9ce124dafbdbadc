"""Publication: declared training data, delayed names, and the number of private scorings."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.board.submitting.conftest import varied
from tests.board.submitting.test_line import facts_for, send

CELL = "stance-sv"


@pytest.fixture
def published(member: Callable[..., Any], client_of: Callable[[Any], Any], work: Callable[[], None], sample: Path) -> Callable[..., Any]:
    """Factory that publishes a submission with the given facts, or publishes it again with other facts."""
    from gluepot.board.submitting.models import Upload
    from gluepot.board.submitting.publication.decisions import approve

    client = client_of(member())

    def publish(**facts: str) -> Any:
        if not Upload.objects.exists():
            send(client, sample)
            work()
        upload = Upload.objects.latest("pk")
        asked = client.post(f"/submissions/{upload.key}/publish", facts_for(upload, **facts))
        assert asked.status_code == 302, asked.content.decode()
        approve(upload.sheets.order_by("-pk")[0], "1")
        work()
        upload.refresh_from_db()
        assert upload.state == "published", upload.reason
        return upload

    publish.client = client  # type: ignore[attr-defined]
    return publish


def row_of(client: Any) -> Any:
    (row,) = client.get("/b/pocket/1.json").json()["rows"]
    return row


def test_system_trained_on_test_is_shown_unranked_until_the_declaration_changes(published: Any) -> None:
    published(**{f"trained-{CELL}": "test"})
    row = row_of(published.client)
    cell = row["scores"][CELL]
    assert cell["value"] is not None
    assert cell["ranked"] is False
    assert cell["note"] == "its makers declare that it was trained on test and dev of this task"
    assert (row["section"], row["rank"], row["overall"]) == ("incomplete", None, None)
    assert "trained on test and dev" in published.client.get("/b/pocket/1").content.decode()
    published(**{f"trained-{CELL}": "train"})
    row = row_of(published.client)
    assert (row["section"], row["rank"], row["scores"][CELL]["ranked"]) == ("ranked", 1, True)


def test_public_row_shows_the_number_of_private_scorings(published: Any, work: Callable[[], None], sample: Path, tmp_path: Path) -> None:
    for seed in (1, 2):
        assert send(published.client, varied(sample, tmp_path / f"{seed}.zip", seed), f"try {seed}").status_code == 302
    work()
    slug = published().system.slug
    assert row_of(published.client)["private_scorings"] == 2
    for page in ("/b/pocket/1", f"/s/{slug}"):
        assert "scored 2 times in private" in published.client.get(page).content.decode()


def test_submission_can_stay_anonymous_until_a_date(published: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.board.submitting.publication import publishing

    day = date.today() + timedelta(days=30)
    upload = published(anonymous_until=day.isoformat())
    pages = [f"/s/{upload.system.slug}", "/b/pocket/1", "/api/systems", f"/s/{upload.system.slug}.json", "/b/pocket/1.csv"]
    for page in pages:
        text = published.client.get(page).content.decode()
        assert "Anonymous" in text
        for secret in ("my-model", "example.org/paper"):
            assert secret not in text, (page, secret)
    publishing.reveal_due()
    assert "my-model" not in published.client.get("/b/pocket/1").content.decode()
    monkeypatch.setattr(publishing, "today", lambda: day)
    publishing.reveal_due()
    assert "my-model" in published.client.get("/b/pocket/1").content.decode()
    assert "example.org/paper" in published.client.get(pages[0]).content.decode()
