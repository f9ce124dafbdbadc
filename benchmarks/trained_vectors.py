"""Word vectors trained on the suites' own texts: their quality on SuperSim, and training speed compared with gensim's own loop.

python -m benchmarks.trained_vectors [--to DIR]      measures this part alone
"""

import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from benchmarks.processes import print_results, run_side, timed
from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.metrics.sample import value_of
from gluepot.models.embeddings.training import train_vectors
from gluepot.models.embeddings.training.glove import write_word2vec
from gluepot.models.embeddings.training.recipe import VectorRecipe
from gluepot.models.embeddings.vectors import Vectors
from gluepot.records import Example, Task
from gluepot.statistics.bootstrap import generator, interval, replicate
from gluepot.tasks.declarations import find, load_suite
from gluepot.tasks.judging import as_answer, make_sample

SUITES = ("superlim", "scandeval-da", "russian-superglue", "basqueglue")
TASKS = ("superlim/supersim-superlim-similarity", "superlim/supersim-superlim-relatedness")
METRIC = "spearman"
SPLITS = ("train", "dev", "test")
"""Training texts first; they are too few, and texts of other items, without their answers, do not leak into word pairs."""
SHORTEST = 20
"""Minimum number of characters of a text, as opposed to a word."""
WANTED_BYTES = 20e6
RECIPES = {
    "word2vec": VectorRecipe(model="word2vec", skip_gram=True, epochs=10, min_count=3),
    "fasttext": VectorRecipe(model="fasttext", skip_gram=True, epochs=10, min_count=3, subwords=(4, 6)),
    "glove": VectorRecipe(model="glove", epochs=25, window=10, min_count=3),
}
"""fastText with three letters and 200,000 vectors for the subwords of four languages reached half of its ρ on so small a corpus."""
TIMED_EPOCHS = 2
"""Every epoch costs the same."""
SLOWEST = 1.1
"""Maximum CPU time relative to gensim's own."""


@dataclass(frozen=True)
class Quality:
    """Quality of a vector file on a task."""

    task: str
    model: str
    pairs: int
    answered: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Speed:
    """CPU seconds of training, gluepot's and gensim's own loop over the same words."""

    model: str
    tokens: int
    our_seconds: float
    peer_seconds: float

    @property
    def holds(self) -> bool:
        return self.our_seconds <= SLOWEST * self.peer_seconds


@dataclass(frozen=True)
class Corpus:
    """Size of the texts in bytes by split and language."""

    bytes: dict[tuple[str, str], int]

    @property
    def size(self) -> int:
        return sum(self.bytes.values())

    def __str__(self) -> str:
        """Format as on the page: by split, then by language."""
        parts = []
        for place, names in ((0, SPLITS), (1, sorted({language for _, language in self.bytes}))):
            sums = [(name, sum(size for key, size in self.bytes.items() if key[place] == name) / 1e6) for name in names]
            parts.append(", ".join(f"{name} {size:.1f} MB" for name, size in sums))
        return f"{self.size / 1e6:.1f} MB ({'; '.join(parts)})"


def write_corpus(to: Path, suites: Sequence[str] = SUITES) -> Corpus:
    """Write the texts of the available suites, deduplicated, one per line, training texts first."""
    tasks = [task for suite in suites for task in load_suite(suite).tasks.values()]
    seen: set[str] = set()
    sizes: Counter[tuple[str, str]] = Counter()
    with to.open("w", encoding="utf-8") as file:
        for split, task in product(SPLITS, tasks):
            for text in texts_of(task, split):
                if text not in seen:
                    seen.add(text)
                    sizes[split, task.language] += len(text.encode()) + 1
                    file.write(f"{text}\n")
    return Corpus(dict(sizes))


def texts_of(task: Task, split: str) -> Iterator[str]:
    """Yield the running texts of a task's items, never their answers."""
    for example in load_examples(task, split) if has_split(task, split) else []:
        for value in example.inputs.values():
            words = isinstance(value, list) and "tokens" in example.inputs
            for text in [" ".join(map(str, value))] if words else value if isinstance(value, list) else [value]:
                if isinstance(text, str) and len(text) >= SHORTEST:
                    yield " ".join(text.split())


def train_all(corpus: Path, folder: Path, recipes: Mapping[str, VectorRecipe] = RECIPES) -> dict[str, Path]:
    """Return a file for each model, and one of random vectors for word2vec's vocabulary."""
    files = {}
    for name, recipe in recipes.items():
        files[name] = folder / f"{name}.bin"
        if not files[name].exists():
            train_vectors(recipe, [str(corpus)], files[name], lambda said, own=name: print(f"{own}: {said}", file=sys.stderr))  # type: ignore[misc]
    files["random"] = folder / "random.bin"
    if not files["random"].exists():
        from gensim.models import KeyedVectors

        words = list(KeyedVectors.load_word2vec_format(str(files["word2vec"]), binary=True).index_to_key)
        write_word2vec(files["random"], words, np.random.default_rng(0).standard_normal((len(words), 100)).astype(np.float32))
    return files


def judge(task_path: str, name: str, file: Path) -> Quality:
    """Return the quality of a vector file on the test pairs of a task."""
    task = find(task_path)[1]
    assert task is not None
    return judge_pairs(task, load_examples(task, "test"), name, file)


