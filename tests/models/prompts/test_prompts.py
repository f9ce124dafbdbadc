"""Prompts: ScandEval's shots and prompts reproduced exactly, a prompt for every declared task, strict parsing of answers."""

import json
import re
from pathlib import Path

import pytest

from gluepot.data.examples import load_examples
from gluepot.data.folders import available_splits
from gluepot.errors import WrongUse
from gluepot.models.prompts.asking import PromptBuilder, prompt_of
from gluepot.models.prompts.parsing import find_number, find_option, find_word, without_thinking
from gluepot.models.prompts.shots import draw_shots, text_key
from gluepot.records import Example, Suite, Task
from gluepot.runs.prediction.shots import asked_texts, family, shot_data, shots_for
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import find, load_suites

REFERENCE = Path(__file__).parents[4] / "shared" / "reference"
TASKS = [(suite, task) for suite in load_suites() for task in suite.tasks.values()]
TRANSLATED = {"sv", "ru", "eu"}
MARKS = re.compile(r"\{[a-z_]+\}|@(highlight|header|placeholder)")
"""Placeholders of templates and data files that no prompt may contain."""


def golden(name: str) -> dict:  # type: ignore[type-arg]
    if not (REFERENCE / name).is_file():
        pytest.skip("the golden files are not here")
    return json.loads((REFERENCE / name).read_text())


def talemaader() -> tuple[Suite, Task]:
    suite, task = find("scandeval-da/danske-talemaader")
    assert task is not None
    if "train" not in available_splits(task):
        pytest.skip("the Danish idioms are not in GLUEPOT_DATA")
    return suite, task


def test_shots_equal_those_drawn_by_scandeval() -> None:
    draws = golden("golden/fewshot_talemaader.json")["draws"]
    suite, task = talemaader()
    rows = {example.id: row for row, example in enumerate(load_examples(task, "train"))}
    for draw in draws:
        shots = shots_for(suite, task, "test", 5, draw["iteration"])
        assert [rows[shot.id] for shot in shots] == draw["train_row_ids"]
        assert [task.labels[shot.target] for shot in shots] == draw["labels"]


def test_whole_prompt_equals_that_of_scandeval() -> None:
    wanted = golden("golden/talemaader_prompt_iter0.json")
    suite, task = talemaader()
    item = next(item for item in load_examples(task, "test") if item.inputs["text"] == "gå ud som et lys")
    shots = shots_for(suite, task, "test", prompt_of(task).shots, 0)
    assert PromptBuilder(task, shots).base_prompt(item) == wanted["base_prompt"]
    assert PromptBuilder(task, shots, "instruct").messages(item) == wanted["messages"]
    assert PromptBuilder(task, shots).gold(item) == wanted["gold"]


def test_danish_prompts_equal_those_of_scandeval() -> None:
    tasks = next(suite for suite in load_suites() if suite.name == "scandeval-da").tasks
    declared = golden("danish-tasks.json")["tasks"]
    assert set(tasks) == set(declared)
    for name, wanted in declared.items():
        prompt = prompt_of(tasks[name])
        template = prompt.templates[0]
        assert {"prefix": template.prefix, "base": template.base, "instruct": template.instruct} == wanted["prompts_source"], name
        assert (prompt.shots, prompt.max_tokens) == (wanted["few_shot"], wanted["max_generated_tokens"]), name
        assert {label.lower(): word for label, word in prompt.label_words.items()} == wanted["label_mapping"], name


@pytest.mark.parametrize(("suite", "task"), TASKS, ids=[task.path for _, task in TASKS])
def test_every_task_has_a_prompt_in_its_language_and_words_for_its_labels(suite: Suite, task: Task) -> None:
    prompt = prompt_of(task)
    assert len(prompt.templates) >= (4 if task.language in TRANSLATED else 1)
    assert len({one.base for one in prompt.templates}) == len({template.instruct for template in prompt.templates}) == len(prompt.templates)
    for template in prompt.templates:
        assert ("{label}" in template.base) or ("{target_text}" in template.base)
        assert "{label}" not in template.instruct
    words = [prompt.label_words.get(label, label) for label in task.labels]
    if KINDS[task.kind].answer.form == "label":
        assert len({word.casefold() for word in words}) == len(words)
        for template in prompt.templates if task.language in TRANSLATED else []:
            assert all(word in template.instruct for word in words), template
    if KINDS[task.kind].answer.form == "tags":
        assert set(prompt.label_words) == set(task.labels) - {"O"}


@pytest.mark.parametrize(("suite", "task"), TASKS, ids=[task.path for _, task in TASKS])
def test_every_item_has_a_prompt_and_its_gold_answer_is_parsed_back(suite: Suite, task: Task) -> None:
    here = [split for split in available_splits(task) if split not in task.data.unlabelled]
    if not here:
        pytest.skip(f"{task.path} is not in GLUEPOT_DATA")
    items = load_examples(task, here[-1])[:20]
    shots = shots_for(suite, task, here[-1], 2, 0)
    assert not {text_key(task, shot) for shot in shots} & {text_key(task, item) for item in load_examples(task, here[-1])}
    for form in ("base", "instruct"):
        for template in range(len(prompt_of(task).templates)):
            builder = PromptBuilder(task, shots, form, template)  # type: ignore[arg-type]
            for item in items:
                assert not MARKS.search(builder.base_prompt(item) if form == "base" else str(builder.messages(item)))
                if item.target is not None:
                    assert_read_back(builder, item)


