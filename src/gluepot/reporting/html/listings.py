"""Plain listings: single items, fingerprints of the data used for scoring, and costs."""

from collections.abc import Sequence

from gluepot.plurals import pluralize
from gluepot.reporting import Report
from gluepot.reporting.html.markup import Html, details, el, join, table
from gluepot.reporting.items import GivenAnswer, ReportItem, TaskItems
from gluepot.reporting.marks import Key, labelled, legend_mark

_RIGHT, _WRONG = el("span", "✓ ", class_="right", title="right"), el("span", "✗ ", class_="wrong", title="wrong")
_COSTS = ["System", "Job", "Seconds", "Items", "Items/s"]


def items_part(tasks: Sequence[TaskItems], keys: Sequence[Key]) -> Html:
    return join(details(join([el("b", one.title), f": {one.summary}"]), _items_table(one, keys)) for one in tasks)


def _items_table(one: TaskItems, keys: Sequence[Key]) -> Html:
    head = ["Item", "Text", "Gold", *(labelled(keys[given.system]) for given in one.items[0].given)]
    return table(
        f"{one.title}: {pluralize(len(one.items), 'item')}", head, [_item_row(item, one.language) for item in one.items], class_="items"
    )


def _item_row(item: ReportItem, language: str) -> list[object]:
    lang = language if language != "mul" else None
    texts = el("td", *(el("p", text, dir="auto") for text in item.texts), class_="text", lang=lang)
    return [item.id, texts, el("td", item.gold or "not published", dir="auto"), *(_given(given) for given in item.given)]


def _given(given: GivenAnswer) -> Html:
    sign = None if given.right is None else _RIGHT if given.right else _WRONG
    return el("td", sign, el("bdi", given.text))


def fingerprint_part(report: Report, keys: Sequence[Key]) -> Html:
    found: dict[tuple[str, str], list[Key]] = {}
    for key, card in zip(keys, report.systems, strict=True):
        for place, mark in card.data.items():
            found.setdefault((f"{card.suite}/{place}", mark), []).append(key)
    rows = [[place, el("td", el("code", mark)), _named_marks(answered)] for (place, mark), answered in found.items()]
    return details("Data fingerprints", table("The data files used for scoring", ["Data", "Fingerprint", "Systems"], rows))


def _named_marks(keys: Sequence[Key]) -> Html:
    """Return marks only, where names would fill the page; each has its name as label and tooltip."""
    return el("td", *(el("span", legend_mark(key), role="img", aria_label=key.full_name, title=key.full_name) for key in keys))


def cost_part(report: Report, keys: Sequence[Key]) -> Html:
    """Return the seconds by system and by job, and the machines."""
    parts = []
    if report.cost:
        by_system = [(key, [one for one in report.cost if one.system == key.number]) for key in keys]
        sums = [
            _cost_row(key, f"{pluralize(len(mine), 'job')}", sum(one.seconds for one in mine), sum(one.items for one in mine))
            for key, mine in by_system
            if mine
        ]
        jobs = [_cost_row(keys[one.system], one.job, one.seconds, one.items) for one in report.cost]
        parts = [table("Training and prediction together", _COSTS, sums), details("Job by job", table("Seconds by job", _COSTS, jobs))]
    known = [(key, card) for key, card in zip(keys, report.systems, strict=True) if card.machine]
    machines = [[labelled(key), _listed(card.machine), _listed(card.packages)] for key, card in known]
    return join([*parts, table("Machines and packages", ["System", "Machine", "Packages"], machines)])


def _cost_row(key: Key, job: str, seconds: float, items: int) -> list[object]:
    speed = f"{items / seconds:,.1f}" if seconds > 0 and items else "–"
    return [labelled(key), job, f"{seconds:,.1f}", f"{items:,}" if items else "–", speed]


def _listed(facts: dict[str, str | int] | dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())
