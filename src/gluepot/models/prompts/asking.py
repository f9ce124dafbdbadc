"""Prompts of a task for language models: the shots, the item's text and the candidate answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gluepot.errors import WrongUse
from gluepot.models.prompts.entities import as_json
from gluepot.models.prompts.fields import fields, flat, letter, numbered
from gluepot.models.prompts.parsing import find_option, find_word, read_free
from gluepot.records import Example, Prompt, Task
from gluepot.tasks import KINDS

Form = Literal["base", "instruct"]
Message = dict[str, str]
COMMA = {"sv", "da", "ru", "eu"}
"""Languages with a decimal comma (2,5)."""
YES, NO = "true", "false"


@dataclass(frozen=True)
class Question:
    """A single question: an item, or one of its options where each is answered separately."""

    text: str
    """The item's text, up to where the answer begins."""
    tail: str = ""
    """Text of the sentence after the answer."""
    candidates: tuple[str, ...] = ()
    """The answers to choose from; empty where the answer is free text."""
    texts: bool = False
    """Whether the candidates are texts of different lengths rather than the task's few label words."""


def prompt_of(task: Task) -> Prompt:
    if task.prompt is None:
        raise WrongUse(f"{task.path}: the task declares no [prompt].")
    return task.prompt


class PromptBuilder:
    """Prompt builder for the items of one task, with one of its templates and fixed shots."""

    def __init__(self, task: Task, shots: Sequence[Example], form: Form = "base", number: int = 0) -> None:
        self.task, self.form, self.prompt = task, form, prompt_of(task)
        if not 0 <= number < len(self.prompt.templates):
            raise WrongUse(f"{task.path}: there are prompts 0 to {len(self.prompt.templates) - 1}, not {number}.")
        self.chosen = self.prompt.templates[number]
        self.words = self.prompt.label_words
        self.template = (self.chosen.base if form == "base" else self.chosen.instruct).replace("{target_text}", "{label}")
        self.answer = KINDS[task.kind].answer
        self.letters = numbered(task) and (bool(task.labels) or "{options}" in self.template)
        self.shots = list(shots)

    def questions(self, example: Example) -> list[Question]:
        """Return the questions about an item: one, or one per option."""
        if self.answer.per_option:
            return [self._question(example, option) for option in range(len(example.inputs["options"]))]
        return [self._question(example)]

    def _question(self, example: Example, option: int | None = None) -> Question:
        known = fields(self.task, example, self.words, option)
        head, _, tail = (self.template if "{label}" in self.template else self.template + "{label}").partition("{label}")
        texts = not (self.letters or self.answer.per_option or self.answer.classes(self.task))
        candidates = self.candidates(example)
        return Question(head.format(**known), tail.format(**known), candidates, texts and bool(candidates))

    def candidates(self, example: Example) -> tuple[str, ...]:
        """Return the candidate answers, where the answer is one of several."""
        if self.answer.per_option:
            return self.words.get(YES, YES), self.words.get(NO, NO)
        if classes := self.answer.classes(self.task):
            return tuple(self.words.get(label, label) for label in classes)
        options = () if self.answer.per_token else self.answer.options(self.task, example)
        return tuple(letter(number) if self.letters else flat(option) for number, option in enumerate(options))

    def gold(self, example: Example, option: int = 0) -> str:
        """Return the gold answer in the prompt's words."""
        target = example.target
        if self.answer.per_token:
            return as_json(example.inputs["tokens"], target, self.words)
        if self.answer.by_distance:
            text = f"{target:.1f}"
            return text.replace(".", ",") if self.task.language in COMMA else text
        if self.answer.per_option:
            return self.candidates(example)[0 if option in target else 1]
        number = self.answer.position(self.task, target)
        if number is not None:
            return self.candidates(example)[number]
        return flat("; ".join(self.answer.format_output(example, self.answer.accepted(target)[0])))

    def _shots(self, cut: int) -> list[tuple[str, str, str]]:
        """Return text before the answer, answer, and text after it for each shot, without the oldest `cut` shots."""
        rows = []
        for number, shot in list(enumerate(self.shots))[cut:]:
            option = _telling_option(shot, number) if self.answer.per_option else None
            question = self._question(shot, option)
            rows.append((question.text, self.gold(shot, option or 0), question.tail))
        return rows

    def head(self, cut: int = 0) -> str:
        """Return everything before an item's text, for base models."""
        parts = [self.chosen.prefix, *("".join(row) for row in self._shots(cut))]
        return "".join(f"{part}\n\n" for part in parts if part)

    def turns(self, cut: int = 0) -> list[Message]:
        """Return the shots as chat turns."""
        return [
            message
            for text, answer, tail in self._shots(cut)
            for message in ({"role": "user", "content": text + tail}, {"role": "assistant", "content": answer})
        ]

    def base_prompt(self, example: Example) -> str:
        """Return the whole prompt of an item for base models; it ends where the answer begins."""
        return self.head() + self.questions(example)[0].text

    def messages(self, example: Example) -> list[Message]:
        """Return the whole chat about an item, for instruct models."""
        question = self.questions(example)[0]
        return [*self.turns(), {"role": "user", "content": question.text + question.tail}]

    def read(self, example: Example, text: str) -> Any:
        """Parse the reply to one question: the number of a candidate, or the output itself; None if there is no answer."""
        candidates = self.candidates(example)
        if self.letters:
            return find_option(text, [flat(option) for option in example.inputs["options"]])
        return find_word(text, candidates) if candidates else read_free(self.task, example, text, self.words)

    def output(self, example: Example, chosen: Sequence[Any]) -> Any:
        """Return the item's prediction from the answers to all of its questions."""
        if self.answer.per_option:
            return [option for option, choice in enumerate(chosen) if choice == 0]
        return self.answer.option(self.task, example, chosen[0]) if self.candidates(example) else chosen[0]


def _telling_option(shot: Example, number: int) -> int:
    """Return a right and a wrong option alternately, as far as they exist."""
    count = len(shot.inputs["options"])
    wanted = [option for option in range(count) if (option in shot.target) == (number % 2 == 0)]
    return wanted[0] if wanted else 0
