"""The rater's page, reached by the link only: no gold labels except after training items, no votes of others, no real names."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import override

from gluepot.board.rounds.models import CastVote, RoundRater
from gluepot.board.rounds.tokens import hash_token
from gluepot.board.rounds.views.item_form import describe_problem, form_context, sent_tags
from gluepot.board.rounds.views.pages import choose_language, guarded, language_of, nothing_page, page
from gluepot.board.rounds.votes.assignment import AllottedItem, Visit, find_visit, next_item, round_item
from gluepot.board.rounds.votes.voting import cast, former_vote, go_back, may_answer
from gluepot.errors import InvalidOutput
from gluepot.people.rounds.asking import LONGEST_COMMENT, answer_form, read_answer
from gluepot.records import Example
from gluepot.tasks import KINDS


@guarded
def rate(request: HttpRequest, token: str) -> HttpResponse:
    """Show the consent form, training, items and the final page, and process their forms."""
    visit = find_visit(hash_token(token))
    if visit is None:
        return nothing_page(request)
    with override(language_of(request, visit.round.of)):
        return _post(request, visit, token) if request.method == "POST" else choose_language(request) or _get(request, visit)


def _get(request: HttpRequest, visit: Visit) -> HttpResponse:
    if not visit.consented:
        return _page(visit, "consent")
    former = former_vote(visit, _number(request.GET.get("vote")))
    if former is not None:
        return _ask(request, visit, AllottedItem(round_item(former.item_id, visit.round.of.opened), former.question, None), former=former)
    allotted = next_item(visit)
    return _page(visit, "thanks") if allotted is None else _ask(request, visit, allotted)


def _page(visit: Visit, name: str, **more: Any) -> HttpResponse:
    """Render a page with the number of the rater's answers so far and the maximum total."""
    most = visit.round.kinds.total() * len(visit.round.questions)
    return page(name, visit.round.of, progress=(visit.done, max(most, visit.done)), rater=visit.name, **more)


def _ask(
    request: HttpRequest,
    visit: Visit,
    allotted: AllottedItem,
    problem: str = "",
    tags: list[str] | None = None,
    former: CastVote | None = None,
) -> HttpResponse:
    task, item = visit.round.task, allotted.item
    context = {
        "item": item,
        "question": allotted.question,
        **form_context(task, item, visit.key, tags=tags, former=former.value if former else None),
        "problem": problem,
        "comment": former.comment if former else "",
        "before": former.pk if former else "",
        "training": item.kind == "training",
        "feedback": request.GET.get("feedback") and _feedback(visit),
    }
    return _page(visit, "item", **context)


def _feedback(visit: Visit) -> dict[str, Any] | None:
    """Return the rater's answer to the last training item, and the gold label."""
    last = CastVote.objects.filter(rater=visit.rater, item__kind="training", current=True).select_related("item").order_by("-at").first()
    if last is None or last.item.gold is None:
        return None
    answer = KINDS[visit.round.task.kind].answer
    example = Example("", last.item.inputs, answer.from_json(last.item.gold))
    words = [" / ".join(answer.format_output(example, answer.from_json(one))) for one in (last.value, last.item.gold) if one is not None]
    return {"right": last.value == last.item.gold, "said": words[0], "gold": words[-1]}


def _post(request: HttpRequest, visit: Visit, token: str) -> HttpResponse:
    here, go = f"/r/{token}", request.POST.get("go", "")
    if go == "consent":
        RoundRater.objects.filter(pk=visit.rater, consented=None).update(consented=timezone.now())
    if go == "consent" or not visit.consented:
        return HttpResponseRedirect(here)
    if go == "back":
        vote = go_back(visit, _number(request.POST.get("before")))
        return HttpResponseRedirect(f"{here}?vote={vote}" if vote else here)
    allotted = may_answer(visit, _number(request.POST.get("item")) or 0, request.POST.get("question", ""))
    if allotted is None:
        return HttpResponseRedirect(here)
    comment = request.POST.get("comment", "").strip()[:LONGEST_COMMENT]
    if go == "skip":
        cast(visit, allotted.item.pk, allotted.question, None, skipped=True, comment=comment)
        return HttpResponseRedirect(here)
    return _answer(request, visit, allotted, comment, here)


def _answer(request: HttpRequest, visit: Visit, allotted: AllottedItem, comment: str, here: str) -> HttpResponse:
    task, inputs = visit.round.task, allotted.item.inputs
    form = answer_form(task, inputs, visit.key, str(allotted.item.pk))
    if form.shape == "tokens" and {"mark", "unmark"} & request.POST.keys():
        return _ask(request, visit, allotted, tags=sent_tags(request.POST, form, task.labels))
    try:
        value = read_answer(task, inputs, form, request.POST.getlist("tags" if form.shape == "tokens" else "answer"))
    except InvalidOutput as error:
        return _ask(request, visit, allotted, describe_problem(error, form))
    cast(visit, allotted.item.pk, allotted.question, value, comment=comment)
    return HttpResponseRedirect(f"{here}?feedback=1" if allotted.item.kind == "training" else here)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 18 else None
