"""Random search for attacks: no rule that maps an item to an answer in the declared format beats the best honest baseline.

Among many rules some win on some items by chance, so a rule counts as an attack only if it wins significantly on both halves of the items.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs.test_attacks import POCKET, best_honest, ranked

from gluepot.data.examples import load_examples
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

Rule = Callable[[int, Example], Any]

SCALES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0, 2.5, 5.0, 1e-300, 1e154, 1e308])


def length(item: Example, name: str) -> int:
    return len(str(item.inputs.get(name, "")))


def fields(task: Task) -> st.SearchStrategy[str]:
    return st.sampled_from(sorted({name for item in load_examples(task, "test")[:5] for name in item.inputs}))


def numbers(task: Task) -> st.SearchStrategy[Rule]:
    def rule(start: float, step: float, period: int, field: str) -> Rule:
        return lambda place, item: start + step * (place % period if place % 2 else length(item, field))

    return st.builds(rule, SCALES, SCALES, st.integers(1, 50), fields(task))


def texts(task: Task) -> st.SearchStrategy[Rule]:
    """Return rules that join a slice of a field's words, or of the item's options, by a separator."""

    def stretch(field: str, start: int, count: int, mark: str) -> Rule:
        return lambda _, item: mark.join(_words(item, field)[start:][:count])

    return st.builds(stretch, fields(task), st.integers(-20, 20), st.integers(1, 400), st.sampled_from([" ", "", ", ", "\n", "\0"]))


def _words(item: Example, field: str) -> list[str]:
    value = item.inputs.get(field, "")
    return [word for part in (value if isinstance(value, list) else [value]) for word in str(part).split()]


def picks(options: Callable[[Example], list[Any]]) -> Callable[[Task], st.SearchStrategy[Rule]]:
    """Return a strategy for rules that pick a possible answer by the item's position and the length of a field."""

    def strategy(task: Task) -> st.SearchStrategy[Rule]:
        def rule(by_place: int, by_length: int, field: str) -> Rule:
            return lambda place, item: (found := options(item))[(place * by_place + length(item, field) // by_length) % len(found)]

        return st.builds(rule, st.integers(0, 7), st.integers(1, 200), fields(task))

    return strategy


def labels(task: Task) -> st.SearchStrategy[Rule]:
    return picks(lambda _: task.labels)(task)


def index_sets(task: Task) -> st.SearchStrategy[Rule]:
    def rule(bits: int) -> Rule:
        return lambda _, item: [option for option in range(len(item.inputs["options"])) if bits >> option & 1]

    return st.builds(rule, st.integers(0, 2**12))


def tags(task: Task) -> st.SearchStrategy[Rule]:
    def rule(first: str, then: str, period: int, capitals: bool) -> Rule:
        def tag(place: int, token: str) -> str:
            return "O" if capitals and not token[:1].isupper() else first if place % period == 0 else then

        return lambda _, item: [tag(place, token) for place, token in enumerate(item.inputs["tokens"])]

    return st.builds(rule, st.sampled_from(task.labels), st.sampled_from(task.labels), st.integers(1, 4), st.booleans())


RULES: dict[str, Callable[[Task], st.SearchStrategy[Rule]]] = {
    "number": numbers,
    "text": texts,
    "label": labels,
    "index": picks(lambda item: list(range(len(item.inputs["options"])))),
    "index-set": index_sets,
    "tags": tags,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(POCKET))
@settings(max_examples=6)
@given(data=st.data())
def test_no_rule_without_a_model_beats_the_best_baseline(name: str, data: st.DataObject) -> None:
    task = POCKET[name]
    items = load_examples(task, "test")
    rule = data.draw(RULES[KINDS[task.kind].answer.form](task))
    halves = ([(place, item) for place, item in enumerate(items) if place % 2 == half] for half in (0, 1))
    found = [ranked(task, [item for _, item in half], [rule(place, item) for place, item in half]) for half in halves]
    assert min(-1.0 if one is None else one[1] for one in found) <= max(best_honest(name), 0.0)
