"""Annotation rounds: planning figures, blinded samples, and validation of answers."""

import json
from pathlib import Path

import numpy as np
import pytest

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.errors import InvalidOutput, WrongUse
from gluepot.people.rounds.asking import answer_form, mark_tokens, read_answer
from gluepot.people.rounds.drawing import RoundSettings, draw_round
from gluepot.people.rounds.planning import forecast_from_pilot, items_needed, single_votes_half_width
from gluepot.records import Task
from gluepot.statistics.agreement import UnitVotes
from gluepot.tasks.declarations import find


def task(name: str) -> Task:
    found = find(f"pocket/{name}")[1]
    assert found is not None
    return found


@pytest.mark.parametrize(("accuracy", "items"), [(0.8, [1535, 682, 245]), (0.9, [868, 388, 141]), (0.95, [469, 215, 83])])
def test_items_needed_follow_the_wilson_interval(accuracy: float, items: list[int]) -> None:
    assert [items_needed(accuracy, within) for within in (0.02, 0.03, 0.05)] == items


def test_more_items_do_not_narrow_the_interval_of_five_raters_below_a_limit() -> None:
    assert single_votes_half_width(0.9, 10**9, 5, 0.05) == pytest.approx(0.044, abs=5e-4)


def test_a_pilot_of_unequal_raters_forecasts_a_wider_interval() -> None:
    rng = np.random.default_rng(0)
    unequal = [(u, r, "a" if rng.random() < skill else "b") for r, skill in enumerate((0.6, 0.95, 0.95, 0.95, 0.7)) for u in range(100)]
    equal = [(u, r, "a" if rng.random() < 0.9 else "b") for r in range(5) for u in range(100)]
    wide, narrow = (forecast_from_pilot(UnitVotes.of(votes), 0.03).by_raters[5] for votes in (unequal, equal))
    assert wide > 1.5 * narrow


def test_plan_prints_the_figures(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "plan", "--within", "0.03", "--accuracy", "0.9", "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert (document["items"], round(document["by_raters"]["5"], 3)) == (388, 0.053)


def test_a_round_is_reproducible_and_stratified() -> None:
    stance = task("stance-sv")
    gold = {example.id: example.target for example in load_examples(stance, "test")}
    first, again = (draw_round(stance, RoundSettings(items=20, seed=4)) for _ in range(2))
    assert first == again
    assert draw_round(stance, RoundSettings(items=20, seed=5)) != first
    shares = {label: sum(gold[one.item] == label for one in first.items) for label in stance.labels}
    whole = {label: 20 * sum(target == label for target in gold.values()) / len(gold) for label in stance.labels}
    assert all(abs(shares[label] - whole[label]) < 1 for label in stance.labels)


@pytest.mark.parametrize("name", ["stance-sv", "idioms-da", "entities-da", "questions-da", "multi-choice-ru", "paraphrase-sv"])
def test_a_round_hides_the_gold_of_main_and_repeated_items(name: str) -> None:
    plan = draw_round(task(name), RoundSettings(items=5, repeats=2, controls=2, training=1))
    asked = [one for one in plan.items if one.kind in ("main", "repeat")]
    assert len(asked) == 7
    assert all(one.gold is None and "target" not in one.inputs and "answer-start" not in one.inputs for one in asked)
    assert [one.gold is not None for one in plan.items if one.kind in ("control", "training")] == [True] * 3


def test_rejects_more_items_than_the_split_has() -> None:
    with pytest.raises(WrongUse, match="has 40 items"):
        draw_round(task("stance-sv"), RoundSettings(items=1000))


def test_options_are_shuffled_per_rater_and_mapped_back() -> None:
    idioms = task("idioms-da")
    inputs = load_examples(idioms, "test")[0].inputs
    orders = {tuple(text for _, text in answer_form(idioms, inputs, f"rater {n}", "1").choices) for n in range(12)}
    assert len(orders) > 3
    form = answer_form(idioms, inputs, "rater 3", "1")
    sent = next(value for value, text in form.choices if text == str(inputs["options"][2]))
    assert read_answer(idioms, inputs, form, [sent]) == 2


@pytest.mark.parametrize("sent", ["19", "-1", "7.5", "", "many", "nan"])
def test_rejects_answers_off_the_scale(sent: str) -> None:
    pairs = task("word-pairs-eu")
    inputs = load_examples(pairs, "test")[0].inputs
    form = answer_form(pairs, inputs, "r")
    assert form.shape == "scale"
    with pytest.raises(InvalidOutput):
        read_answer(pairs, inputs, form, [sent])
    assert read_answer(pairs, inputs, form, ["7"]) == 7


def test_marked_tokens_become_spans_and_can_be_cleared() -> None:
    tags = mark_tokens(["O"] * 5, [1, 2, 4], "LOC")
    assert tags == ["O", "B-LOC", "I-LOC", "O", "B-LOC"]
    assert mark_tokens(tags, [1], "") == ["O", "O", "B-LOC", "O", "B-LOC"]


def test_new_writes_a_round_and_does_not_overwrite_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["annotate", "new", "pocket/stance-sv", "--items", "6", "--name", "try"]
    assert main(words) == 0
    assert json.loads((tmp_path / "rounds" / "try.json").read_text())["votes"] == 3
    assert main(words) == 2
    assert "already" in capfd.readouterr().err