def judge_pairs(task: Task, items: Sequence[Example], name: str, file: Path) -> Quality:
    """Return Spearman's ρ over the pairs with both words in the vocabulary, its interval, and their number."""
    task = replace(task, may_skip=True)  # as in SuperSim's paper: pairs without vectors are left out and counted
    model = Vectors("vectors", str(file), 0)
    model.fit(task, [], [])
    found = zip(items, model.predict(task, items), strict=True)
    known = [(item, as_answer(task, answer.output)) for item, answer in found if answer.output is not None]
    sample = make_sample(task, METRIC, [item for item, _ in known], [answer for _, answer in known])
    low, high = interval(replicate(sample, generator(task.path))) or (float("nan"), float("nan"))
    return Quality(task.path, name, len(items), len(known), value_of(sample), low, high)


def time_training(model: str, corpus: Path, folder: Path) -> Speed:
    """Time gluepot's and gensim's training in separate processes by CPU time, which other load on the machine hardly affects."""
    found = []
    for side in ("ours", "theirs"):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            found.append(run_side("benchmarks.trained_vectors", side, "--model", model, "--corpus", str(corpus), "--to", own))
    return Speed(model, found[0]["tokens"], found[0]["seconds"], found[1]["seconds"])


def train_side(side: str, model: str, corpus: Path, folder: Path) -> None:
    """Time training from tokens to a file, in its own process, without reading texts, which gensim leaves to others."""
    from gluepot.models.embeddings.training.corpus import tokenize
    from gluepot.models.embeddings.training.predictive import train_predictive

    recipe = replace(RECIPES[model], epochs=TIMED_EPOCHS)
    tokens = tokenize([str(corpus)], folder, cased=False, say=lambda said: None)
    to = folder / "vectors.bin"
    if side == "ours":
        _, took = timed(lambda: train_predictive(recipe, tokens, folder, to, lambda said: None))
    else:
        _, took = timed(lambda: _train_by_gensim(recipe, tokens.path(folder), to))
    print_results(seconds=took.processor, tokens=tokens.tokens)


def _train_by_gensim(recipe: VectorRecipe, path: Path, to: Path) -> None:
    """Train with one constructor call and one to write the file, as in gensim's documentation."""
    from gensim.models import FastText, Word2Vec
    from gensim.models.fasttext import save_facebook_model

    more = {"vector_size": recipe.dimensions, "window": recipe.window, "min_count": recipe.min_count, "sg": int(recipe.skip_gram)}
    more |= {"epochs": recipe.epochs, "workers": recipe.workers, "seed": recipe.seed}
    if recipe.model == "fasttext":
        more |= {"bucket": recipe.buckets, "min_n": recipe.subwords[0], "max_n": recipe.subwords[1]}
        save_facebook_model(FastText(corpus_file=str(path), **more), str(to))
    else:
        Word2Vec(corpus_file=str(path), **more).wv.save_word2vec_format(str(to), binary=True)


def missing_requirements() -> str:
    """Return why it cannot be measured here, or an empty string."""
    tasks = [find(path)[1] for path in TASKS]
    return "" if all(task and has_split(task, "test") for task in tasks) else f"GLUEPOT_DATA must have {' and '.join(TASKS)}"


@dataclass(frozen=True)
class Findings:
    """All measurements."""

    corpus: Corpus
    quality: list[Quality]
    speed: list[Speed]

    def of(self, task: str, model: str) -> Quality:
        return next(one for one in self.quality if (one.task, one.model) == (task, model))

    @property
    def claims(self) -> dict[str, bool]:
        """Targets, and whether they are met."""
        trained = [(self.of(task, model), self.of(task, "random")) for task in TASKS for model in RECIPES]
        return {
            "fastText answers more pairs than word2vec": all(
                self.of(task, "fasttext").answered > self.of(task, "word2vec").answered for task in TASKS
            ),
            "all three are above random vectors by their intervals": all(own.low > chance.high for own, chance in trained),
            "speed within 10 % of gensim's own loop": all(line.holds for line in self.speed),
            f"a corpus of at least {WANTED_BYTES / 1e6:.0f} MB": self.corpus.size >= WANTED_BYTES,
        }


def compare(folder: Path, suites: Sequence[str] = SUITES) -> Findings:
    corpus = folder / "corpus.txt"
    texts = write_corpus(corpus, suites)
    files = train_all(corpus, folder)
    quality = [judge(task, name, file) for task in TASKS for name, file in files.items()]
    return Findings(texts, quality, [time_training(model, corpus, folder) for model in ("word2vec", "fasttext")])


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.trained_vectors", description=__doc__)
    parser.add_argument("--to", type=Path, help="where corpus and vectors are kept (default: a folder that is dropped)")
    parser.add_argument("--suites", default=",".join(SUITES), help="whose texts make the corpus (default %(default)s)")
    parser.add_argument("--side", choices=("ours", "theirs"), help="for the process of its own")
    parser.add_argument("--model", choices=tuple(RECIPES))
    parser.add_argument("--corpus", type=Path)
    options = parser.parse_args()
    if options.side:
        train_side(options.side, options.model, options.corpus, options.to)
        return 0
    if why := missing_requirements():
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as own:
        folder = options.to or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        found = compare(folder, options.suites.split(","))
    for line in (*found.quality, *found.speed, str(found.corpus), *found.claims.items()):
        print(line)
    return 0 if all(found.claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
