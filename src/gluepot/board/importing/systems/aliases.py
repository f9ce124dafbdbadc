"""Spelling variants of system names: detection of likely duplicates, and merging of declared aliases."""

import re

from django.db.models import QuerySet

from gluepot.board.importing.drafts import Draft
from gluepot.board.models import Entry, System
from gluepot.tasks.systems import find_system, names_of

_BETWEEN = re.compile(r"[\W_]+")


def spelling_of(name: str) -> str:
    """Normalise a name so that names differing only in case or word separators compare equal.

    >>> spelling_of("KB/bert-base_Swedish") == spelling_of("KB-bert-base-swedish"), spelling_of("gpt-1.3b") == spelling_of("gpt-13b")
    (True, False)
    """
    return _BETWEEN.sub("-", name.casefold()).strip("-")


def spelled_alike(name: str, others: QuerySet[System]) -> str | None:
    """Return the name of another system that is a spelling variant of this one, if any."""
    wanted = spelling_of(name)
    return next((known for known in others.values_list("name", flat=True) if known != name and spelling_of(known) == wanted), None)


def merge_aliases(system: System, draft: Draft) -> bool:
    """Move the entries of systems named by a declared alias to this system and delete those systems; return whether there were any."""
    declared = find_system(draft.suite.name, system.name)
    others = names_of(draft.suite.name, system.name) - {system.name} if declared.name == system.name else set()
    twins = System.objects.filter(name__in=others, owner=system.owner, identity={})
    for twin in twins:
        known = set(system.entries.values_list("suite_id", "digest"))
        fresh = [entry.pk for entry in twin.entries.all() if (entry.suite_id, entry.digest) not in known]
        Entry.objects.filter(pk__in=fresh).update(system=system)
    return bool(twins.delete()[0]) if twins else False
