"""URLs of pages, in the visitor's language."""

from urllib.parse import quote

from django.conf import settings
from django.utils.translation import get_language


def home() -> str:
    """Return the URL prefix of the active language: empty for English, `/sv` for Swedish."""
    language = get_language() or settings.LANGUAGE_CODE
    return "" if language == settings.LANGUAGE_CODE else f"/{language}"


def in_language(path: str, code: str) -> str:
    """Return the path of the same page in another language.

    >>> in_language("/sv/b/faroe/1.0?split=dev", "ru")
    '/ru/b/faroe/1.0?split=dev'
    >>> in_language("/sv//evil.example", "en")  # which a browser would take for another host
    '/evil.example'
    """
    for known, _ in settings.LANGUAGES:
        if path == f"/{known}" or path.startswith((f"/{known}/", f"/{known}?")):
            path = path[len(known) + 1 :]
            break
    path = f"/{path.lstrip('/')}"
    return path if code == settings.LANGUAGE_CODE else f"/{code}{path}"


def board(suite: str, version: str, page: str = "", query: str = "", form: str = "") -> str:
    """Return the path of a page of a suite's board, the standings by default."""
    path = f"{home()}/b/{quote(suite)}/{quote(version)}{f'/{page}' if page else ''}{f'.{form}' if form else ''}"
    return f"{path}?{query}" if query else path


def task(suite: str, version: str, name: str) -> str:
    return board(suite, version, f"tasks/{quote(name)}")


def system(slug: str) -> str:
    return f"{home()}/s/{quote(slug)}"


def snapshot(key: str) -> str:
    return f"{home()}/snap/{quote(key)}"
