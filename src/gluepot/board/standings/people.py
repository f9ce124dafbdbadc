"""Human scores in the score matrix: the votes behind them, and systems' scores on the items that the raters answered."""

from typing import TYPE_CHECKING

from django.db import models

from gluepot.board.items.loading import open_items
from gluepot.board.items.same_items import same_items_scores
from gluepot.board.models import Score, SuiteVersion, System

if TYPE_CHECKING:
    from gluepot.board.standings.score_matrix import ScoreMatrix

PEOPLE = ("items", "votes_an_item", "raters")


def put_people(made: "ScoreMatrix", current: models.QuerySet[Score], place: dict[int, int]) -> None:
    """Add the item, vote and rater counts of human scores whose votes are stored."""
    votes = current.filter(entry__system__role=System.Role.HUMAN, entry__details__has_key="people")
    for task, metric, system, facts in votes.values_list("task", "metric", "entry__system_id", "entry__details__people"):
        entry = made.entries.get((task, metric))
        if entry is not None:
            made.people[entry, place[system]] = {name: facts[name] for name in PEOPLE}


def put_same_items(made: "ScoreMatrix", version: SuiteVersion, place: dict[int, int]) -> None:
    """Add the scores of systems that answered all items given to raters; of several groups of raters, the largest counts."""
    names = {entry: key for key, entry in made.entries.items()}
    for entry, people in sorted(made.people, key=lambda key: made.people[key]["items"]):
        task, metric = made.suite.tasks[names[entry][0]], names[entry][1]
        items = open_items(task, made.split) if metric == task.metrics[0] else None
        if items is None:
            continue
        asked, scores = same_items_scores(version, task, metric, items, made.systems[people].slug)
        if len(asked) < len(items.examples):
            for one in scores:
                if one.value is not None and one.n == len(asked) and one.system.pk in place and one.system.role != System.Role.HUMAN:
                    made.same_items[entry, place[one.system.pk]] = one.value
