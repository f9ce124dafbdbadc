"""Access control at every routed address: private files, scores and drafts are neither visible to others nor changed by them."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils.regex_helper import normalize
from tests.board.submitting.people import Visitor, make_member, make_moderator

MARKS = {"ours": "zebra-of-the-team", "mine": "heron-of-ann-alone"}
"""Words that occur only in names, facts, scores and files of private submissions."""
MODERATES = "a moderator's key for moderation"
VALUES = {
    "suite": "pocket",
    "version": "1",
    "task": "stance-sv",
    "slug": "nothing",
    "form": "json",
    "app_label": "submitting",
    "content_type_id": "1",
    "uidb36": "1",
    "token": "x",
    "url": "nothing",
    "other": "{place}",
    "act": "remove",
    "invitation": "1",
    "secret": "guessed",
    "object_id": "{sheet}",
    "sheet": "{sheet}",
    "account": "{account}",
    "suspicion": "1",
    "number": "{number}",
    "key": "{key}",
}
"""Values of URL parameters, which refer to Ann's objects where possible. A new parameter fails the tests until it is added."""
FORM = {
    "name": "taken over",
    "send": "1",
    "decision": "approve",
    "why": "x",
    "email": "bob@example.org",
    "family": "Encoder",
    "parameters": "1M",
    "data_size": "1",
    "data_kind": "x",
    "link": "https://example.org/",
    "scope": "submit",
    "days": "1",
    "member": "1",
    "team": "1",
    "confirm": "1",
}


