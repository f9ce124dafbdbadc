"""Model: predicts a word's label from its last letters, which mostly determine it in Faroese."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from gluepot.models import ADAPTERS, AdapterInfo, CannotSolve
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS

LONGEST = 3


class WordEndings:
    """Predicts the most frequent label of the longest known ending of each text's last word."""

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.name = name
        self.seen: dict[str, Counter[str]] = defaultdict(Counter)

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        if KINDS[task.kind].answer.form != "label":
            raise CannotSolve(f"{self.name}: {task.path} asks for no label.")
        if not train:
            raise CannotSolve(f"{self.name}: {task.path} has no training data.")
        for example in train:
            for ending in endings(last_word(task, example)):
                self.seen[ending][example.target] += 1

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        return [Prediction(example.id, self.answer(last_word(task, example))) for example in examples]

    def answer(self, word: str) -> str:
        known = next(self.seen[ending] for ending in endings(word) if ending in self.seen)
        return min(known, key=lambda label: (-known[label], label))


def last_word(task: Task, example: Example) -> str:
    """Return the last word of the last text of an item."""
    text = str(example.inputs[KINDS[task.kind].texts[-1]])
    return (text.strip(" .!?").split() or [""])[-1].casefold()


def endings(word: str) -> list[str]:
    """
    >>> endings("bátur")
    ['tur', 'ur', 'r', '']
    """
    return [word[len(word) - size :] for size in range(min(LONGEST, len(word)), -1, -1)]


ADAPTERS.add(
    "word-endings",
    AdapterInfo("word-endings", "gluepot_faroe.models:WordEndings", "The label that a word's last letters had.", seeded=False, trusts=""),
)
