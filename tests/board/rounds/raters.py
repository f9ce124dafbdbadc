"""Simulated raters of a round, who open their links and answer."""

from functools import cache
from typing import Any

from gluepot.people.rounds.drawing import RoundSettings, draw_round
from gluepot.tasks.declarations import find


def opened(raters: int, task: str = "pocket/stance-sv", **wishes: Any):
    """Open a round; return it, its keeper's token and the raters' tokens."""
    from gluepot.board.rounds.opening import add_raters, open_round

    found = find(task)[1]
    assert found is not None
    made, keeper = open_round(draw_round(found, RoundSettings(**{"items": 6, "votes": 2, **wishes})), found)
    return made, keeper, [token for _, token in add_raters(made, raters)]


@cache
def handler() -> Any:
    from gluepot.board.rounds.serving import application

    return application()


def visit(token: str, data: dict[str, Any] | None = None, query: str = "", path: str = "r", **headers: str):
    from django.test import RequestFactory

    from gluepot.board.rounds.serving import RoundsRequest

    address, factory = f"/{path}/{token}", RequestFactory(headers={"host": "localhost", **headers})
    request = factory.post(address + query, data) if data is not None else factory.get(address + query)
    return handler().get_response(RoundsRequest(request.environ))


def hidden(page: str, name: str) -> str:
    return page.split(f'name="{name}" value="')[1].split('"')[0]


def answer_one(token: str, value: str = "0") -> bool:
    """Answer the next item; return whether there was one."""
    page = visit(token).content.decode()
    if 'value="consent"' in page:
        visit(token, {"go": "consent"})
        page = visit(token).content.decode()
    if 'name="item"' not in page:
        return False
    done = visit(token, {"item": hidden(page, "item"), "question": hidden(page, "question"), "answer": value})
    assert done.status_code == 302, done.content.decode()
    return True


def answer_all(tokens: list[str]) -> None:
    """Let the raters answer in turn until no item is left for any of them."""
    while sum(answer_one(token) for token in tokens):
        pass


def counts(made) -> list[int]:
    from gluepot.board.rounds.models import CastVote

    votes = CastVote.objects.filter(item__round=made, item__kind__in=("main", "pilot"), current=True, skipped=False)
    return [votes.filter(item=item).count() for item in made.items.filter(kind__in=("main", "pilot"))]