def addresses(patterns: Any = None, before: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield every routed address, in English, with the names of its parameters."""
    from django.urls import get_resolver

    for one in patterns if patterns is not None else get_resolver().url_patterns:
        inner = getattr(one, "url_patterns", None)
        text = "" if str(one.pattern) in ("", "en/") else one.pattern.regex.pattern.removeprefix("^")
        for form, names in normalize(text)[:1] if text else [("", [])]:
            if inner is None:
                yield before + form, names
            else:
                yield from ((place, [*names, *more]) for place, more in addresses(inner, before + form))


@pytest.fixture
def private(open_board: Path) -> dict[str, Any]:
    """Return Ann's submission for her team and her personal one."""
    from django.core.files.base import ContentFile

    from gluepot.board.accounts.models import ApiKey, Membership, Team
    from gluepot.board.submitting.models import FactSheet, ScoreRevision, Upload

    ann = make_member("ann@example.org")
    shared = Team.objects.create(name="glue")
    Membership.objects.create(team=shared, member=ann, leads=True)
    found: dict[str, Any] = {"ann": ann, "shared": shared, "key": ApiKey.make(ann, "mine", "submit")}
    for which, team in (("ours", shared), ("mine", ann.teams.get(personal=True))):
        mark, packed = MARKS[which], io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(f"{mark}.jsonl", "{}\n")
        upload = Upload(team=team, member=ann, suite="pocket", version="1", name=mark, filename=f"{mark}.zip", digest=mark, state="scored")
        upload.reason = mark
        upload.file.save(f"{mark}.zip", ContentFile(packed.getvalue()), save=False)
        upload.save()
        document = {"overall": 0.5, "low": 0.4, "high": 0.6, "best": mark, "rank": 1, "rank_low": 1, "rank_high": 1, "of": 1}
        document |= {"difference": None, "difference_low": None, "difference_high": None, "missing": [], "tasks": [], "neighbours": []}
        ScoreRevision.objects.create(upload=upload, version="1", data="x", scorer="x", document=document)
        found[which] = upload
        found[f"{which} sheet"] = FactSheet.objects.create(upload=upload, name=mark, description=mark)
    return found


@pytest.fixture
def visitors(private: dict[str, Any]) -> list[Visitor]:
    from django.utils import timezone

    from gluepot.board.accounts.models import ApiKey, Member, Membership

    bob, cid = make_member("bob@example.org"), make_member("cid@example.org")
    Membership.objects.create(team=private["shared"], member=cid)
    moderator = make_moderator()
    revoked, words = ApiKey.make(private["ann"], "lost", "submit")
    ApiKey.objects.filter(pk=revoked.pk).update(revoked=timezone.now())
    old, expired = ApiKey.make(private["ann"], "old", "submit")
    ApiKey.objects.filter(pk=old.pk).update(expires=timezone.now())
    former = make_moderator("former@example.org")
    decided = ApiKey.make(former, "former's", "moderate")[1]
    Member.objects.filter(pk=former.pk).update(is_staff=False)
    ours = {MARKS["ours"]}
    return [
        Visitor("nobody"),
        Visitor("somebody", bob),
        Visitor("somebody's key", key=ApiKey.make(bob, "bob's", "submit")[1]),
        Visitor("somebody's key for all of the account", key=ApiKey.make(bob, "bob's all", "account")[1]),
        Visitor("a former moderator's key for moderation", key=decided),
        Visitor("a revoked key", key=words),
        Visitor("an expired key", key=expired),
        Visitor("a team mate", cid, sees=ours),
        Visitor("a team mate's key", key=ApiKey.make(cid, "cid's", "read")[1], sees=ours),
        Visitor("a moderator without the second factor", moderator),
        Visitor("a moderator's key", key=ApiKey.make(moderator, "mo's", "submit")[1]),
        Visitor("a moderator", moderator, second_factor=True, sees=set(MARKS.values())),
        Visitor(MODERATES, key=ApiKey.make(moderator, "mo decides", "moderate")[1], sees=set(MARKS.values())),
    ]


def filled(place: str, names: list[str], private: dict[str, Any], which: str) -> str:
    own = {"key": private[which].key, "number": private["key"][0].pk, "sheet": private[f"{which} sheet"].pk, "place": 2}
    own["account"] = private["ann"].pk
    if "teams" in place:
        own["number"] = private["shared"].pk
    return "/" + place % {name: VALUES[name].format(**own) for name in names}


def state() -> list[Any]:
    """Return every record of Ann's that someone else could change."""
    from gluepot.board.accounts.models import ApiKey, Member, Membership
    from gluepot.board.submitting.models import FactSheet, Upload

    kept = [
        ApiKey.objects.filter(member__email="ann@example.org").values("pk", "revoked", "expires"),
        Member.objects.filter(email="ann@example.org").values("pk", "email", "is_active", "is_staff"),
        Membership.objects.filter(member__email="ann@example.org").values(),
        Upload.objects.order_by("pk").values("pk", "name", "state", "team", "reason"),
        FactSheet.objects.order_by("pk").values("pk", "name", "state", "reason", "link"),
    ]
    return [list(rows) for rows in kept]


def shown(answer: Any) -> str:
    content = b"".join(answer) if answer.streaming else answer.content
    answer.close()
    return content.decode("utf-8", "replace")


def test_every_url_parameter_has_a_test_value(open_board: Path) -> None:
    known = list(addresses())
    assert len(known) > 80
    assert {name for _, names in known for name in names} <= set(VALUES)
    assert any(place.startswith("submissions/%(key)s/file") for place, _ in known)
    assert any(place.startswith("api/my/submissions/%(key)s/file") for place, _ in known)
    assert any(place.startswith("moderation/submitting/factsheet/") for place, _ in known)


def test_visitors_cannot_read_private_data_of_others(private: dict[str, Any], visitors: list[Visitor]) -> None:
    for visitor in visitors:
        client = visitor.client()
        hidden = set(MARKS.values()) - visitor.sees
        for place, names in addresses():
            if "logout" in place:
                continue
            for which in MARKS if set(names) & {"key", "object_id"} else ["ours"]:
                address = filled(place, names, private, which)
                answer = client.get(address)
                assert answer.status_code < 500, f"{visitor.name}: {address}"
                text = shown(answer)
                assert not [mark for mark in hidden if mark in text], f"{visitor.name} reads {address}"


def test_visitors_cannot_change_data_of_others(private: dict[str, Any], visitors: list[Visitor]) -> None:
    before = state()
    rooms = ("account/", "submi", "api/my/", "moderation/")
    places = [one for one in addresses() if one[0].startswith(rooms) and "logout" not in one[0]]
    for visitor in (visitor for visitor in visitors if not visitor.sees):
        client = visitor.client()
        for place, names in places:
            address = filled(place, names, private, "ours")
            program = place.startswith("api/")
            for method in ("post", "patch", "delete") if program else ("post",):
                answer = getattr(client, method)(address, FORM, **({"content_type": "application/json"} if program else {}))
                assert answer.status_code < 500, f"{visitor.name}: {method} {address}"
                assert not [mark for mark in MARKS.values() if mark in shown(answer)], f"{visitor.name}: {method} {address}"
        assert state() == before, visitor.name


def test_only_permitted_visitors_see_page_file_and_score(private: dict[str, Any], visitors: list[Visitor]) -> None:
    for visitor in visitors:
        client, found = visitor.client(), private["ours"]
        room = "/api/my/submissions" if visitor.key else "/submissions"
        room = "/api/my/moderation/submissions" if visitor.name == MODERATES else room
        page, file = client.get(f"{room}/{found.key}"), client.get(f"{room}/{found.key}/file")
        allowed = MARKS["ours"] in visitor.sees
        assert ((page.status_code, file.status_code) == (200, 200)) == allowed, visitor.name
        assert (MARKS["ours"] in shown(file)) == allowed, visitor.name


def test_read_only_key_changes_nothing(private: dict[str, Any], visitors: list[Visitor]) -> None:
    before = state()
    mate = next(visitor for visitor in visitors if visitor.name == "a team mate's key").client()
    address = f"/api/my/submissions/{private['ours'].key}"
    answers = [mate.delete(address), mate.post(f"{address}/score"), mate.post(f"{address}/publish", FORM, content_type="application/json")]
    answers += [mate.patch(f"{address}/facts", FORM, content_type="application/json"), mate.get("/api/my/keys")]
    assert [answer.status_code for answer in answers] == [403] * 5
    assert state() == before


def test_key_is_limited_to_its_scope(private: dict[str, Any]) -> None:
    from gluepot.board.accounts.models import ApiKey

    moderator = make_moderator()
    tried = ("/api/my/account", "/api/my/keys", "/api/my/account/export", "/api/my/moderation/queue", "/api/my/moderation/audit")
    answers = {}
    for scope in ApiKey.Scope.values:
        client = Visitor(scope, key=ApiKey.make(moderator, scope, scope)[1]).client()
        answers[scope] = [client.get(address).status_code for address in tried]
    assert answers["read"] == answers["submit"] == [200, 403, 403, 403, 403]
    assert answers["account"] == [200, 200, 200, 403, 403]
    assert answers["moderate"] == [200, 403, 403, 200, 200]


def test_keys_of_submissions_cannot_be_guessed(private: dict[str, Any]) -> None:
    assert isinstance(private["ours"].key, UUID)
    assert private["ours"].key.version == 4
