"""An item and its answer form on the pages of raters and keepers, and error messages in the reader's language."""

import re
from typing import Any

from django.http import QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gluepot.board.items.showing import input_parts
from gluepot.board.rounds.models import RoundItem
from gluepot.errors import InvalidOutput
from gluepot.people.rounds.asking import AnswerForm, answer_form, mark_tokens, marked_spans
from gluepot.records import Example, Task
from gluepot.tasks import KINDS


def form_context(task: Task, item: RoundItem, key: str, *, tags: list[str] | None = None, former: Any = None) -> dict[str, Any]:
    """Return the template context; `key` shuffles the options, `former` is a previous answer."""
    form = answer_form(task, item.inputs, key, str(item.pk))
    given = tags or (former if form.shape == "tokens" and former else ["O"] * len(form.tokens))
    return {
        "parts": shown_parts(task, item.inputs),
        "form": form,
        "segments": marked_spans([word for _number, word, _tag in form.tokens], given),
        "tags": " ".join(given),
        "former": _as_sent(task, form, former),
        "item_language": task.language,
    }


def shown_parts(task: Task, inputs: dict[str, Any]) -> list[tuple[str, SafeString]]:
    """Return the inputs to display, without options, which are buttons, and without any answer."""
    if {"first", "second"} <= inputs.keys():
        both = inputs["first"], inputs["second"]
        return [("", format_html('<p class="pair-words"><span>{}</span><i></i><span>{}</span></p>', *both))]
    example = Example("", {name: value for name, value in inputs.items() if name != "options"})
    return input_parts(task, example, whole=True)


def _as_sent(task: Task, form: AnswerForm, former: Any) -> list[str]:
    if former is None:
        return []
    if form.shape == "buttons":
        place = KINDS[task.kind].answer.position(task, former)
        return [] if place is None else [str(place)]
    if form.shape == "checks":
        return [str(place) for place in former]
    return [f"{former:g}" if isinstance(former, float) else str(former)]


def sent_tags(sent: QueryDict, form: AnswerForm, labels: list[str]) -> list[str]:
    """Return the tags with the chosen words marked with the submitted label, or with a mark removed."""
    known = sent.get("tags", "").split()
    tags = known if len(known) == len(form.tokens) else ["O"] * len(form.tokens)
    if span := re.fullmatch(r"(\d{1,6})-(\d{1,6})", sent.get("unmark", "")):
        return mark_tokens(tags, range(int(span[1]), min(int(span[2]), len(tags)) + 1), "")
    chosen = [int(word) for word in sent.getlist("word") if word.isdecimal() and len(word) < 7]
    kind = sent.get("mark", "")
    return mark_tokens(tags, chosen, kind, labels) if kind in dict(form.choices) else tags


def describe_problem(error: InvalidOutput, form: AnswerForm) -> str:
    """Return an error message with the problem and the next step."""
    ends = {"low": f"{form.low:g}", "high": f"{form.high:g}"}
    if error.code == "off-scale" and form.whole:
        return _("That is off the scale. Give a whole number from %(low)s to %(high)s.") % ends
    if error.code in ("off-scale", "not-a-number"):
        return _("That is no number on the scale. Give one from %(low)s to %(high)s.") % ends
    if error.code == "too-long":
        return _("That is longer than an answer may be. Write less.")
    if form.shape == "text":
        return _("That is an empty answer. Write something, or skip the item.")
    return _("That is none of the answers. Choose one of them, or skip the item.")
