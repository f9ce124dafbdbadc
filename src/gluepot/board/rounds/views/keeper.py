"""The keeper's pages: status of the round, and adjudication of disputed items."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import override

from gluepot.board.rounds.models import AnnotationRound, CastVote, RoundItem
from gluepot.board.rounds.opening import ADJUDICATOR, ASKED
from gluepot.board.rounds.status import round_status, round_task
from gluepot.board.rounds.tokens import hash_token
from gluepot.board.rounds.views.item_form import describe_problem, form_context, sent_tags
from gluepot.board.rounds.views.pages import choose_language, guarded, language_of, nothing_page, page
from gluepot.board.rounds.votes.adjudication import add_vote, disputed
from gluepot.errors import InvalidOutput
from gluepot.people.rater_table import RaterRow
from gluepot.people.rounds.asking import answer_form, read_answer
from gluepot.people.votes import label_text
from gluepot.records import Task

STEP, HIGH = 9, 24
"""Distance and maximum height of columns in the chart of a rater's use of the scale, in pixels."""


@guarded
def keep(request: HttpRequest, token: str) -> HttpResponse:
    """Show progress, agreement so far, raters to review and disputed items; or one item to decide."""
    found = AnnotationRound.objects.filter(keeper=hash_token(token)).first()
    if found is None:
        return nothing_page(request)
    with override(language_of(request, found)):
        item = _item(found, request.GET.get("item", ""))
        if item is not None:
            return _decide(request, found, item, request.GET.get("asked", ""))
        return choose_language(request) or _standing(found)


def _item(of: AnnotationRound, key: str) -> RoundItem | None:
    return of.items.filter(pk=int(key), kind__in=ASKED).first() if key.isdecimal() and len(key) < 18 else None


def _standing(of: AnnotationRound) -> HttpResponse:
    standing, task = round_status(of), round_task(of)
    answers = _answers(task, standing.table)
    raters = [(row, use_of_scale(row, answers)) for row in standing.table]
    questions = of.questions or [""]
    rows = [
        {"asked": questions.index(one.question), **{name: getattr(one, name) for name in one.__struct_fields__}} for one in disputed(of)
    ]
    return page("keeper", of, standing=standing, raters=raters, disputed=rows, item_language=task.language)


def _answers(task: Task, rows: list[RaterRow]) -> list[str]:
    """Return the possible answers in order, or an empty list if they are too many for columns."""
    if task.scale and all(end == int(end) for end in task.scale) and task.scale[1] - task.scale[0] <= 20:
        return [str(number) for number in range(int(task.scale[0]), int(task.scale[1]) + 1)]
    return task.labels if len(task.labels) <= 20 and all(row.uses.keys() <= set(task.labels) for row in rows) else []


def use_of_scale(row: RaterRow, answers: list[str]) -> dict[str, Any]:
    """Return a column for each answer, with its height proportional to the answer's frequency."""
    most = max((row.uses.get(one, 0) for one in answers), default=0)
    heights = [round(HIGH * row.uses.get(one, 0) / most, 1) if most else 0.0 for one in answers]
    columns = [(place * STEP, round(HIGH + 1 - height, 1), height) for place, height in enumerate(heights)]
    told = ", ".join(f"{one}: {row.uses.get(one, 0)}" for one in answers)
    return {"columns": columns, "width": STEP * len(columns), "told": told}


def _decide(request: HttpRequest, of: AnnotationRound, item: RoundItem, asked: str) -> HttpResponse:
    """Show an item with all its votes; POST adds the keeper's own."""
    task, questions = round_task(of), of.questions or [""]
    place = int(asked) if asked.isdecimal() and len(asked) < 4 and int(asked) < len(questions) else 0
    tags, problem = None, ""
    if request.method == "POST":
        form = answer_form(task, item.inputs, of.keeper, str(item.pk))
        if form.shape == "tokens" and {"mark", "unmark"} & request.POST.keys():
            tags = sent_tags(request.POST, form, task.labels)
        else:
            try:
                value = read_answer(task, item.inputs, form, request.POST.getlist("tags" if form.shape == "tokens" else "answer"))
            except InvalidOutput as error:
                problem = describe_problem(error, form)
            else:
                add_vote(of, item, questions[place], value)
                return HttpResponseRedirect(request.path)
    given = (
        CastVote.objects.filter(item=item, question=questions[place], current=True, skipped=False).select_related("rater").order_by("pk")
    )
    mine = next((vote.value for vote in given if vote.rater.name == ADJUDICATOR), None)
    votes = [(vote.rater.name, _shown(item, vote.value), vote.comment) for vote in given]
    context = form_context(task, item, of.keeper, tags=tags, former=mine)
    return page("decide", of, item=item, question=questions[place], asked=place, votes=votes, problem=problem, **context)


def _shown(item: RoundItem, value: Any) -> str:
    """Return an answer as readable text: an option by its text."""
    options = item.inputs.get("options")
    return str(options[value]) if options and isinstance(value, int) and 0 <= value < len(options) else label_text(value)
