"""A task as it is put to a language model: the shots before, the item's own words, and the answers to choose among."""

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
"""Languages that write 2,5."""
YES, NO = "true", "false"


@dataclass(frozen=True)
class Question:
    """One thing asked: an item, or one of its options where each is judged by itself."""

    text: str
    """The item's own words, up to where the answer begins."""
    tail: str = ""
    """What follows the answer in the sentence."""
    candidates: tuple[str, ...] = ()
    """The answers to choose among; none where the answer is written freely."""
    texts: bool = False
    """Whether the candidates are texts of different lengths rather than the task's few words."""


def prompt_of(task: Task) -> Prompt:
    if task.prompt is None:
        raise WrongUse(f"{task.path}: the task declares no [prompt].")
    return task.prompt


class Asker:
    """Puts the items of one task, by one of its prompts, after the same shots."""

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
        """What is asked about an item: one question, or one an option."""
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
        """The words to choose among, where the answer is one of several."""
        if self.answer.per_option:
            return self.words.get(YES, YES), self.words.get(NO, NO)
        if classes := self.answer.classes(self.task):
            return tuple(self.words.get(label, label) for label in classes)
        options = () if self.answer.per_token else self.answer.options(self.task, example)
        return tuple(letter(number) if self.letters else flat(option) for number, option in enumerate(options))

    def gold(self, example: Example, option: int = 0) -> str:
        """The right answer in the prompt's words."""
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
        return flat("; ".join(self.answer.in_words(example, self.answer.accepted(target)[0])))

    def _shots(self, cut: int) -> list[tuple[str, str, str]]:
        """Text before the answer, answer, text after it; the oldest `cut` shots are left out."""
        rows = []
        for number, shot in list(enumerate(self.shots))[cut:]:
            option = _telling_option(shot, number) if self.answer.per_option else None
            question = self._question(shot, option)
            rows.append((question.text, self.gold(shot, option or 0), question.tail))
        return rows

    def head(self, cut: int = 0) -> str:
        """All that stands before an item's own words, for base models."""
        parts = [self.chosen.prefix, *("".join(row) for row in self._shots(cut))]
        return "".join(f"{part}\n\n" for part in parts if part)

    def turns(self, cut: int = 0) -> list[Message]:
        """The shots as turns of a chat."""
        return [
            message
            for text, answer, tail in self._shots(cut)
            for message in ({"role": "user", "content": text + tail}, {"role": "assistant", "content": answer})
        ]

    def base_prompt(self, example: Example) -> str:
        """The whole prompt of an item, for base models; it ends where the answer begins."""
        return self.head() + self.questions(example)[0].text

    def messages(self, example: Example) -> list[Message]:
        """The whole chat about an item, for instruct models."""
        question = self.questions(example)[0]
        return [*self.turns(), {"role": "user", "content": question.text + question.tail}]

    def read(self, example: Example, text: str) -> Any:
        """The answer in what a model wrote about one question: the number of a candidate, or the output itself; None if there is none."""
        candidates = self.candidates(example)
        if self.letters:
            return find_option(text, [flat(option) for option in example.inputs["options"]])
        return find_word(text, candidates) if candidates else read_free(self.task, example, text, self.words)

    def output(self, example: Example, chosen: Sequence[Any]) -> Any:
        """The item's answer from what was chosen in each of its questions."""
        if self.answer.per_option:
            return [option for option, choice in enumerate(chosen) if choice == 0]
        return self.answer.option(self.task, example, chosen[0]) if self.candidates(example) else chosen[0]


def _telling_option(shot: Example, number: int) -> int:
    """A right option and a wrong one by turns, if there are such."""
    count = len(shot.inputs["options"])
    wanted = [option for option in range(count) if (option in shot.target) == (number % 2 == 0)]
    return wanted[0] if wanted else 0
