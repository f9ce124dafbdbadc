"""Analogies over a whole vocabulary compared with a loop over gensim's `most_similar`: `python -m benchmarks.vectors [--quick]`.

The questions are SweAnalogy's if $GLUEPOT_DATA has them, else synthetic ones of the same structure. The vectors are random except for
the questions' words, where each category has its own direction from a to b.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError
from gluepot.models.embeddings import Floats
from gluepot.models.embeddings.vectors import Vectors
from gluepot.records import Example, Task
from gluepot.tasks.declarations import load_suite

ROOT = Path(__file__).parents[1]
QUESTIONS, WORDS, DIMENSIONS = 18_593, 100_000, 300
SAMPLE, ROUNDS = 300, 3
"""Questions that gensim's loop is timed on, and turns per side; the best turn counts."""
WANTED = 30.0
MEMORY = 1.5e9
SEED = 2024


@dataclass(frozen=True)
class Line:
    """One comparison; gensim's seconds are scaled up from the sample."""

    name: str
    peer: str
    n: int
    peer_seconds: float
    our_seconds: float
    wanted: float | None
    difference: float
    """Share of the sample with answers different from gensim's."""
    memory: int
    """Peak resident bytes of a process that reads the file and answers all questions."""

    @property
    def ratio(self) -> float:
        return self.peer_seconds / self.our_seconds

    @property
    def holds(self) -> bool:
        return self.difference == 0 and self.memory < MEMORY and (self.wanted is None or self.ratio >= self.wanted)