def assert_read_back(builder: PromptBuilder, item: Example) -> None:
    """Assert that the gold answer, as a shot shows it, is parsed as the gold output."""
    questions = builder.questions(item)
    chosen = [builder.read(item, builder.gold(item, number)) for number in range(len(questions))]
    if builder.task.kind == "cloze" and chosen == [None]:
        return  # RuCoS has answers that are only part of an entity
    output = KINDS[builder.task.kind].answer.read(builder.task, item, builder.output(item, chosen))
    if builder.answer.by_distance:
        assert abs(output - item.target) <= 0.051
    elif questions[0].candidates:  # without candidates, an entity that occurs twice is tagged twice, and a truncated text is incomplete
        assert output in builder.answer.accepted(item.target)


def running_texts(task: Task, example: Example) -> set[str]:
    """Return the texts of more than two words, such as the premise of a pair or the passage of a question."""
    return {text for text in text_key(task, example) if len(text.split()) > 2}


@pytest.mark.parametrize(("suite", "task"), TASKS, ids=[task.path for _, task in TASKS])
def test_no_shot_shares_a_text_with_the_test_set(suite: Suite, task: Task) -> None:
    """TERRa tests premises of its training data with other hypotheses; a seventeenth of the analogies are in both splits."""
    if "test" not in available_splits(task):
        pytest.skip(f"{task.path} is not in GLUEPOT_DATA")
    asked = load_examples(task, "test")
    texts = {text for item in asked for text in running_texts(task, item)}
    items = {text_key(task, item) for item in asked}
    source, count = family(suite, task)[0], prompt_of(task).shots
    known, avoided = shot_data(source), asked_texts(suite, task, "test")
    for iteration in range(3):
        for shot in draw_shots(source, known, count, iteration, avoided):
            assert not running_texts(task, shot) & texts
            assert text_key(task, shot) not in items


def test_avoided_texts_are_not_drawn() -> None:
    _, task = find("pocket/stance-sv")
    assert task is not None
    train = load_examples(task, "train")
    first = draw_shots(task, train, 6)
    avoided = {text_key(task, first[0])}
    assert first[0].inputs["text"] not in {shot.inputs["text"] for shot in draw_shots(task, train, 6, avoided=avoided)}
    assert draw_shots(task, train, 0) == []
    with pytest.raises(WrongUse, match="--shots"):
        draw_shots(task, train, -1)


def test_diagnostic_belongs_to_the_family_of_its_training_task() -> None:
    suite, task = find("superlim/swewinogender")
    assert task is not None
    assert [one.name for one in family(suite, task)] == ["swenli", "swediagnostics", "swewinogender"]
    assert [one.name for one in family(suite, suite.tasks["swenli"])] == ["swenli", "swediagnostics", "swewinogender"]


def test_another_seed_draws_other_shots_and_labels_are_balanced() -> None:
    _, task = find("pocket/stance-sv")
    assert task is not None
    train = load_examples(task, "train")
    assert [s.id for s in draw_shots(task, train, 6, 0)] != [s.id for s in draw_shots(task, train, 6, 1)]
    assert sorted(s.target for s in draw_shots(task, train, 6)) == sorted([*task.labels] * 2)


def test_answer_must_be_the_whole_text() -> None:
    assert find_word("«Да».", ["да", "нет"]) == 0
    assert find_word("да, но нет", ["да", "нет"]) is None
    assert find_option("c", ["x", "y"]) is None
    assert find_number("10,5", (0, 10)) is None


def test_option_letter_may_be_cyrillic() -> None:
    assert [find_option(text, ["дождь", "снег"]) for text in ("а", "Б.", "б) снег", "в", "a", "b")] == [0, 1, 1, None, 0, 1]


@pytest.mark.parametrize(
    ("written", "kept", "cut"),
    [
        ("<think>hm, ja</think> nej", " nej", 21),
        ("<think>utan slut", "", 16),
        ("ja<think>utan slut", "ja", 16),
        ("låt se …</think>ja", "ja", 16),
        ("okej</thinking>\n\nja", "\n\nja", 15),
        ("hm</think>nej<think>eller", "nej", 22),
        ("<think>a</think><think>b</think>ja", "ja", 32),
        ("<thought>a</thought>ja", "ja", 20),
        ("ja, inget tänkt", "ja, inget tänkt", 0),
    ],
)
def test_reasoning_is_removed_and_counted(written: str, kept: str, cut: int) -> None:
    assert without_thinking(written) == (kept, cut)


def test_unknown_prompt_number_is_refused() -> None:
    _, task = find("pocket/stance-sv")
    assert task is not None
    with pytest.raises(WrongUse, match="prompts 0 to 3"):
        PromptBuilder(task, [], "base", 4)
