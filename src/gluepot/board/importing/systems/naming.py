"""Names, slugs and facts of the systems on the board."""

import re
import unicodedata
from urllib.parse import urlsplit

from django.utils.text import slugify
from msgspec.structs import replace

from gluepot.board.importing.drafts import Basis, clean
from gluepot.board.models import System
from gluepot.submissions.opening.entries import displayed
from gluepot.tasks import systems

LONGEST_SLUG = 110
_UNMARKED = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0100-\U000e01ef]"
)
"""Invisible characters: fillers, joiners, variation selectors and the blank Braille pattern."""
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58]")
_ALIKE = str.maketrans("АВЕЅЗІЈКМНОРСТУХавеѕіјкморстухԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧορν", "ABES3IJKMHOPCTYXabesijkmopctyxdqwhABEZHIKMNOPTYXopv")
"""Cyrillic and Greek letters that look like Latin ones."""


def fill_blanks(system: System, facts: systems.SystemInfo, card: str = "") -> None:
    """Fill in the unknown facts of a system, and a role other than the default; known facts do not change."""
    known = {
        "family": clean(displayed(facts.family))[:100],
        "parameters": facts.parameters,
        "data_size": facts.data_size,
        "languages": facts.languages,
        "team": clean(facts.team)[:200],
        "link": safe_link(clean(facts.link)),
        "released": facts.released,
        "card": clean(card),
    }
    if facts.role != "system" and system.role == "system":
        System.objects.filter(pk=system.pk).update(role=facts.role)
    changed = [field for field, value in known.items() if value not in (None, "", []) and getattr(system, field) in (None, "", [])]
    for field in changed:
        setattr(system, field, known[field])
    if changed:
        system.save(update_fields=changed)


def apply_given_name(
    facts: systems.SystemInfo, suite: str, given: str | None, basis: Basis = "guessed"
) -> tuple[systems.SystemInfo, Basis]:
    """Return a system's facts under the given name, if any, and the origin of its name."""
    if given is None:
        return facts, "declared" if basis != "guessed" and systems.is_declared(suite, facts.name) else basis
    known = systems.find_system(suite, given)
    blank = {name: getattr(facts, name) for name in known.__struct_fields__ if getattr(known, name) in (None, "", [])}
    role = known.role if facts.role == "system" and systems.is_declared(suite, given) else facts.role
    return replace(known, **blank, role=role), "given"


def shown_name(name: str) -> str:
    """Return a name as the board stores and shows it, without invisible characters that would distinguish it from another.

    >>> shown_name(" KB/bert\\u3164"), shown_name("KB/\\u200bbe\\u00adrt")
    ('KB/bert', 'KB/bert')
    """
    shown: str = clean(displayed(unicodedata.normalize("NFC", " ".join(_UNMARKED.sub("", name).split()))))
    return shown[:200] or "?"


def lookalike_key(name: str) -> str:
    """Return a key that is equal for names that look the same to a reader.

    >>> lookalike_key("\\u041aB/bert\\u2010base") == lookalike_key("KB/bert-base"), lookalike_key("KB/bert") == lookalike_key("KB/BERT")
    (True, False)
    """
    return _DASHES.sub("-", unicodedata.normalize("NFKC", name)).translate(_ALIKE)


def free_slug(name: str) -> str:
    """Return a slug that no other system has.

    The first system of a name gets the plain slug: kb-bert-base for `KB/bert-base`.
    """
    plain = slugify(name.replace("/", "-").replace(".", "-").replace(":", "-"))[:LONGEST_SLUG].strip("-") or "system"
    taken = set(System.objects.filter(slug__startswith=plain).values_list("slug", flat=True))
    return next(slug for slug in (plain, *(f"{plain}-{number}" for number in range(2, len(taken) + 3))) if slug not in taken)


def safe_link(link: str) -> str:
    """Return the link if a page may contain it (http or https, limited length), else an empty string.

    >>> safe_link("https://example.org/model"), safe_link("javascript:alert(1)")
    ('https://example.org/model', '')
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    bare = link.isprintable() and " " not in link and len(link) <= 500
    return link if bare and parts.scheme in ("http", "https") and parts.hostname else ""
