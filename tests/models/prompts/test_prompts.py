"""Prompts: ScandEval's draws and its whole prompt to the letter, every declared task askable, answers read strictly."""

import json
from pathlib import Path

import pytest

from gluepot.data.examples import load_examples
from gluepot.data.folders import available_splits
from gluepot.errors import WrongUse
from gluepot.models.prompts.asking import Asker, prompt_of
from gluepot.models.prompts.parsing import find_number, find_option, find_word, without_thinking
from gluepot.models.prompts.shots import draw_shots, text_key
from gluepot.records import Example, Suite, Task
from gluepot.runs.shots import shots_for
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import find, load_suites

GOLDEN = Path(__file__).parents[4] / "shared" / "reference" / "golden"
TASKS = [(suite, task) for suite in load_suites() for task in suite.tasks.values()]
TRANSLATED = {"sv", "ru", "eu"}


def golden(name: str) -> dict:  # type: ignore[type-arg]
    if not (GOLDEN / name).is_file():
        pytest.skip("the golden files are not here")
    return json.loads((GOLDEN / name).read_text())


def talemaader() -> tuple[Suite, Task]:
    suite, task = find("scandeval-da/danske-talemaader")
    assert task is not None
    if "train" not in available_splits(task):
        pytest.skip("the Danish idioms are not in GLUEPOT_DATA")
    return suite, task


def test_the_draws_are_scandevals() -> None:
    draws = golden("fewshot_talemaader.json")["draws"]
    suite, task = talemaader()
    rows = {example.id: row for row, example in enumerate(load_examples(task, "train"))}
    for draw in draws:
        shots = shots_for(suite, task, "test", 5, draw["iteration"])
        assert [rows[shot.id] for shot in shots] == draw["train_row_ids"]
        assert [task.labels[shot.target] for shot in shots] == draw["labels"]


def test_the_whole_prompt_is_scandevals() -> None:
    wanted = golden("talemaader_prompt_iter0.json")
    suite, task = talemaader()
    item = next(item for item in load_examples(task, "test") if item.inputs["text"] == "gå ud som et lys")
    shots = shots_for(suite, task, "test", prompt_of(task).shots, 0)
    assert Asker(task, shots).base_prompt(item) == wanted["base_prompt"]
    assert Asker(task, shots, "instruct").messages(item) == wanted["messages"]
    assert Asker(task, shots).gold(item) == wanted["gold"]


@pytest.mark.parametrize(("suite", "task"), TASKS, ids=[task.path for _, task in TASKS])
def test_every_task_has_a_prompt_in_its_language_and_words_for_its_labels(suite: Suite, task: Task) -> None:
    prompt = prompt_of(task)
    assert len(prompt.wordings) >= (4 if task.language in TRANSLATED else 1)
    assert (
        len({wording.base for wording in prompt.wordings}) == len({wording.instruct for wording in prompt.wordings}) == len(prompt.wordings)
    )
    for wording in prompt.wordings:
        assert ("{label}" in wording.base) or ("{target_text}" in wording.base)
        assert "{label}" not in wording.instruct
    words = [prompt.label_words.get(label, label) for label in task.labels]
    if KINDS[task.kind].answer.form == "label":
        assert len({word.casefold() for word in words}) == len(words)
        for wording in prompt.wordings if task.language in TRANSLATED else []:
            assert all(word in wording.instruct for word in words), wording
    if KINDS[task.kind].answer.form == "tags":
        assert set(prompt.label_words) == set(task.labels) - {"O"}


@pytest.mark.parametrize(("suite", "task"), TASKS, ids=[task.path for _, task in TASKS])
def test_every_item_can_be_put_and_its_gold_answer_read_back(suite: Suite, task: Task) -> None:
    here = [split for split in available_splits(task) if split not in task.data.unlabelled]
    if not here:
        pytest.skip(f"{task.path} is not in GLUEPOT_DATA")
    items = load_examples(task, here[-1])[:20]
    shots = shots_for(suite, task, here[-1], 2, 0)
    assert not {text_key(task, shot) for shot in shots} & {text_key(task, item) for item in load_examples(task, here[-1])}
    for form in ("base", "instruct"):
        for wording in range(len(prompt_of(task).wordings)):
            asker = Asker(task, shots, form, wording)  # type: ignore[arg-type]
            for item in items:
                if item.target is not None:
                    assert_read_back(asker, item)


def assert_read_back(asker: Asker, item: Example) -> None:
    """The right answer, as a shot would show it, is the right output."""
    questions = asker.questions(item)
    chosen = [asker.read(item, asker.gold(item, number)) for number in range(len(questions))]
    if asker.task.kind == "cloze" and chosen == [None]:
        return  # RuCoS has answers that are only part of an entity
    output = KINDS[asker.task.kind].answer.read(asker.task, item, asker.output(item, chosen))
    if asker.answer == "number":
        assert abs(output - item.target) <= 0.051
    elif asker.answer == "text":
        assert output in ((item.target,) if isinstance(item.target, str) else item.target) or asker.task.kind in (
            "summary",
            "span-answer",
            "analogy",
        )
    elif asker.answer != "tags":  # an entity that stands twice is marked twice
        assert output == item.target


def test_no_shot_has_a_text_of_the_test_set() -> None:
    _, task = find("pocket/stance-sv")
    assert task is not None
    train = load_examples(task, "train")
    first = draw_shots(task, train, 6)
    avoided = {text_key(task, first[0])}
    assert first[0].inputs["text"] not in {shot.inputs["text"] for shot in draw_shots(task, train, 6, avoided=avoided)}


def test_another_seed_draws_other_shots_and_labels_come_in_turn() -> None:
    _, task = find("pocket/stance-sv")
    assert task is not None
    train = load_examples(task, "train")
    assert [s.id for s in draw_shots(task, train, 6, 0)] != [s.id for s in draw_shots(task, train, 6, 1)]
    assert sorted(s.target for s in draw_shots(task, train, 6)) == sorted([*task.labels] * 2)


def test_an_answer_is_the_whole_text_or_none() -> None:
    assert find_word("«Да».", ["да", "нет"]) == 0
    assert find_word("да, но нет", ["да", "нет"]) is None
    assert find_option("c", ["x", "y"]) is None
    assert find_number("10,5", (0, 10)) is None
    assert without_thinking("låt se …</think>ja")[0] == "ja"
    assert without_thinking("<think>utan slut") == ("", 16)


def test_a_wording_that_is_not_there_is_named() -> None:
    _, task = find("pocket/stance-sv")
    assert task is not None
    with pytest.raises(WrongUse, match="prompts 0 to 3"):
        Asker(task, [], "base", 4)
