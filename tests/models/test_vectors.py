"""Word-vector adapter on every kind of task, with vectors small enough to check by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluepot.data.examples import load_examples
from gluepot.errors import DataMissing
from gluepot.models import CannotSolve, ModelName, make_adapter
from gluepot.models.embeddings import vectors as adapter
from gluepot.models.embeddings.vectors import Vectors
from gluepot.records import Example, Prediction, Source, Task
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket").tasks
SOLVED = {name: task for name, task in POCKET.items() if task.kind not in ("summary", "span-answer")}
SMALL = """\
kung 1 0 1
drottning 0 1 1
man 1 0 0
kvinna 0 1 0
bil 0 0 -1
fritt 0.5 0.5 0
fall 0.5 0 0.5
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def small(tmp_path: Path) -> Vectors:
    (tmp_path / "small.txt").write_text(SMALL, encoding="utf-8")
    return Vectors("vectors", str(tmp_path / "small.txt"), 0)


@pytest.fixture(scope="module")
def pocket_vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of random vectors for the words of the pocket suite, except every tenth."""
    from gluepot.models.embeddings.averages import tokens

    texts = [
        str(value)
        for task in POCKET.values()
        for split in ("train", "dev")
        for e in load_examples(task, split)
        for value in e.inputs.values()
    ]
    words = sorted({word for text in texts for word in tokens(text)})
    rows = np.random.default_rng(0).normal(size=(len(words), 10)).round(3)
    path = tmp_path_factory.mktemp("pocket") / "random.txt"
    lines = [f"{word} {' '.join(map(str, row))}\n" for number, (word, row) in enumerate(zip(words, rows, strict=True)) if number % 10]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def task(kind: str, **more: Any) -> Task:
    about: dict[str, Any] = dict.fromkeys(("title", "summary", "language", "license", "citation", "link"), "")
    return Task(kind=kind, domain=[], metrics=[], data=Source({}), fields={}, suite="test", name=kind, **about, **more)


def examples(rows: Sequence[dict[str, Any]], targets: Sequence[Any] = ()) -> list[Example]:
    return [Example(str(n), row, targets[n] if targets else None) for n, row in enumerate(rows)]


def outputs(predictions: Sequence[Prediction]) -> list[Any]:
    return [prediction.output for prediction in predictions]


PAIRS = [
    {"first": "kung", "second": "man"},
    {"first": "Man", "second": "kvinna"},
    {"first": "kung", "second": "bil"},
    {"first": "kung", "second": "x"},
]


def test_cosines_are_mapped_to_the_scale(small: Vectors) -> None:
    scores = outputs(small.predict(task("word-pair", scale=(0, 10), off_scale=True), examples(PAIRS[:3])))
    assert scores == pytest.approx([10 / np.sqrt(2), 0, -10 / np.sqrt(2)])
    assert outputs(small.predict(task("word-pair", scale=(0, 10)), examples(PAIRS[:3]))) == pytest.approx([10 / np.sqrt(2), 0, 0])
    shifted = outputs(small.predict(task("word-pair", scale=(1, 5)), examples(PAIRS[:2])))
    assert shifted == pytest.approx([1 + 4 / np.sqrt(2), 1])


def test_pair_with_an_unknown_word_is_skipped_and_counted_where_the_task_allows_it(small: Vectors) -> None:
    skipping = task("word-pair", scale=(0, 10), may_skip=True)
    small.fit(skipping, [], [])
    assert outputs(small.predict(skipping, examples(PAIRS)))[3] is None
    assert (small.left_out, small.unknown) == (1, 0)


def test_pair_with_an_unknown_word_otherwise_gets_the_mean_training_score_and_is_counted(small: Vectors) -> None:
    asked = task("word-pair", scale=(0, 10))
    assert outputs(small.predict(asked, examples(PAIRS[3:]))) == [5]
    small.fit(asked, examples(PAIRS[:2], [1.0, 4.0]), [])
    assert outputs(small.predict(asked, examples(PAIRS[3:]))) == [2.5]
    assert (small.left_out, small.unknown) == (0, 1)


def test_the_nearest_candidate_is_chosen_and_expressions_are_averaged(small: Vectors) -> None:
    items = [
        {"text": "kung", "options": ["bil", "man", "kvinna"]},
        {"text": "fritt fall", "options": ["kvinna", "fritt", "x"]},
        {"text": "xyz", "options": ["bil", "man"]},
        {"text": "kung", "options": ["x", "y", "bil"]},
    ]
    assert outputs(small.predict(task("choice"), examples(items))) == [1, 1, 0, 2]
    assert small.unknown == 1


def test_the_gap_is_filled_with_the_entity_nearest_to_the_passage(small: Vectors) -> None:
    item = {"context": "kung man kung", "text": "kung @placeholder", "options": ["kvinna", "man", "bil"]}
    unknown = {"context": "?", "text": "@placeholder", "options": ["a", "b"]}
    assert outputs(small.predict(task("cloze"), examples([item, unknown]))) == ["man", "a"]


def test_analogies_exclude_the_query_words_and_unknown_ones_are_counted(small: Vectors) -> None:
    items = [{"a": "man", "b": "kung", "c": "kvinna"}, {"a": "man", "b": "kung", "c": "okänd"}, {"a": "man", "b": "Kung", "c": "kvinna"}]
    answers = outputs(small.predict(task("analogy"), examples(items)))
    assert answers == ["drottning", "", "Drottning"], "b's capital, which this vocabulary does not know, is given back"
    assert small.unknown == 1


def test_an_inflected_word_outside_the_vocabulary_is_known_by_its_subwords(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models.fasttext")
    trained = models.FastText(
        [["kungen", "mannen", "drottningen", "kvinnan"]] * 5, vector_size=4, min_count=1, bucket=50, seed=1, workers=1
    )
    models.save_facebook_model(trained, str(tmp_path / "tiny.bin"))
    model = Vectors("vectors", str(tmp_path / "tiny.bin"), 0)
    pairs, analogy = [{"first": "kungens", "second": "mannen"}], [{"a": "mannens", "b": "kungens", "c": "kvinnans"}]
    expected = trained.wv.similarity("kungens", "mannen")
    assert outputs(model.predict(task("word-pair", scale=(0, 1)), examples(pairs))) == pytest.approx([expected], abs=1e-5)
    assert outputs(model.predict(task("analogy"), examples(analogy)))[0] in trained.wv.key_to_index
    assert (model.left_out, model.unknown) == (0, 0)


TEXTS = ["kung man", "man", "drottning kvinna", "kvinna"] * 5
LABELS = ["han", "han", "hon", "hon"] * 5


def test_texts_are_classified_with_probabilities_in_the_order_of_the_labels(small: Vectors) -> None:
    asked = task("classification", labels=["hon", "han"])
    small.fit(asked, examples([{"text": text} for text in TEXTS], LABELS), [])
    first, second, unknown = small.predict(asked, examples([{"text": "man!"}, {"text": "en Kvinna"}, {"text": "…"}]))
    assert (first.output, second.output) == ("han", "hon")
    assert first.scores is not None
    assert first.scores[1] > 0.5 > first.scores[0]
    assert sum(first.scores) == pytest.approx(1)
    assert unknown.output in asked.labels
    assert small.unknown == 1


def test_a_diagnostic_with_other_labels_gets_only_its_own(small: Vectors) -> None:
    asked = task("classification", labels=["hon", "han"])
    small.fit(asked, examples([{"text": text} for text in TEXTS], LABELS), [])
    (prediction,) = small.predict(task("classification", labels=["hon", "annat"]), examples([{"text": "kung"}]))
    assert prediction.output == "hon"


def test_single_training_class_is_always_predicted(small: Vectors) -> None:
    asked = task("classification", labels=["hon", "han"])
    small.fit(asked, examples([{"text": "kung"}] * 3, ["han"] * 3), [])
    assert small.predict(asked, examples([{"text": "bil"}]))[0] == Prediction("0", "han", [0.0, 1.0])


def test_scores_stay_on_the_scale(small: Vectors) -> None:
    asked = task("regression", scale=(0, 5))
    rows = [{"text": "kung", "pair": other} for other in ("kung", "man", "kvinna", "bil")] * 5
    small.fit(asked, examples(rows, [5.0, 4.0, 1.0, 0.0] * 5), [])
    values = outputs(small.predict(asked, examples(rows[:4])))
    assert values == sorted(values, reverse=True)
    assert all(0 <= value <= 5 for value in values)


def test_options_are_classified_independently(small: Vectors) -> None:
    asked = task("multi-choice")
    rows = [{"context": "kung drottning", "text": "kung", "options": ["man", "bil", "kung man"]}] * 20
    small.fit(asked, examples(rows, [frozenset({0, 2})] * 20), [])
    assert outputs(small.predict(asked, examples(rows[:1]))) == [[0, 2]]
    assert outputs(small.predict(asked, examples([{**rows[0], "options": []}]))) == [[]]


def test_every_token_gets_a_tag(small: Vectors) -> None:
    asked = task("token-labelling", labels=["O", "B-PER"])
    rows = [{"tokens": ["bil", "man", "fall"]}, {"tokens": ["kvinna", "bil"]}, {"tokens": []}] * 10
    small.fit(asked, examples(rows, [("O", "B-PER", "O"), ("B-PER", "O"), ()] * 10), [])
    assert outputs(small.predict(asked, examples(rows[:3]))) == [["O", "B-PER", "O"], ["B-PER", "O"], []]


@pytest.mark.parametrize("kind", ["summary", "span-answer"])
def test_generation_tasks_are_refused(kind: str, small: Vectors) -> None:
    with pytest.raises(CannotSolve, match=f"test/{kind}: word vectors write no text"):
        small.fit(task(kind), [], [])


def test_learning_without_training_data_is_refused(small: Vectors) -> None:
    with pytest.raises(CannotSolve, match="need training data"):
        small.fit(task("classification", labels=["a"]), examples([{"text": "kung"}]), [])


def test_missing_file_is_refused_when_the_adapter_is_made(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match="no such file"):
        make_adapter(ModelName("vectors", str(tmp_path / "none.bin")))


@pytest.mark.parametrize("name", SOLVED)
def test_predictions_are_valid_reproducible_and_independent_of_the_batch(name: str, pocket_vectors: Path) -> None:
    asked = SOLVED[name]
    train, dev = load_examples(asked, "train"), load_examples(asked, "dev")
    model = make_adapter(ModelName("vectors", str(pocket_vectors)), seed=1)
    model.fit(asked, train, dev)
    together = model.predict(asked, dev)
    assert [prediction.id for prediction in together] == [example.id for example in dev]
    for example, prediction in zip(dev, together, strict=True):
        KINDS[asked.kind].answer.read(asked, example, prediction.output)
    assert [prediction for example in dev[::-1] for prediction in model.predict(asked, [example])][::-1] == together
    again = make_adapter(ModelName("vectors", str(pocket_vectors)), seed=1)
    again.fit(asked, train, dev)
    assert again.predict(asked, dev) == together


def test_large_training_data_is_sampled_by_the_seed(small: Vectors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "LARGEST", 30)
    asked = task("classification", labels=["hon", "han"])
    train = examples([{"text": text} for text in TEXTS], LABELS)
    features, targets = small._training_matrix(asked, train)
    assert features.shape == (10, 3)
    other = Vectors("vectors", str(tmp_path / "small.txt"), 1)
    assert other._training_matrix(asked, train)[1] != targets
    assert small._training_matrix(asked, train)[1] == targets