def compare(quick: bool = False) -> list[Line]:
    """Return the rows of the table; with `quick`, on a tenth of the vocabulary and without a target ratio."""
    words = WORDS // 10 if quick else WORDS
    name, questions = read_questions()
    vocabulary, matrix = make_vectors(questions, words)
    with tempfile.TemporaryDirectory() as folder, environment("GLUEPOT_CACHE", folder):
        path = Path(folder) / "vectors.bin"
        write_word2vec(path, vocabulary, matrix)
        memory = measure_memory(path)
        model = Vectors("vectors", str(path), 0)
        keyed = KeyedVectors(DIMENSIONS)
        keyed.add_vectors(vocabulary, matrix)
        keyed.fill_norms()
        chosen = np.random.default_rng(SEED).choice(len(questions), SAMPLE // 10 if quick else SAMPLE, replace=False)
        sample = [questions[number] for number in chosen]
        turns = [take_turns(model, keyed, questions, sample) for _ in range(1 if quick else ROUNDS)]
    ours, theirs = min(turn[0] for turn in turns), min(turn[1] for turn in turns)
    answers = [turns[0][2][number] for number in chosen]
    different = np.mean([ours != theirs for ours, theirs in zip(answers, turns[0][3], strict=True)])
    scaled = theirs / len(sample) * len(questions)
    title = f"{name}, {words:,} × {DIMENSIONS} vectors; gensim on {len(sample)} questions, scaled"
    return [Line(title, "gensim", len(questions), scaled, ours, None if quick else WANTED, float(different), memory)]


def take_turns(
    model: Vectors, keyed: KeyedVectors, questions: Sequence[Example], sample: Sequence[Example]
) -> tuple[float, float, list[str], list[str]]:
    """Return gluepot's seconds for all questions and gensim's for the sample, and the answers of both."""
    start = time.perf_counter()
    ours = [str(prediction.output) for prediction in model.predict(analogy_task(), questions)]
    middle = time.perf_counter()
    theirs = [ask_gensim(keyed, question) for question in sample]
    return middle - start, time.perf_counter() - middle, ours, theirs


def ask_gensim(keyed: KeyedVectors, question: Example) -> str:
    a, b, c = (question.inputs[role] for role in "abc")
    return str(keyed.most_similar(positive=[b, c], negative=[a], topn=1)[0][0])


def analogy_task() -> Task:
    return load_suite("superlim").tasks["sweanalogy"]


def read_questions() -> tuple[str, list[Example]]:
    """Return SweAnalogy's test questions, or as many synthetic ones."""
    try:
        return "SweAnalogy", [_joined(question) for question in load_examples(analogy_task(), "test")]
    except GluepotError:
        return "questions like SweAnalogy's", list(make_questions())[:QUESTIONS]


def _joined(question: Example) -> Example:
    """Return the question with spaces replaced by underscores, since a space ends a word in word2vec's binary format."""
    inputs = {role: word.replace(" ", "_") for role, word in question.inputs.items()}
    return Example(question.id, inputs, str(question.target).replace(" ", "_"), tags=question.tags)


def make_questions() -> Iterator[Example]:
    """Yield seven categories of 53 pairs, with a question for every two pairs of a category."""
    for category in range(7):
        pairs = [(f"a{category}-{number}", f"b{category}-{number}") for number in range(53)]
        for (a, b), (c, answer) in permutations(pairs, 2):
            yield Example(f"{a}/{c}", {"a": a, "b": b, "c": c}, answer, tags=(f"category/{category}",))


def make_vectors(questions: Sequence[Example], count: int) -> tuple[list[str], Floats]:
    """Generate a vocabulary with the questions' words at random positions."""
    generator = np.random.default_rng(SEED)
    matrix = generator.standard_normal((count, DIMENSIONS), dtype=np.float32)
    rows = iter(generator.permutation(count).tolist())
    directions: dict[tuple[str, ...], Floats] = {}
    found: dict[str, int] = {}
    for question in questions:
        a, b, c = (question.inputs[role] for role in "abc")
        for first, second in ((a, b), (c, str(question.target))):
            if first not in found:
                found[first] = next(rows)
            if second not in found:
                direction = directions.setdefault(question.tags, generator.standard_normal(DIMENSIONS, dtype=np.float32))
                found[second] = next(rows)
                matrix[found[second]] = matrix[found[first]] + direction + 0.3 * generator.standard_normal(DIMENSIONS, dtype=np.float32)
    vocabulary = [f"word-{row}" for row in range(count)]
    for word, row in found.items():
        vocabulary[row] = word
    return vocabulary, matrix


def write_word2vec(path: Path, vocabulary: Sequence[str], matrix: Floats) -> None:
    with path.open("wb") as file:
        file.write(b"%d %d\n" % matrix.shape)
        for word, row in zip(vocabulary, matrix, strict=True):
            file.write(word.encode() + b" " + row.tobytes())


def measure_memory(path: Path) -> int:
    """Return the peak resident bytes of a separate process that reads the vectors and answers all questions."""
    command = [sys.executable, "-m", "benchmarks.vectors", "--answer", str(path)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(json.loads(done.stdout)["peak"])


def answer_all(path: Path) -> dict[str, int]:
    """Answer all questions in the measured process."""
    questions = read_questions()[1]
    predictions = Vectors("vectors", str(path), 0).predict(analogy_task(), questions)
    return {"answers": len(predictions), "peak": peak_memory()}


def peak_memory() -> int:
    """Return the peak resident bytes of this process; not from `getrusage` if avoidable, as it includes the parent's before exec."""
    status = Path("/proc/self/status")
    if status.is_file():
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """Set an environment variable temporarily."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.vectors", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the vocabulary: equal answers only, no ratio is demanded")
    parser.add_argument("--answer", type=Path, help="only answer all questions with this file and print the peak memory")
    options = parser.parse_args()
    if options.answer:
        print(json.dumps(answer_all(options.answer)))
        return 0
    lines = compare(options.quick)
    for line in lines:
        wanted = f" (wanted {line.wanted:g})" if line.wanted else ""
        print(
            f"{line.name}: n {line.n:,}; gensim {line.peer_seconds:.1f} s, ours {line.our_seconds:.2f} s, ratio {line.ratio:.0f}{wanted}; ",
            end="",
        )
        print(f"other answers {line.difference:.1%}; peak memory {line.memory / 1e6:.0f} MB")
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
