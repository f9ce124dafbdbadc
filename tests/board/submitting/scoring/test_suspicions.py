"""Detection of copied predictions and label probing for review by moderators, without false alarms for honest work."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.board.submitting.conftest import POCKET

ITEMS = 200


def scored(member: Any, team: Any, path: Path, work: Callable[[], None]) -> Any:
    from gluepot.board.submitting.intake.acceptance import Sender, accept, check
    from gluepot.tasks.declarations import load_suite

    checked = check(load_suite(POCKET), path)
    assert checked.is_sound, checked.problems
    upload = accept(checked, Sender(member, team), path.stem, path.name)
    work()
    return upload


def test_copies_of_another_team_are_flagged_and_own_ones_are_not(
    member: Callable[..., Any], work: Callable[[], None], sample: Path
) -> None:
    from gluepot.board.submitting.models import Suspicion

    ann, ben = member(), member("ben@example.org")
    first = scored(ann, ann.teams.get(), sample, work)
    assert not Suspicion.objects.exists()
    second = scored(ben, ben.teams.get(), sample, work)
    (found,) = Suspicion.objects.all()
    assert (found.kind, found.upload, found.other, found.settled) == ("near-copy", second, first, False)
    assert set(found.details["tasks"].values()) == {1.0}


def test_copies_of_a_downloadable_system_are_flagged(member: Callable[..., Any], work: Callable[[], None], sample: Path) -> None:
    from django.contrib import admin

    from gluepot.board.importing import import_paths
    from gluepot.board.models import System
    from gluepot.board.submitting.models import Suspicion

    import_paths([sample], POCKET, name="known")
    system = System.objects.exclude(entries__answers=None).distinct().get()
    ben = member("ben@example.org")
    upload = scored(ben, ben.teams.get(), sample, work)
    (found,) = Suspicion.objects.all()
    assert (found.kind, found.upload, found.other, found.details["system"]) == ("near-copy", upload, None, system.slug)
    assert set(found.details["tasks"].values()) == {1.0}
    site = admin.site._registry[Suspicion]
    assert site.other_team(found) == system.slug


def flags(labels: list[list[int]]) -> str:
    from gluepot.board.submitting.scoring.suspicions import probing_pattern

    vectors = [np.array(one, np.uint32) for one in labels]
    return probing_pattern(vectors[-1], vectors[:-1])


def test_random_and_single_label_probing_is_flagged_and_honest_progress_is_not() -> None:
    rng = Random(5)
    gold = [rng.randrange(2) for _ in range(ITEMS)]

    def system(quality: float) -> list[int]:
        return [right if rng.random() < quality else 1 - right for right in gold]

    flips = [[rng.randrange(2) for _ in range(ITEMS)] for _ in range(9)]
    assert "no more than by chance" in flags(flips)
    single = [system(0.8)]
    for number in range(6):
        single.append([1 - label if at == number else label for at, label in enumerate(single[0])])
    assert "differ in at most" in flags(single)
    assert flags([system(quality / 100) for quality in range(70, 90)]) == ""
    assert flags(flips[:4]) == "", "a beginner's first tries"


@pytest.mark.parametrize(("changed", "flagged"), [(1, True), (2, False)])
def test_copy_threshold_is_995_of_1000_answers(changed: int, flagged: bool) -> None:
    from gluepot.board.submitting.scoring.answer_vectors import agreement
    from gluepot.board.submitting.scoring.suspicions import SAME

    first = np.arange(ITEMS, dtype=np.uint32)
    second = first.copy()
    second[:changed] += 1_000
    assert (agreement(first, second) >= SAME) is flagged


def test_moderators_see_a_readable_finding(
    member: Callable[..., Any], client_of: Callable[[Any], Any], work: Callable[[], None], sample: Path
) -> None:
    from django.contrib import admin
    from django.test import RequestFactory

    from gluepot.board.submitting.models import Suspicion

    ann, ben = member(), member("ben@example.org")
    scored(ann, ann.teams.get(), sample, work)
    scored(ben, ben.teams.get(), sample, work)
    site = admin.site._registry[Suspicion]
    (found,) = site.get_queryset(RequestFactory().get("/"))
    assert "stance-sv: 100.0% the same" in site.evidence(found)
    assert (site.team(found), site.other_team(found)) == ("ben", "ann")
