"""Which system an entry is about: that of its identity, that of its name, or a new one. Two different things never share a row."""

from collections.abc import Sequence

from django.db.models import QuerySet

from gluepot.board.importing.drafts import Draft
from gluepot.board.importing.systems.aliases import spelled_alike
from gluepot.board.importing.systems.identity import differences
from gluepot.board.importing.systems.naming import fill_blanks, free_slug, look_of, shown_name
from gluepot.board.models import Entry, Score, System
from gluepot.errors import WrongUse
from gluepot.tasks.systems import is_trivial, names_of


class NameForOne(WrongUse):
    """A name for one system, given to several."""


class RefusedEntry(Exception):
    """An entry that is not stored: a code for machines, a message and a hint for people."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


def find_stored(draft: Draft) -> System | None:
    """The system of the same owner that a draft is about, as far as content, identity and name tell."""
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
    """Whether this content is on the board already, so that nothing need be scored."""
    same = Entry.objects.filter(digest=draft.digest, suite__name=draft.suite.name, suite__version=draft.suite.version)
    return same.filter(system=find_stored(draft), superseded=False).exists()


def joined_system(draft: Draft, *, replace: bool) -> System:
    """The draft's system, made if need be, locked until the transaction ends. Raises Refused where it may be another one."""
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
    """Let a draft into a row that is there."""
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
    """Whether more than a name that somebody chose speaks for one and the same system."""
    if not found.entries.exists() or (draft.identity and found.identity):
        return True
    if not draft.identity and not found.identity and draft.basis == "told":
        return True
    return _agree(found, draft.scores)


def _agree(found: System, scores: Sequence[Score]) -> bool:
    """Whether the same answers are there already: some numbers are the same, and none is another."""
    rows = Score.objects.filter(entry__system=found, current=True, verified=True, value__isnull=False)
    shown = {(row.task, row.split, row.metric, row.slice): row.value for row in rows.defer("replicates")}
    both = [(score.value, shown[place]) for score in scores if score.verified and (place := _place(score)) in shown]
    return bool(both) and all(new == old for new, old in both)


def _place(score: Score) -> tuple[str, str, str, str]:
    return score.task, score.split, score.metric, score.slice


def _rename(found: System, name: str, *, replace: bool) -> None:
    """Another name for a system that is there; its address stays. Others may know it by its name, so it must be asked for."""
    taken = found.entries.exclude(kind=Entry.Kind.RUN).exists()
    if taken or not replace:
        hint = "It keeps that name." if taken else "Leave out --name, or rename it with --replace."
        raise RefusedEntry("named-otherwise", f"it is on this board already, as {found.name!r}.", hint)
    _refuse_likeness(name, System.objects.exclude(pk=found.pk))
    found.name = name
    found.save(update_fields=["name"])


def _refuse_likeness(name: str, others: QuerySet[System]) -> None:
    """A new name that a reader of the board would take for another system's is none."""
    alike = next((known for known in others.values_list("name", flat=True) if look_of(known) == look_of(name)), None)
    if alike is not None:
        message = f"{name!a} looks like {alike!a}, which is on this board already."
        raise RefusedEntry("lookalike", message, "--name gives this one a name of its own.")


def _refuse_spelling(name: str, draft: Draft) -> None:
    """A new name that another system has in another spelling is no silent twin of it: somebody must say which it is."""
    if draft.basis == "given":
        return
    alias = names_of(draft.suite.name, name)
    alike = spelled_alike(name, System.objects.filter(owner=draft.owner).exclude(name__in=alias))
    if alike is not None and not (is_trivial(name) and is_trivial(alike)):  # those are known by exactly these names
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
