"""Moderation: the tamper-evident audit log, blocking of accounts, and merging of systems."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from tests.board.filling import fill


@pytest.fixture
def moderator(member: Callable[..., Any], client_of: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a moderator's client; the second factor is tested elsewhere."""
    monkeypatch.setattr("gluepot.board.moderation.site.SecondFactorSite.has_permission", lambda site, request: True)
    return client_of(member("mod@example.org", is_staff=True, is_superuser=True))


def audit(head: str | None = None) -> int:
    from gluepot.cli.board_audit import run

    return run(Namespace(dir=None, head=head))


def bend(statement: str, *values: Any) -> None:
    """Tamper with the audit log as only the owner of the table can, with the trigger disabled."""
    from django.db import connection

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE moderation_auditevent DISABLE TRIGGER append_only")
        cursor.execute(statement, values)
        cursor.execute("ALTER TABLE moderation_auditevent ENABLE TRIGGER append_only")


@pytest.fixture
def trail(open_board: Path) -> list[Any]:
    from gluepot.board.moderation.audit import record

    return [record("1", "approved", f"submission {number}", reason="fine") for number in range(5)]


def test_database_refuses_to_change_or_remove_an_audit_entry(trail: list[Any]) -> None:
    from django.db import connection

    for statement in ("UPDATE moderation_auditevent SET actor = 'x'", "DELETE FROM moderation_auditevent"):
        with pytest.raises(DatabaseError, match="only ever added to"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


@pytest.mark.parametrize(
    ("statement", "line", "told"),
    [
        ("UPDATE moderation_auditevent SET details = '{}' WHERE id = %s", 2, "its content was changed"),
        ("DELETE FROM moderation_auditevent WHERE id = %s", 2, "the line before it is missing or another one"),
    ],
)
def test_audit_command_detects_tampering(
    trail: list[Any], capsys: pytest.CaptureFixture[str], statement: str, line: int, told: str
) -> None:
    assert audit() == 0
    assert "5 entries, all chained correctly" in capsys.readouterr().out
    bend(statement, trail[line].pk)
    assert audit() == 1
    assert told in capsys.readouterr().out


def test_truncated_audit_log_is_detected_by_a_recorded_head(trail: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    head = trail[-1].digest
    assert audit(head) == 0
    bend("DELETE FROM moderation_auditevent WHERE id = %s", trail[-1].pk)
    assert audit() == 0, "a chain alone does not know how long it was"
    assert audit(head) == 1
    assert "the trail was truncated" in capsys.readouterr().out


def test_block_needs_a_reason_and_ends_session_and_keys(
    moderator: Any, member: Callable[..., Any], client_of: Callable[[Any], Any]
) -> None:
    from gluepot.board.accounts.models import ApiKey, find_key
    from gluepot.board.moderation.models import AuditEvent

    ann = member()
    client = client_of(ann)
    _, secret = ApiKey.make(ann, "key", "submit")
    assert client.get("/submissions").status_code == 200
    page = f"/moderation/accounts/member/{ann.pk}/change/"
    assert "A block needs a reason" in moderator.post(page, {}).content.decode()
    assert find_key(secret) is not None
    assert moderator.post(page, {"why": "Many accounts of one person."}).status_code == 302
    assert client.get("/submissions").status_code == 302, "to the door"
    assert find_key(secret) is None
    line = AuditEvent.objects.latest("pk")
    assert (line.action, line.subject) == ("changed an account", f"account {ann.pk}")
    assert line.details == {"changed": {"is_active": False}, "reason": "Many accounts of one person."}


def test_duplicate_systems_are_merged(moderator: Any, work: Callable[[], None]) -> None:
    from gluepot.board.models import Entry, System
    from gluepot.board.moderation.models import AuditEvent

    fill(6)
    first, second = System.objects.get(slug="system-3"), System.objects.get(slug="system-4")
    asked = {"action": "merge", "_selected_action": [first.pk, second.pk]}
    page = moderator.post("/moderation/board/system/", asked)
    assert page.status_code == 200
    assert second.name in page.content.decode()
    done = moderator.post("/moderation/board/system/", {**asked, "keep": second.pk, "reason": "The same checkpoint."})
    assert done.status_code == 302
    work()
    assert not System.objects.filter(pk=first.pk).exists()
    assert Entry.objects.filter(system=second).count() == 2
    line = AuditEvent.objects.latest("pk")
    assert (line.action, line.details["gone"], line.details["reason"]) == ("merged systems", "system-3", "The same checkpoint.")
    slugs = [row["slug"] for row in moderator.get("/b/superlim/2.0.4.json").json()["rows"]]
    assert "system-4" in slugs
    assert "system-3" not in slugs


def test_human_scores_and_systems_are_never_merged(moderator: Any, work: Callable[[], None]) -> None:
    from gluepot.board.models import System

    fill(4)
    chosen = System.objects.filter(slug__in=["system-0", "system-3"]).values_list("pk", flat=True)
    asked = {"action": "merge", "_selected_action": list(chosen), "keep": chosen[0], "reason": "no"}
    answer = moderator.post("/moderation/board/system/", asked, follow=True)
    assert "are not one system" in answer.content.decode()
    work()
    assert System.objects.count() == 4


TAG = "<img src=x onerror=alert(1)>"


def spoil_texts(model: Any) -> Any:
    """Write a tag into every free-text column of the first row, as far as the columns permit; return the row."""
    from django.db.models import CharField, TextField

    row = model.objects.first()
    free = [field for field in model._meta.concrete_fields if isinstance(field, CharField | TextField) and not field.choices]
    for field in free if row is not None else ():
        try:
            with transaction.atomic():
                model.objects.filter(pk=row.pk).update(**{field.name: TAG[: field.max_length]})
        except DatabaseError:
            pass  # an append-only log
    return row


def test_user_text_is_escaped_on_moderation_pages(moderator: Any, member: Callable[..., Any]) -> None:
    """Requests every page of every table, with a tag in every text column."""
    from django.contrib.admin import site

    from gluepot.board.moderation.audit import record

    fill(2)
    member("ann@example.org", name=TAG)
    record(TAG, TAG, TAG, said=TAG)
    seen = []
    for model in site._registry:
        row = spoil_texts(model)
        address = f"/moderation/{model._meta.app_label}/{model._meta.model_name}/"
        for page in (
            address,
            f"{address}?q=%3Cimg%20src%3Dx",
            *([f"{address}{row.pk}/change/", f"{address}{row.pk}/history/"] if row else []),
        ):
            answer = moderator.get(page)
            assert answer.status_code in (200, 302, 403, 404), page
            assert "<img src=x" not in answer.content.decode(), page
            seen.append("&lt;img src=x" in answer.content.decode())
    assert any(seen)


def test_pending_items_come_first_and_unaudited_models_are_not_registered(moderator: Any) -> None:
    page = moderator.get("/moderation/").content.decode()
    assert page.index("Facts: 0") < page.index("Systems") < page.index("Users") < page.index("Audit events")
    assert 'href="/moderation/submitting/factsheet/?state__exact=review"' in page
    assert not any(word in page for word in ("Email addresses", "Authenticators", "Groups", "Procrastinate"))
    assert moderator.get("/moderation/mfa/authenticator/", follow=True).status_code == 404
