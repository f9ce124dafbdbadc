"""Template filters for localized numbers, dates and links."""

from datetime import datetime

from django import template
from django.utils.formats import date_format, get_format, number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
MINUS, DASH = "−", "–"


def decimal(value: float | None, digits: int = 1) -> str:
    """Format a number with the locale's decimal mark and a true minus sign; a dash for None."""
    if value is None or value != value:
        return DASH
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS).replace(".", str(get_format("DECIMAL_SEPARATOR")))


@register.filter
def score(value: float | None, digits: int = 1) -> str:
    """Format a score times 100, by default with one decimal."""
    return decimal(None if value is None else 100 * value, digits)


@register.filter
def percent(value: float | None) -> str:
    """Format a proportion in whole per cent, without the sign."""
    return decimal(None if value is None else 100 * value, 0)


@register.filter
def share(value: float | None) -> str:
    """Format a proportion in per cent with one decimal and no sign; rounded down, because 99.99 % of the items are not all of them."""
    return DASH if value is None else decimal(int(1000 * value + 1e-9) / 10)


@register.filter
def signed(value: float | None) -> str:
    """Format a difference of scores with its sign."""
    shown = score(value)
    return f"+{shown}" if value is not None and value > 0 else shown


@register.simple_tag
def span(low: float | None, high: float | None) -> str:
    """Format an interval of scores: `51.2–60.3`; with `…` if an end is negative, because a dash between minus signs is illegible."""
    if low is None or high is None or low != low or high != high:
        return ""
    return f"{score(low)}{DASH}{score(high)}" if low >= 0 and high >= 0 else f"{score(low)} … {score(high)}"


@register.filter
def places(row: dict[str, int | None]) -> str:
    """Format a rank interval: a range, or a single rank if certain.

    >>> places({"rank": 2, "rank_low": 1, "rank_high": 4}), places({"rank": 2, "rank_low": 2, "rank_high": 2})
    ('1–4', '2')
    """
    low, high = row.get("rank_low"), row.get("rank_high")
    return f"{low}{DASH}{high}" if low and low != high else f"{low or row.get('rank') or DASH}"


@register.filter
def coded(text: str) -> SafeString:
    """Render the text between backticks as code.

    >>> coded("one line of `<task>.jsonl`")
    'one line of <code>&lt;task&gt;.jsonl</code>'
    """
    parts = text.split("`")
    return format_html_join("", "{}", ([format_html("<code>{}</code>", part) if at % 2 else part] for at, part in enumerate(parts)))


@register.filter
def number(value: float | None, digits: int = 0) -> str:
    """Format a number with thousands separators."""
    return DASH if value is None else str(number_format(value, digits, use_l10n=True, force_grouping=True))


@register.filter
def amount(value: float | None) -> str:
    """Format a measured quantity to three significant digits or to the whole: 2.39, 42.5, 1,070."""
    if value is None:
        return DASH
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return number(round(value, digits), digits)


@register.filter
def chance(value: float | None) -> str:
    """Format a p-value with three decimals, never as zero."""
    if value is None:
        return DASH
    return f"< {decimal(0.001, 3)}" if value < 0.001 else decimal(value, 3)


@register.filter
def size(parameters: float | None) -> str:
    """Format a parameter count in its shortest usual form: 125M, 1.3B."""
    if parameters is None:
        return DASH
    for letter, unit in (("T", 1e12), ("B", 1e9), ("M", 1e6), ("K", 1e3)):
        if parameters >= unit:
            amount = parameters / unit
            return f"{decimal(amount, 0 if amount >= 10 or amount == round(amount) else 1)}{letter}"
    return number(parameters)


@register.filter
def day(moment: datetime | None) -> str:
    return DASH if moment is None else date_format(moment, "DATE_FORMAT")


@register.filter
def stamp(moment: datetime | None) -> SafeString:
    """Render a datetime as a `<time>` element, readable by people and machines."""
    if moment is None:
        return mark_safe(DASH)  # noqa: S308  our own
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), plain_stamp(moment))


def plain_stamp(moment: datetime) -> str:
    """Format a datetime with its zone, UTC: readers do not know where the board is located."""
    return f"{date_format(moment, 'DATETIME_FORMAT')} UTC"


@register.filter
def linked(address: str) -> SafeString:
    """Render a web address as a link; any other text unchanged.

    >>> linked("https://example.org/")
    '<a href="https://example.org/" rel="noopener">https://example.org/</a>'
    >>> linked("gluepot/suites/mine")
    'gluepot/suites/mine'
    """
    if not address.startswith(("https://", "http://")):
        return format_html("{}", address)
    return format_html('<a href="{}" rel="noopener">{}</a>', address, address)
