"""Storage of an entry: atomic, preserves known facts, and leaves one current row per score."""

import pytest

from gluepot.tasks.declarations import load_suite
from gluepot.tasks.systems import SystemInfo as Facts

POCKET = load_suite("pocket")


def draft(system="mine", *, digest="0", verified=True, value=0.5, task="stance-sv", kind="run", **facts):
    from gluepot.board.importing.drafts import Draft
    from gluepot.board.models import Score

    row = Score(task=task, split="test", metric="accuracy", value=value, verified=verified)
    return Draft(POCKET, Facts(system, **facts), kind, "a test", digest, scores=[row])


def put(*args, **kwargs):
    from gluepot.board.importing.storage.entries import store

    return store(draft(*args, **kwargs), 0.0, replace=True)


def shown():
    from gluepot.board.models import Score

    return Score.objects.get(task="stance-sv", current=True)


def test_computed_score_is_preferred_to_a_reported_one_in_any_order(board):
    put(digest="1", verified=True, value=0.4)
    put(digest="2", verified=False, value=0.9)
    assert shown().value == 0.4
    put(digest="3", verified=True, value=0.3)
    assert shown().value == 0.3


def test_newest_reported_score_is_shown(board):
    put(digest="1", verified=False, value=0.4)
    put(digest="2", verified=False, value=0.9)
    assert shown().value == 0.9


def test_score_without_a_value_does_not_hide_one_with_a_value(board):
    put(digest="1", verified=False, value=0.4)
    put(digest="2", verified=False, value=None)
    assert shown().value == 0.4


def test_each_change_increments_the_revision(board):
    from gluepot.board.models import Revision

    put(digest="1")
    put(digest="1")
    put(digest="2")
    assert Revision.objects.get().number == 2


def test_failed_write_leaves_no_rows_and_no_files(board, monkeypatch):
    from django.core.files.storage import default_storage

    from gluepot.board.importing.drafts import DraftAnswers
    from gluepot.board.importing.storage import entries
    from gluepot.board.models import Entry, Revision, System

    whole = draft()
    whole.files = [DraftAnswers("stance-sv", "test", seed, b"data", b"") for seed in (1, 2)]
    saved = []

    def failing(name, content):
        if saved:
            raise OSError("disk full")
        saved.append(name)
        return name

    monkeypatch.setattr(default_storage, "save", failing)
    with pytest.raises(OSError, match="disk full"):
        entries.store(whole, 0.0)
    assert (Entry.objects.count(), System.objects.count(), Revision.objects.count()) == (0, 0, 0)
    assert not default_storage.exists(saved[0])


def test_blank_facts_are_filled_and_known_facts_stay(board):
    from gluepot.board.models import System

    put(digest="1", family="Encoder")
    put(digest="2", family="", parameters=5, link="https://example.org/m")
    put(digest="3", family="Decoder", parameters=6, link="javascript:alert(1)")
    system = System.objects.get()
    assert (system.family, system.parameters, system.link) == ("Encoder", 5, "https://example.org/m")


def test_slugs_derive_from_names_and_are_unique(board):
    from gluepot.board.models import System

    for number, name in enumerate(["KB/bert.base", "KB/bert.base лёд", "KB/bert.base клей", "жжж", "клей", "a" * 300]):
        put(name, digest=str(number))
    slugs = dict(System.objects.values_list("name", "slug"))
    assert slugs["KB/bert.base"] == "kb-bert-base"
    assert slugs["KB/bert.base лёд"] == "kb-bert-base-2"
    assert slugs["KB/bert.base клей"] == "kb-bert-base-3"
    assert len(set(slugs.values())) == 6
    assert max(map(len, slugs.values())) <= 120


def test_characters_that_postgresql_cannot_store_are_removed(board):
    from gluepot.board.importing.storage.entries import store
    from gluepot.board.models import Entry

    odd = draft("odd\0name", family="x\0")
    odd.details = {"a\0": ["\0b", {"c": "\ud800"}]}
    odd.card = "card\0"
    store(odd, 0.0)
    assert Entry.objects.get().details == {"a": ["b", {"c": "?"}]}
