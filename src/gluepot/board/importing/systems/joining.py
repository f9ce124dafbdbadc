"""Matching of an entry to a system by identity or name, or to a new one; two different systems never share a row."""

from collections.abc import Sequence

from django.db.models import QuerySet

from gluepot.board.importing.drafts import Draft
from gluepot.board.importing.systems.aliases import spelled_alike
from gluepot.board.importing.systems.identity import differences
from gluepot.board.importing.systems.naming import fill_blanks, free_slug, lookalike_key, shown_name
from gluepot.board.models import Entry, Score, System
from gluepot.errors import WrongUse
from gluepot.tasks.systems import is_trivial, names_of


class AmbiguousNameError(WrongUse):
    """Error raised when a name for one system is given to several."""


class RefusedEntry(Exception):
    """Error raised for an entry that is not stored, with a machine-readable code, a message and a hint."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


def find_stored(draft: Draft) -> System | None:
    """Return the same owner's system that matches a draft by content, identity or name, if any."""
    own = System.objects.filter(owner=draft.owner)
    named = own.filter(name=shown_name(draft.system.name)).first()
    if not draft.identity or (draft.basis == "given" and named):
        return named
    same = own.filter(identity=draft.identity).order_by("pk")
    content = {"entries__digest": draft.digest, "entries__suite__name": draft.suite.name, "entries__suite__version": draft.suite.version}
    found = same.filter(**content).first()
    if found or draft.basis == "given":
        return found
    return named if named is not None and named in same else same.first() or named


def is_stored(draft: Draft) -> bool:
    """Return whether this content is on the board already, so that it need not be scored."""
    same = Entry.objects.filter(digest=draft.digest, suite__name=draft.suite.name, suite__version=draft.suite.version)
    return same.filter(system=find_stored(draft), superseded=False).exists()


def joined_system(draft: Draft, *, replace: bool) -> System:
    """Return the draft's system, created if needed and locked until the transaction ends; raise RefusedEntry if it may be another."""
    found = find_stored(draft)
    name = shown_name(draft.system.name)
    taken = System.objects.filter(name=name).exclude(owner=draft.owner).first()
    if taken is not None and (found is None or draft.basis == "given"):
        raise _owned(taken, draft)
    if found is None:
        _refuse_likeness(name, System.objects.all())
        _refuse_spelling(name, draft)
        found = System.objects.create(name=name, slug=free_slug(name), role=draft.system.role, identity=draft.identity, owner=draft.owner)
    found = System.objects.select_for_update(no_key=True).get(pk=found.pk)
    if found.name != name and draft.basis == "given":
        _rename(found, name, replace=replace)
    if not is_stored(draft):
        _join(found, draft, replace=replace)
    fill_blanks(found, draft.system, draft.card)
    return found


def _join(found: System, draft: Draft, *, replace: bool) -> None:
    """Join a draft to an existing system, or raise RefusedEntry if it may be another."""
    if draft.identity and found.identity and draft.identity != found.identity:
        if not replace:
            raise _other(found, draft)
        found.entries.filter(kind=Entry.Kind.RUN).update(superseded=True)
    elif not (replace or draft.basis in ("given", "declared") or _is_same(found, draft)):
        raise _unsure(found)
    if draft.identity and draft.identity != found.identity:
        found.identity = draft.identity
        found.save(update_fields=["identity"])


def _is_same(found: System, draft: Draft) -> bool:
    """Return whether more than a user-chosen name indicates that the system is the same."""
    if not found.entries.exists() or (draft.identity and found.identity):
        return True
    if not draft.identity and not found.identity and draft.basis == "told":
        return True
    return _agree(found, draft.scores)


def _agree(found: System, scores: Sequence[Score]) -> bool:
    """Return whether the computed scores match those stored: at least one is shared, and none differs."""
    rows = Score.objects.filter(entry__system=found, current=True, verified=True, value__isnull=False)
    shown = {(row.task, row.split, row.metric, row.slice): row.value for row in rows.defer("replicates")}
    both = [(score.value, shown[place]) for score in scores if score.verified and (place := _place(score)) in shown]
    return bool(both) and all(new == old for new, old in both)


def _place(score: Score) -> tuple[str, str, str, str]:
    return score.task, score.split, score.metric, score.slice


def _rename(found: System, name: str, *, replace: bool) -> None:
    """Rename an existing system, keeping its slug; `replace` is required, because others may know the system by its name."""
    taken = found.entries.exclude(kind=Entry.Kind.RUN).exists()
    if taken or not replace:
        hint = "It keeps that name." if taken else "Leave out --name, or rename it with --replace."
        raise RefusedEntry("named-otherwise", f"it is on this board already, as {found.name!r}.", hint)
    _refuse_likeness(name, System.objects.exclude(pk=found.pk))
    found.name = name
    found.save(update_fields=["name"])


def _refuse_likeness(name: str, others: QuerySet[System]) -> None:
    """Refuse a new name that looks like another system's to a reader of the board."""
    alike = next((known for known in others.values_list("name", flat=True) if lookalike_key(known) == lookalike_key(name)), None)
    if alike is not None:
        message = f"{name!a} looks like {alike!a}, which is on this board already."
        raise RefusedEntry("lookalike", message, "--name gives this one a name of its own.")


def _refuse_spelling(name: str, draft: Draft) -> None:
    """Refuse a new name that is a spelling variant of another system's, unless the user gave it explicitly."""
    if draft.basis == "given":
        return
    alias = names_of(draft.suite.name, name)
    alike = spelled_alike(name, System.objects.filter(owner=draft.owner).exclude(name__in=alias))
    if alike is not None and not (is_trivial(name) and is_trivial(alike)):  # trivial systems are known by their exact names
        message = f"{name!r} may be another spelling of {alike!r}, which is on this board already."
        hint = f"--name {alike!r} says that it is, for ever `aliases` in systems.toml; another --name makes it a system of its own."
        raise RefusedEntry("other-spelling", message, hint)


def _other(found: System, draft: Draft) -> RefusedEntry:
    told = "; ".join(differences(found.identity, draft.identity))
    message = f"{found.name!r} is another system on this board ({told})."
    return RefusedEntry("other-system", message, "--name gives this one a name of its own; --replace puts it in the other's place.")


def _owned(taken: System, draft: Draft) -> RefusedEntry:
    message = f"{taken.name!r} on this board was brought by {taken.owner or 'somebody else'}, and this comes from {draft.owner}."
    return RefusedEntry("other-owner", message, "--name gives this one a name of its own; --owner says in whose name it comes.")


def _unsure(found: System) -> RefusedEntry:
    message = f"a system {found.name!r} is on this board already, and nothing but the name says that this is the same."
    return RefusedEntry("other-system", message, f"--name {found.name!r} says that it is; another --name makes it a system of its own.")
