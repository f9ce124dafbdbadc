"""Properties of the answer forms, and an answer form defined by a plug-in."""

from typing import Any

import msgspec
import numpy as np
import pytest

from gluepot.answers import ENTITY, INDEX, INDEX_SET, LABEL, NUMBER, SUMMARY, TAGS, TEXT, WORD, Answer
from gluepot.answers.form import wrong_type
from gluepot.metrics import METRICS, Metric
from gluepot.models import make_adapter, parse_model
from gluepot.records import Example, Task
from gluepot.reporting.excerpts import answer_text
from gluepot.reporting.items import TaskAnswers, disagreements, hardest
from gluepot.runs.comparison.merits import item_merits
from gluepot.runs.prediction.resuming import validate_predictions
from gluepot.runs.scores.scoring import ScoredAnswers, score_task
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks import KINDS, Kind
from gluepot.tasks.declarations import load_suite

FORMS = [LABEL, NUMBER, INDEX, INDEX_SET, TAGS, TEXT, WORD, SUMMARY, ENTITY]
TASK = load_suite("pocket").tasks["stance-sv"]
ITEM = Example("1", {"context": "The sun and the moon.", "options": ["sun", "moon"], "tokens": ["In", "Umeå"]})


def test_forms_have_the_expected_scoring_type() -> None:
    assert [type(form).__name__ for form in FORMS if form.categorical] == ["Label", "Index"]
    assert [type(form).__name__ for form in FORMS if form.binary] == ["Label", "Index", "Word"]
    assert [type(form).__name__ for form in FORMS if form.graded] == ["Number", "Tags", "Text", "Summary", "Entity"]
    assert [type(form).__name__ for form in FORMS if not (form.binary or form.graded)] == ["IndexSet"]


@pytest.mark.parametrize("form", [LABEL, INDEX, INDEX_SET, TAGS, ENTITY], ids=lambda form: type(form).__name__)
def test_choosing_by_option_probabilities_returns_a_valid_answer(form: Answer) -> None:
    task = msgspec.structs.replace(TASK, labels=["O", "B-LOC"])
    shares = np.array([0.1, 0.9] * (2 if form.per_token else 1))
    expected = {LABEL: "B-LOC", INDEX: 1, INDEX_SET: [1], TAGS: ["B-LOC", "B-LOC"], ENTITY: "moon"}
    chosen = form.choose(task, ITEM, shares)
    assert chosen == expected[form]
    form.read(task, ITEM, chosen)


def test_words_score_zero_or_one_and_texts_score_partially() -> None:
    assert (WORD.merit("in Umeå", "Umeå"), WORD.merit(("Umeå", "in Umeå"), "in Umeå")) == (0.0, 1.0)
    assert 0 < TEXT.merit("in Umeå", "Umeå") < 1


def test_answers_without_common_options_are_pooled_by_their_weight() -> None:
    assert TEXT.pool(["a", "b", "b"], [[0.9], [0.3], [0.3]]) == ("a", [0.3])
    assert NUMBER.pool([1.0, None, 2.0], [None, None, None]) == (1.5, None)
    assert NUMBER.pool([None], [None]) == (None, None)


class Order(Answer):
    """Answer form unknown to the package: a permutation of the options."""

    def read(self, task: Task, example: Example, value: Any) -> tuple[int, ...]:
        if not isinstance(value, list | tuple) or sorted(value) != list(range(len(example.inputs["options"]))):
            raise wrong_type(value, "the numbers of all options in some order")
        return tuple(value)

    def wrong(self, task: Task, example: Example) -> tuple[int, ...]:
        return tuple(reversed(example.target))

    def format_output(self, example: Example, output: Any) -> list[str]:
        return [" < ".join(example.inputs["options"][number] for number in output)]


@pytest.fixture
def ordering(monkeypatch: pytest.MonkeyPatch) -> Task:
    """Task of a kind registered by a plug-in, with its own answer form and a metric that accepts it."""
    monkeypatch.setitem(KINDS._things, "ordering", Kind("ordering", "Options are put in order.", Order("order"), ("text", "options")))
    metric = Metric("right-order", ("order",), "gluepot.metrics.nominal:Accuracy", "Share in order.")
    monkeypatch.setitem(METRICS._things, metric.name, metric)
    return msgspec.structs.replace(TASK, kind="ordering", labels=[], metrics=[metric.name], metric_options={})


def test_plugin_form_is_predicted_scored_and_shown_without_further_changes(ordering: Task) -> None:
    options = {"text": "By size.", "options": ["ant", "cat", "cow"]}
    items = [Example(str(number), options, target) for number, target in enumerate([(0, 1, 2), (0, 1, 2), (2, 1, 0)])]
    for name in ("majority", "random", "random-weighted"):
        model = make_adapter(parse_model(name), 0)
        model.fit(ordering, items, [])
        predicted = validate_predictions(ordering, items, model.predict(ordering, items))
        if name == "majority":
            assert [list(one.output) for one in predicted] == [[0, 1, 2]] * 3
    answer = KINDS["ordering"].answer
    given = [answer.read(ordering, item, [0, 1, 2]) for item in items]
    scored = ScoredAnswers()
    score_task(PairedAnswers(ordering, "test", "answers", items, given), scored)
    assert [(score.metric, score.value) for score in scored.scores] == [("right-order", pytest.approx(2 / 3))]
    assert item_merits(ordering, items, given).tolist() == [1, 1, 0]
    assert [answer_text(ordering, item, item.target) for item in items] == ["ant < cat < cow", "ant < cat < cow", "cow < cat < ant"]
    other = [answer.wrong(ordering, item) for item in items]
    both = TaskAnswers(
        [(number, PairedAnswers(ordering, "test", "answers", items, outputs)) for number, outputs in enumerate((given, other))]
    )
    worst, apart = hardest(both), disagreements(both)
    assert worst is None or worst.items
    assert apart is not None
    assert apart.summary == "2 of 3 items answered differently"
    assert answer.pool([[0, 1, 2], [2, 1, 0], [2, 1, 0]], [None, None, None]) == ((2, 1, 0), [pytest.approx(2 / 3, abs=1e-6)])
