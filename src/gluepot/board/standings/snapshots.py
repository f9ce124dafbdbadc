"""Dated snapshots of quality pages, named after their content and immutable."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec
from django.utils.translation import override

from gluepot.board.models import Snapshot, SuiteVersion
from gluepot.board.standings.making import chosen_split, make_standings
from gluepot.board.standings.revisions import revision
from gluepot.board.standings.score_matrix import splits_of
from gluepot.board.standings.state import State, parse_state
from gluepot.errors import WrongUse

PASSING = ("revision", "splits", "pages", "citation", "unknown_parameters")
"""Page fields that describe the moment rather than the results."""


def take_snapshot(version: SuiteVersion, query: str = "") -> Snapshot:
    """Return a snapshot of a quality page state; the same content on the same day yields the same snapshot."""
    made, fresh = _take(version, _document(version, query))
    if fresh:
        _tell_pages()
    return made


def snapshot_all() -> list[Snapshot]:
    """Take snapshots of all suites and splits in their default state, where something changed since the last one."""
    taken = []
    for version in SuiteVersion.objects.order_by("pk"):
        for split in splits_of(version, revision()):
            found = _document(version, f"split={split}")
            last = Snapshot.objects.filter(suite=version, query=found["query"]).order_by("-pk").first()
            if last is None or last.key.rpartition("-")[2] != digest(found):
                made, fresh = _take(version, found)
                taken += [made] if fresh else []
    if taken:
        _tell_pages()
    return taken


def _take(version: SuiteVersion, found: dict[str, Any]) -> tuple[Snapshot, bool]:
    key = f"{datetime.now(UTC).date().isoformat()}-{digest(found)}"
    defaults = {"suite": version, "query": found["query"], "document": found}
    return Snapshot.objects.get_or_create(key=key, defaults=defaults)


def _document(version: SuiteVersion, query: str) -> dict[str, Any]:
    """Return the whole page as JSON data, without transient fields and always in English."""
    state = _plain_state(version, query)
    with override("en"):
        page = make_standings(version, state, whole=True)
    if page.unknown_parameters:
        raise WrongUse(f"{version.name} {version.version}: not understood: {', '.join(page.unknown_parameters)}.")
    return {name: _settled(value) for name, value in msgspec.to_builtins(page).items() if name not in PASSING}


def _plain_state(version: SuiteVersion, query: str) -> State:
    """Return the state without what does not affect a snapshot: page, intervals and the name of the default split."""
    state = parse_state(query)
    splits = splits_of(version, revision())
    usual = chosen_split(version, "", splits)
    return replace(state, page=1, intervals=False, split="" if state.split == usual else state.split)


def _settled(value: Any) -> Any:
    """Replace negative zeros, which PostgreSQL's JSON does not preserve."""
    if isinstance(value, dict):
        return {name: _settled(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_settled(one) for one in value]
    return value + 0.0 if isinstance(value, float) else value


def encode_document(found: dict[str, Any]) -> bytes:
    """Encode a snapshot's document deterministically, with keys in alphabetical order.

    >>> encode_document({"b": 0.5, "a": None})
    b'{"a":null,"b":0.5}'
    """
    return msgspec.json.encode(found, order="deterministic")


def digest(found: dict[str, Any]) -> str:
    """Return the suffix of a snapshot's key: the start of its document's SHA-256, which anyone can verify."""
    return sha256(encode_document(found)).hexdigest()[:8]


def _tell_pages() -> None:
    from gluepot.board.importing.storage.entries import bump_revision

    bump_revision()
