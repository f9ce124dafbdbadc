"""Systems on the board: found by their name or made, with a stable address, blanks filled in."""

from urllib.parse import urlsplit

from django.utils.text import slugify

from gluepot.board.importing.drafts import clean
from gluepot.board.models import System
from gluepot.data.submissions.entries import displayed
from gluepot.tasks import systems

LONGEST_SLUG = 110


def stored_system(facts: systems.System, card: str = "") -> System:
    """The system of that name, locked until the transaction ends; what is known already stays, blanks are filled."""
    name = shown_name(facts)
    system = (
        System.objects.filter(name=name).first()
        or System.objects.get_or_create(name=name, defaults={"slug": free_slug(name), "role": facts.role})[0]
    )
    system = System.objects.select_for_update().get(pk=system.pk)
    known = {
        "family": clean(displayed(facts.family))[:100],
        "parameters": facts.parameters,
        "data_size": facts.data_size,
        "languages": facts.languages,
        "team": clean(facts.team)[:200],
        "link": safe_link(facts.link),
        "card": clean(card),
    }
    if facts.role != "system" and system.role == "system":
        System.objects.filter(pk=system.pk).update(role=facts.role)
    changed = [field for field, value in known.items() if value not in (None, "", []) and getattr(system, field) in (None, "", [])]
    for field in changed:
        setattr(system, field, known[field])
    if changed:
        system.save(update_fields=changed)
    return system


def shown_name(facts: systems.System) -> str:
    """The name that a board shows and knows a system by."""
    name: str = clean(displayed(facts.name))
    return name[:200]


def free_slug(name: str) -> str:
    """A short name for addresses that no other system has.

    The first system of a name keeps the plain one: `KB/bert-base` is kb-bert-base.
    """
    plain = slugify(name.replace("/", "-").replace(".", "-").replace(":", "-"))[:LONGEST_SLUG].strip("-") or "system"
    taken = set(System.objects.filter(slug__startswith=plain).values_list("slug", flat=True))
    return next(slug for slug in (plain, *(f"{plain}-{number}" for number in range(2, len(taken) + 3))) if slug not in taken)


def safe_link(link: str) -> str:
    """A link that a page may carry: http or https, of bearable length; else none.

    >>> safe_link("https://example.org/model"), safe_link("javascript:alert(1)")
    ('https://example.org/model', '')
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    bare = link.isprintable() and " " not in link and len(link) <= 500
    return link if bare and parts.scheme in ("http", "https") and parts.hostname else ""
