"""Redistribution terms of declared licences, and their identifiers on the hub.

Only licences known to permit redistribution pass; an unfamiliar one must be read by the user and accepted by name.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gluepot.records import Suite, Task

OTHER = "other"
_NAMES = (
    "afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0 c-uda cc0-1.0 cc-by-2.0 "
    "cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 "
    "cc-by-nc-sa-4.0 cdla-sharing-1.0 cdla-permissive-1.0 cdla-permissive-2.0 ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 gfdl gpl "
    "gpl-2.0 gpl-3.0 isc lgpl lgpl-2.1 lgpl-3.0 lgpl-lr lppl-1.3c mit mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 osl-3.0 pddl postgresql "
    "unlicense wtfpl zlib "
)
HUB = frozenset(_NAMES.split())
"""Hub identifiers of licences that permit redistribution: docs/hub/repositories-licenses.md of huggingface/hub-docs."""
_ELSEWHERE = re.compile(
    r"0bsd|cc-pddc|dl-de-(by|zero)-2\.0|eupl-1\.2|kogl-1|mit-0|nlod-[12]\.0|ogl-(canada|uk)-[123]\.0|ogl-canada-2\.0|public-domain"
)
"""Licences with an SPDX identifier that permit it too but have no hub identifier."""
_CC = re.compile(r"cc-by(-nc)?(-sa)?(-\d\.\d)?(-[a-z]{2,3})?")
_ABSENT = {"", "unknown", "none", "noassertion", "licenseref-unknown", "licenseref-none", "n/a", "not-stated", "unlicensed", "tbd"}
_FORBIDDEN = re.compile(
    r"all-rights-reserved|proprietary|confidential|^commercial$|copyrighted|in-?house|internal"
    r"|(no|not|non|without)-(for-)?(re)?distribut|(research|academic|evaluation)(-use|-purposes)?-only|only-for-(research|academic)|for-research"
    r"|non-?commercial-research|research-use|no-(sharing|publication)"
)
_SPELLINGS = {
    "apache": "apache-2.0",
    "apache-2": "apache-2.0",
    "apache2.0": "apache-2.0",
    "cc0": "cc0-1.0",
    "cc-0": "cc0-1.0",
    "cc-zero": "cc0-1.0",
    "cc0-1": "cc0-1.0",
    "cc-zero-1.0": "cc0-1.0",
    "odc-pddl": "pddl",
    "odc-odbl": "odbl",
    "open-database": "odbl",
}
_SPELLED_OUT = (
    ("^creative-commons-zero", "cc0"),
    ("^creative-commons", "cc"),
    ("-attribution", "-by"),
    ("-non-?commercial", "-nc"),
    ("-share-?alike", "-sa"),
    ("-no-?deriv(ative|ativework)?s?", "-nd"),
    (r"-(international|unported|generic|universal|public|\(.*\))", ""),
)
_ADDRESS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/(\d\.\d)(?:/([a-z]{2,3}))?.*", re.IGNORECASE
)


@dataclass(frozen=True)
class License:
    """A licence that permits redistribution."""

    name: str
    """Name as declared."""
    hub: str
    """Identifier on the hub, or `other`."""
    url: str | None
    noncommercial: bool = False


@dataclass(frozen=True)
class Permission:
    """Permission to redistribute under a declared licence, possibly an expression of several: the licences, or a refusal."""

    licenses: tuple[License, ...] = ()
    refusal: str = ""


def judge_license(declared: str, accepted: Collection[str] = ()) -> Permission:
    """Evaluate a declaration's `license`; `A AND B` binds to both, `A OR B` leaves the choice.

    >>> judge_license("CC-BY-4.0 AND CC-BY-NC-SA-4.0").licenses[1].hub
    'cc-by-nc-sa-4.0'
    >>> judge_license("CC-BY-ND-4.0").refusal
    'it forbids adapted versions, and an export is one.'
    """
    text = declared.strip()
    while (bare := _without_parentheses(text)) != text:
        text = bare
    if len(parts := _split(text, "OR")) > 1:
        permissions = [judge_license(part, accepted) for part in parts]
        return next((permission for permission in permissions if not permission.refusal), permissions[0])
    if len(parts := _split(text, "AND")) > 1:
        permissions = [judge_license(part, accepted) for part in parts]
        refused = next((permission for permission in permissions if permission.refusal), None)
        return refused or Permission(tuple(dict.fromkeys(one for permission in permissions for one in permission.licenses)))
    return _judge_one(text.partition(" WITH ")[0], accepted)


def judge_tasks(
    suite: Suite, tasks: Iterable[Task], accepted: Collection[str] = ()
) -> tuple[dict[str, tuple[License, ...]], dict[str, str]]:
    """Return the licences of each task, and the reasons for refusing a task or the whole suite.

    A part of the suite's licence that a task declares binds that task alone; any other part binds the whole suite.
    A suite without a licence adds no terms to those of its tasks.
    """
    permissions = {task.path: judge_license(task.license, accepted) for task in tasks}
    own = {_key(part) for task in suite.tasks.values() for part in (task.license, *_terms(task.license))}
    common = [judge_license(part, accepted).refusal for part in _terms(suite.license) if _key(part) not in own | _ABSENT]
    refusals = {suite.name: f"({suite.license}): {next(filter(None, common))}"} if any(common) else {}
    declared = {task.path: task.license for task in suite.tasks.values()}
    refusals |= {path: f"({declared[path]}): {permission.refusal}" for path, permission in permissions.items() if permission.refusal}
    return {path.rpartition("/")[2]: permission.licenses for path, permission in permissions.items()}, refusals


def header_fields(licenses: Iterable[License]) -> dict[str, str | list[str]]:
    """Return `license` of a dataset card, with `license_name` and `license_link` for licences without a hub identifier."""
    found = list(dict.fromkeys(licenses))
    identifiers = list(dict.fromkeys(one.hub for one in found))
    fields: dict[str, str | list[str]] = {"license": identifiers[0] if len(identifiers) == 1 else identifiers}
    if others := [one for one in found if one.hub == OTHER]:
        fields["license_name"] = ", ".join(dict.fromkeys(one.name for one in others))
        if len(others) == 1 and others[0].url:
            fields["license_link"] = others[0].url
    return fields


def _judge_one(name: str, accepted: Collection[str]) -> Permission:
    key = _key(name)
    creative = _CC.fullmatch(key)
    if creative or key in HUB or _hub_identifier(key) != OTHER or _ELSEWHERE.fullmatch(key):
        return Permission((License(name, _hub_identifier(key), _url(name, key), bool(creative and creative[1])),))
    if key in _ABSENT:
        return Permission(
            refusal="no licence is known, and without one the data may not be redistributed. If there is one, declare it in task.toml."
        )
    if re.match(r"cc-.*\bnd\b", key) or "no-deriv" in key or "noderiv" in key:
        return Permission(refusal="it forbids adapted versions, and an export is one.")
    if _FORBIDDEN.search(key):
        return Permission(refusal="it forbids passing the data on.")
    if key in {_key(one) for one in accepted}:
        return Permission((License(name, OTHER, name if "://" in name else None),))
    hint = f"Read it; if it does, --accept-license {_quoted(name)} exports under it."
    return Permission(refusal=f"it is not among the licences that are known to permit passing data on. {hint}")


def _key(name: str) -> str:
    """Normalise the spelling of a licence's name.

    >>> _key("CC BY-SA 4.0"), _key("The MIT License"), _key("https://creativecommons.org/licenses/by-nc/4.0/deed.en")
    ('cc-by-sa-4.0', 'mit', 'cc-by-nc-4.0')
    """
    name = name.strip()
    if found := _ADDRESS.fullmatch(name):
        kind, version = found[1].lower(), found[2]
        name = {"zero": f"cc0-{version}", "mark": "public-domain"}.get(kind, f"cc-{kind}-{version}")
    key = re.sub(r"[\s_]+", "-", name.lower()).strip("-.")
    key = re.sub(r"^the-", "", re.sub(r"-licen[cs]e(?=-|$)", "", key))
    key = re.sub(r"-v(?=\d)", "-", key)
    if key.startswith("creative-commons"):
        for words, sign in _SPELLED_OUT:
            key = re.sub(words, sign, key)
    return _SPELLINGS.get(key, key)


def _hub_identifier(key: str) -> str:
    """Return the hub's identifier of a version or family, or `other`.

    >>> _hub_identifier("gpl-3.0-or-later"), _hub_identifier("odbl-1.0"), _hub_identifier("cc-by-sa-2.0")
    ('gpl-3.0', 'odbl', 'other')
    """
    plain = re.sub(r"-(only|or-later)$", "", key)
    family = re.sub(r"-[\d.]+$", "", plain) if plain.startswith(("odbl", "odc-by", "pddl", "gfdl")) else plain
    return next((name for name in (key, plain, family) if name in HUB), OTHER)


def _url(name: str, key: str) -> str | None:
    if "://" in name:
        return name
    if found := re.fullmatch(r"cc-(by[a-z-]*?)-(\d\.\d)(?:-([a-z]+))?", key):
        return f"https://creativecommons.org/licenses/{found[1]}/{found[2]}/{found[3] + '/' if found[3] else ''}"
    if key == "cc0-1.0":
        return "https://creativecommons.org/publicdomain/zero/1.0/"
    identifier = name.strip()
    known = re.fullmatch(r"[A-Za-z0-9.+-]+", identifier) and (re.search(r"\d", identifier) or identifier in ("MIT", "ISC", "Zlib", "NCSA"))
    return f"https://spdx.org/licenses/{identifier}.html" if known else None


def _terms(expression: str) -> Sequence[str]:
    """Return the parts of an expression that bind jointly."""
    text = _without_parentheses(expression.strip())
    return [part.strip() for part in _split(text, "AND")] if len(_split(text, "OR")) == 1 else [text]


def _split(text: str, operator: str) -> list[str]:
    """Split a text at an operator outside parentheses."""
    parts, depth, last = [], 0, 0
    for found in re.finditer(rf"[()]|\s{operator}\s", text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0 and found[0] not in "()":
            parts.append(text[last : found.start()])
            last = found.end()
    return [*parts, text[last:]]


def _without_parentheses(text: str) -> str:
    whole = text.startswith("(") and text.endswith(")")
    inner, depth = text[1:-1], 0
    for sign in inner if whole else ():
        depth += {"(": 1, ")": -1}.get(sign, 0)
        whole = whole and depth >= 0
    return inner.strip() if whole else text


def _quoted(name: str) -> str:
    return f"'{name}'" if re.search(r"[^\w.+-]", name) else name
