"""HTML rendering of an item: inputs with marked spans, options and answers. All data is escaped."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gluepot.metrics import INVALID
from gluepot.records import Example, Task
from gluepot.reporting.excerpts import answer_text, excerpt
from gluepot.tasks import KINDS

LONG = 700
"""Characters beyond which a text is collapsed."""
MOST_TOKENS = 1_000
"""Maximum number of tokens of an item shown with their tags; the number of omitted tokens is displayed."""
Mark = tuple[int, int, str]
"""Start, end and a note."""
Part = tuple[str, SafeString]


def input_parts(task: Task, example: Example, *, whole: bool = False) -> list[Part]:
    """Return an item's inputs, each under its name; long ones are collapsed unless `whole` is set."""
    names, inputs = _names(task), example.inputs
    if task.kind == "token-labelling":
        return []  # the gold answer shows the tokens
    if task.kind == "analogy":
        return [("", format_html("{} : {} = {} : ?", inputs["a"], inputs["b"], inputs["c"]))]
    if task.kind == "word-pair":
        return [("", format_html("{} · {}", inputs["first"], inputs["second"]))]
    shown = [name for name in ("context", "text", "pair", "word") if inputs.get(name) not in (None, "")]
    texts = {name: marked(str(inputs[name]), list(_marks(task, example, name))) for name in shown}
    parts = [(names[name], text if whole else _folded(str(inputs[name]), text)) for name, text in texts.items()]
    return [*parts, *([(names["options"], _options(task, example))] if "options" in inputs else [])]


def _names(task: Task) -> dict[str, str]:
    question = task.kind in ("choice", "multi-choice", "span-answer")
    return {
        "context": _("Context"),
        "text": _("Question") if question else _("Text"),
        "pair": _("Second text"),
        "word": _("Word"),
        "options": _("Options"),
    }


def _marks(task: Task, example: Example, name: str) -> Iterator[Mark]:
    inputs = example.inputs
    if task.kind == "word-in-context" and name in ("text", "pair"):
        before = "" if name == "text" else "pair-"
        yield from _span(inputs.get(f"{before}start"), inputs.get(f"{before}end"), "")
    if task.kind == "coreference" and name == "text":
        yield from _span(inputs.get("first-start"), inputs.get("first-end"), "1")
        yield from _span(inputs.get("second-start"), inputs.get("second-end"), "2")
    if task.kind == "span-answer" and name == "context" and example.target:
        gold = KINDS[task.kind].answer.accepted(example.target)[0]
        starts = inputs.get("answer-start")
        start = starts[0] if isinstance(starts, list | tuple) and starts else starts
        start = start if isinstance(start, int) and inputs["context"][start:].startswith(gold) else inputs["context"].find(gold)
        yield from _span(start, start + len(gold), "") if start >= 0 else ()


def _span(start: Any, end: Any, note: str) -> Iterator[Mark]:
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
        yield start, end, note


def marked(text: str, marks: Sequence[Mark]) -> SafeString:
    """Mark spans of a text; where two overlap, the later one is trimmed to start after the earlier one.

    >>> marked("a <b> c", [(2, 5, "1")])
    'a <mark>&lt;b&gt;<sup>1</sup></mark> c'
    """
    parts, at = [], 0
    for start, end, note in sorted(marks):
        start, end = max(start, at), min(end, len(text))
        if start < end:
            sign = format_html("<sup>{}</sup>", note) if note else ""
            parts += [escape(text[at:start]), format_html("<mark>{}{}</mark>", text[start:end], sign)]
            at = end
    return mark_safe("".join([*parts, escape(text[at:])]))  # noqa: S308  every part is escaped


def tagged(tokens: Sequence[Any], tags: Sequence[str] | None) -> SafeString:
    """Render tokens in a row, with each run of one tag type marked and labelled.

    >>> tagged(["I", "Umeå", "."], ["O", "B-LOC", "O"])
    'I <mark>Umeå<sup>LOC</sup></mark> .'
    """
    parts: list[SafeString] = []
    run: list[str] = []
    shown = tokens[:MOST_TOKENS]
    labels = [*(tags[: len(shown)] if tags else ["O"] * len(shown)), "O"]
    for token, tag, following in zip(map(str, shown), labels, labels[1:], strict=False):
        if tag == "O":
            parts.append(escape(token))
            continue
        run.append(token)
        kind = tag.partition("-")[2] or tag
        if following.startswith("B-") or (following.partition("-")[2] or following) != kind:
            parts.append(format_html("<mark>{}<sup>{}</sup></mark>", " ".join(run), kind))
            run = []
    rest = len(tokens) - len(shown)
    return mark_safe(" ".join([*parts, *([format_html("<small>… +{}</small>", f"{rest:,}")] if rest else [])]))  # noqa: S308  every part is escaped


def _folded(text: str, shown: SafeString) -> SafeString:
    """Collapse a long text behind an excerpt."""
    if len(text) <= LONG:
        return shown
    return format_html("<details><summary>{}</summary>{}</details>", excerpt(text, 140), shown)


def _options(task: Task, example: Example) -> SafeString:
    """Render the options, numbered as in answers; correct ones carry a tick."""
    right = KINDS[task.kind].answer.right_options(example) if example.target is not None else ()
    texts = [str(option) for option in example.inputs["options"]]
    rows = [(_tick(number in right), excerpt(text, LONG)) for number, text in enumerate(texts)]
    listed = format_html('<ol class="options" start="0">{}</ol>', format_html_join("", "<li>{}{}</li>", rows))
    if sum(map(len, texts)) <= LONG:
        return listed
    count = ngettext("%(count)s option", "%(count)s options", len(texts)) % {"count": len(texts)}
    return format_html("<details><summary>{}</summary>{}</details>", count, listed)


def _tick(right: bool) -> SafeString:
    return format_html('<b class="better" title="{}">✓</b> ', _("right")) if right else mark_safe("")


def answer_part(task: Task, example: Example, output: Any) -> SafeString:
    """Render an answer for readers."""
    answer = KINDS[task.kind].answer
    if output is None:
        return escape(_("left out"))
    if output == INVALID:
        return escape(_("(no valid answer)"))
    if answer.per_token:
        return tagged(example.inputs["tokens"], output)
    if answer.per_option and not output:
        return escape(_("none of them"))
    return escape(answer_text(task, example, output))
