"""States of a page that a static copy includes, and the file of each."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from django.conf import settings

STATES = {
    r"/b/[^/]+/[^/]+\.(bib|csv|json|md|tex)": ("split", "page"),
    r"/b/[^/]+/[^/]+": ("split", "ci", "page"),
    r"/b/[^/]+/[^/]+/compare(\.\w+)?": ("a", "b", "split"),
    r"/b/[^/]+/[^/]+/diagnostics(\.\w+)?": ("task", "with"),
    r"/b/[^/]+/[^/]+/frontier(\.\w+)?": ("split",),
    r"/b/[^/]+/[^/]+/performance": ("profile", "task", "swap"),
    r"/b/[^/]+/[^/]+/performance\.\w+": ("profile", "task"),
    r"/b/[^/]+/[^/]+/tasks/[^/]+": ("split",),
    r"/api/suites/[^/]+/[^/]+/standings": ("split", "page"),
    r"/api/(scores|systems|snapshots)": ("system", "offset", "limit"),
}
"""Address patterns without language, and the parameters that have files of their own."""
ALIVE = re.compile(r"/b/[^/]+/[^/]+")
"""Pages whose other states the browser can render itself."""
SHARED = re.compile(r".*\.(bib|csv|json|gz)")
"""Files that are the same in every language and stored once."""
NAMELESS = ("limit",)
"""Parameters that are requested but omitted from the file name."""
PLAIN = re.compile(r"[^A-Za-z0-9_.-]")
TYPES = {"text/html": "/index.html", "application/json": ".json"}
SUFFIXES = (".csv", ".json", ".md", ".tex", ".bib", ".svg", ".xml", ".txt", ".jsonl.gz", ".zip")
LINKS = 2**16
"""Number of parsed links cached: every page has those of the navigation."""


@dataclass(frozen=True, order=True)
class Address:
    """Normalised address of the site: its path, and the parameters that its file depends on."""

    path: str
    query: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        return f"{self.path}?{query_string(self.query)}" if self.query else self.path

    @property
    def alive(self) -> bool:
        """Whether the browser can render this page's other states."""
        return ALIVE.fullmatch(without_language(self.path)) is not None

    def file(self, content_type: str) -> str:
        """Return the path of its file below the copy's folder.

        >>> Address("/sv/b/faroe/1.0", (("split", "dev"),)).file("text/html")
        'sv/b/faroe/1.0/split-dev/index.html'
        >>> Address("/b/faroe/1.0.csv", (("split", "dev"),)).file("text/csv")
        'b/faroe/1.0/split-dev.csv'
        >>> Address("/").file("text/html"), Address("/api/suites").file("application/json")
        ('index.html', 'api/suites.json')
        """
        path = unquote(self.path).strip("/")
        end = next((suffix for suffix in SUFFIXES if path.endswith(suffix)), "")
        parts = [PLAIN.sub("_", part) for part in path.removesuffix(end).split("/")]
        parts += [PLAIN.sub("_", f"{name}-{value}") for name, value in self.query if name not in NAMELESS]
        return ("/".join(parts) + (end or TYPES.get(content_type, ""))).lstrip("/")


def query_string(query: tuple[tuple[str, str], ...]) -> str:
    return "&".join(f"{quote(name)}={quote(value, safe=',:')}" for name, value in query)


@lru_cache(LINKS)
def split_address(link: str) -> tuple[Address, str, str]:
    """Split an address of the site into its exported part, the rest of the query, and the fragment.

    >>> split_address("/b/faroe/1.0?split=dev&sort=-nli#main")
    (Address(path='/b/faroe/1.0', query=(('split', 'dev'),)), 'sort=-nli', 'main')
    """
    parts = urlsplit(link)
    path = without_language(parts.path) if SHARED.fullmatch(parts.path) else parts.path
    kept = states_of(path)
    pairs = parse_qsl(parts.query)
    mine = sorted((pair for pair in pairs if pair[0] in kept), key=lambda pair: kept.index(pair[0]))
    rest = tuple(pair for pair in pairs if pair[0] not in kept)
    return Address(path or "/", tuple(mine)), query_string(rest), parts.fragment


def states_of(path: str) -> tuple[str, ...]:
    """Return the parameters that have files of their own on this page."""
    bare = without_language(path)
    return next((names for pattern, names in STATES.items() if re.fullmatch(pattern, bare)), ())


def without_language(path: str) -> str:
    """Return the path without its language prefix, as on the English site.

    >>> without_language("/sv/errata"), without_language("/sv/"), without_language("/svenska")
    ('/errata', '/', '/svenska')
    """
    for code, _name in settings.LANGUAGES:
        if path == f"/{code}" or path.startswith(f"/{code}/"):
            return path[len(code) + 1 :] or "/"
    return path


def relative(target: str, here: str) -> str:
    """Return the relative path from one file to another.

    >>> relative("sv/s/kb-bert/index.html", "sv/b/faroe/1.0/index.html")
    '../../../s/kb-bert/index.html'
    """
    mine, other = PurePosixPath(here).parent.parts, PurePosixPath(target).parts
    shared = 0
    while shared < min(len(mine), len(other) - 1) and mine[shared] == other[shared]:
        shared += 1
    return quote("/".join([".."] * (len(mine) - shared) + list(other[shared:])))
