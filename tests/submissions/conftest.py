"""Synthetic suite with a task for every form of answer, so that nothing needs to be downloaded."""

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gluepot.records import Problem, Result, Score, Suite
from gluepot.runs.scores.scoring import score_submission
from gluepot.submissions.reading import Submission, read_submission
from gluepot.tasks.declarations import read_suite

ABOUT = 'language = "sv"\nlicense = "CC0-1.0"\ncitation = "None."\nlink = "none"\n'
TASK = 'title = "{name}"\nsummary = "A task."\ndomain = ["none"]\n' + ABOUT + "{facts}\n[data]\n{source}\n[fields]\n{fields}\n"
SUITE = (
    'title = "Tiny"\nsummary = "A suite."\nversion = "1"\n' + ABOUT + 'order = {order}\nsubmission = "{form}"\n[overall]\nterms = {terms}\n'
)
NLI = ["entailment", "neutral", "contradiction"]

FACTS: dict[str, tuple[str, str]] = {
    "nli": (
        f'kind = "pair-classification"\nlabels = {NLI}\nmetrics = ["accuracy"]',
        'id = "id"\ntext = "premise"\npair = "hypothesis"\ntarget = "label"',
    ),
    "stance": ('kind = "classification"\nlabels = ["pro", "con"]\nmetrics = ["accuracy"]', 'text = "text"\ntarget = "label"'),
    "mood": ('kind = "regression"\nscale = [1, 5]\nmetrics = ["pearson"]', 'id = "id"\ntext = "text"\ntarget = "label"'),
    "near": (
        'kind = "regression"\nscale = [1, 5]\noff-scale = true\nmetrics = ["alpha-interval", "pearson"]',
        'id = "id"\ntext = "text"\ntarget = "label"',
    ),
    "pick": ('kind = "choice"\nmetrics = ["accuracy"]', 'id = "id"\ntext = "text"\noptions = "options"\ntarget = "label"'),
    "marks": (
        'kind = "multi-choice"\nmetrics = ["question-exact-match", "answer-f1"]',
        'id = "id"\ncontext = "passage"\ntext = "question"\noptions = "answers"\ntarget = "right"',
    ),
    "names": (
        'kind = "token-labelling"\nlabels = ["O", "B-PER", "I-PER"]\nmetrics = ["span-f1"]',
        'tokens = "tokens"\ntarget = "tags"',
    ),
    "words": ('kind = "analogy"\nmetrics = ["exact-match"]', 'a = "a"\nb = "b"\nc = "c"\ntarget = "label"'),
    "truth": ('kind = "classification"\nlabels = ["true", "false"]\nmetrics = ["accuracy"]', 'id = "idx"\ntext = "text"\ntarget = "label"'),
    "twice": ('kind = "classification"\nlabels = ["pro", "con"]\nmetrics = ["accuracy"]', 'id = "id"\ntext = "text"\ntarget = "label"'),
    "pairs": (
        'kind = "word-pair"\nscale = [0, 10]\nmay-skip = true\nmetrics = ["pearson"]',
        'first = "first"\nsecond = "second"\ntarget = "label"',
    ),
}
ROWS: dict[str, list[dict[str, Any]]] = {
    "nli": [{"id": i, "premise": f"premise {i}", "hypothesis": f"hypothesis {i}", "label": NLI[i % 3]} for i in range(6)],
    "stance": [{"text": f"sats {i}", "label": ["pro", "con"][i % 2], "idx": i + 10} for i in range(5)],
    "mood": [{"id": f"m{i}", "text": f"text {i}", "label": 1.0 + i} for i in range(5)],
    "near": [{"id": f"m{i}", "text": f"text {i}", "label": 1.0 + i} for i in range(5)],
    "pick": [{"id": i, "text": f"fråga {i}", "options": ["a", "b", "c"], "label": i % 3} for i in range(4)],
    "marks": [
        {"id": f"0/{i}", "passage": "text", "question": f"fråga {i}", "answers": ["a", "b", "c"], "right": [i % 3, 2]} for i in range(4)
    ],
    "names": [{"tokens": ["Anna", "sov", "."], "tags": ["B-PER", "O", "O"]}, {"tokens": ["Bo", "Ek"], "tags": ["B-PER", "I-PER"]}],
    "words": [{"a": "kung", "b": "drottning", "c": f"man {i}", "label": f"kvinna {i}"} for i in range(4)],
    "truth": [{"idx": i, "text": f"sats {i}", "label": i % 2 == 0} for i in range(4)],
    "twice": [{"id": str(i % 3), "text": f"sats {i}", "label": ["pro", "con"][i % 2]} for i in range(4)],
    "pairs": [{"first": f"ord {i}", "second": "sak", "label": float(i)} for i in range(5)],
}
GOLD = dict.fromkeys(FACTS, "label") | {"marks": "right", "names": "tags"}


