"""Citations of pages as BibTeX entries."""

from datetime import UTC, datetime

from gluepot import __version__
from gluepot.escaping import escape_latex


def bibtex_entry(key: str, title: str, address: str, note: str) -> str:
    """Return a `@misc` entry for a page of the board, accessed today.

    >>> print(bibtex_entry("a-b", "A & B", "https://example.org/x", "Revision 7").splitlines()[1])
      title        = {A \\& B},
    """
    now = datetime.now(UTC).date()
    fields = {
        "title": escape_latex(title),
        "year": str(now.year),
        "howpublished": f"\\url{{{address}}}",
        "note": escape_latex(f"{note}, scored by gluepot {__version__}, seen {now.isoformat()}"),
    }
    return "\n".join([f"@misc{{{key},", *(f"  {name:<12} = {{{value}}}," for name, value in fields.items()), "}", ""])