class Tiny:
    """The suite, its data, and helpers to write, read and score submissions."""

    def __init__(self, root: Path, form: str) -> None:
        self.root = root
        self.folder = root / "submission"
        self.folder.mkdir()
        self.suite = self._declare(form)

    def _declare(self, form: str) -> Suite:
        folder = self.root / "suites" / "tiny"
        for name, (facts, fields) in FACTS.items():
            splits = {split: f"{name}/{split}.jsonl" for split in (("test", "dev") if name == "nli" else ("test",))}
            for number, path in enumerate(splits.values()):
                self._put(self.root / "data" / "tiny" / path, ROWS[name][: 6 - number])
            source = "files = {" + ", ".join(f'{split} = "{path}"' for split, path in splits.items()) + "}"
            (folder / name).mkdir(parents=True)
            (folder / name / "task.toml").write_text(TASK.format(name=name, facts=facts, source=source, fields=fields))
        terms = [[name] for name in FACTS]
        (folder / "suite.toml").write_text(SUITE.format(order=list(FACTS), form=form, terms=terms))
        return read_suite(folder)

    @staticmethod
    def _put(path: Path, rows: list[Any] | bytes | str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(rows, list):
            rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path.write_bytes(rows if isinstance(rows, bytes) else rows.encode())
        return path

    def answers(self, task: str) -> list[dict[str, Any]]:
        """Return the right answer to every item, as records of the data with `prediction` added."""
        return [{**row, "prediction": row[GOLD[task]]} for row in ROWS[task]]

    def write(self, name: str, rows: list[Any] | bytes | str) -> Path:
        return self._put(self.folder / name, rows)

    def read(self, path: Path | None = None, *, task: str | None = None, **options: Any) -> Submission:
        return read_submission(self.suite, path or self.folder, task=self.suite.tasks[task] if task else None, **options)

    def score(self, path: Path | None = None, **options: Any) -> Result:
        return score_submission(self.suite, self.read(path, **options), resamples=2)

    def scored(self, task: str, rows: list[Any] | bytes | str, **options: Any) -> Score:
        """Return the score of one file for one task, which must have no problems."""
        result = self.score(self.write(f"{task}.jsonl", rows), task=task, **options)
        assert result.problems == []
        return result.scores[0]

    def refused(self, task: str, rows: list[Any] | bytes | str, **options: Any) -> list[Problem]:
        """Return the problems of one file for one task, which must not be scored."""
        result = self.score(self.write(f"{task}.jsonl", rows), task=task, **options)
        assert result.problems
        assert all(score.value is None for score in result.scores)
        return result.problems


@pytest.fixture
def make_tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Tiny]:
    """Factory of the suite with a given submission format."""
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "data"))
    return lambda form="jsonl": Tiny(tmp_path, form)


@pytest.fixture
def tiny(make_tiny: Callable[..., Tiny]) -> Tiny:
    return make_tiny()


@pytest.fixture(autouse=True)
def _collected_again() -> Iterator[None]:
    """Re-enable the garbage collector, which `gluepot score` turns off for its short lifetime."""
    yield
    gc.enable()
