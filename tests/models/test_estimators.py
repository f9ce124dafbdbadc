"""Scikit-learn estimators behind the `tfidf-*` names: labels, margins, probabilities, and the spread of predicted numbers."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from gluepot.models.baselines import estimators
from gluepot.models.baselines.estimators import TREE_TERMS, Classifier, Regressor, sample_training_rows, vocabulary_cap
from gluepot.models.features.matrix import LINEAR_TERMS

NAMES = ["tfidf-svm", "tfidf-logistic", "tfidf-tree", "tfidf-forest"]
LEFT, RIGHT = [1.0, 0.0], [0.0, 1.0]
ROWS, LABELS = csr_matrix([LEFT, RIGHT] * 10), ["left", "right"] * 10


@pytest.mark.parametrize("name", NAMES)
def test_a_classifier_scores_a_row_highest_for_its_own_label(name: str) -> None:
    classifier = Classifier(name, 0, even=True)
    classifier.fit(ROWS, LABELS)
    scores = classifier.scores(csr_matrix([RIGHT, LEFT]))
    assert classifier.labels == ["left", "right"]
    assert scores.argmax(axis=1).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "classifies", "regresses"),
    [
        ("tfidf-svm", "LinearSVC", "LinearSVR"),
        ("tfidf-logistic", "OneVsRestClassifier", "Ridge"),
        ("tfidf-tree", "DecisionTreeClassifier", "DecisionTreeRegressor"),
        ("tfidf-forest", "RandomForestClassifier", "RandomForestRegressor"),
    ],
)
def test_name_selects_the_estimators(name: str, classifies: str, regresses: str) -> None:
    classifier, regressor = Classifier(name, 0, even=True), Regressor(name, 0, (0, 5))
    classifier.fit(ROWS, LABELS)
    regressor.fit(ROWS, [1.0, 4.0] * 10)
    assert type(classifier.estimator).__name__ == classifies
    assert type(regressor.estimator).__name__ == regresses


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_probabilities_except_for_the_svm(name: str) -> None:
    classifier = Classifier(name, 0, even=True)
    classifier.fit(ROWS, LABELS)
    scores = classifier.scores(ROWS)
    assert classifier.probabilities is (name != "tfidf-svm")
    assert np.allclose(scores.sum(axis=1), 1.0 if classifier.probabilities else 0.0)
    assert bool(scores.min() >= 0) is classifier.probabilities


def test_more_than_two_labels_have_a_column_each() -> None:
    classifier = Classifier("tfidf-svm", 0, even=True)
    classifier.fit(csr_matrix(np.eye(3)), ["b", "c", "a"])
    assert classifier.labels == ["a", "b", "c"]
    assert classifier.scores(csr_matrix(np.eye(3))).argmax(axis=1).tolist() == [1, 2, 0]


def test_single_label_is_always_predicted() -> None:
    classifier = Classifier("tfidf-svm", 0, even=True)
    classifier.fit(ROWS, ["left"] * 20)
    assert classifier.labels == ["left"]
    assert classifier.scores(ROWS).tolist() == [[1.0]] * 20


def test_even_weights_make_a_rare_label_as_likely_as_a_frequent_one() -> None:
    rows, labels = csr_matrix(np.ones((10, 1))), ["often"] * 9 + ["rarely"]
    shares = {}
    for even in (True, False):
        classifier = Classifier("tfidf-logistic", 0, even=even)
        classifier.fit(rows, labels)
        shares[even] = classifier.scores(rows[:1])[0, 1]
    assert shares[True] == pytest.approx(0.5, abs=0.02)
    assert shares[False] < 0.25


@pytest.mark.parametrize("name", NAMES)
def test_a_regressor_learns_which_rows_have_the_larger_number(name: str) -> None:
    regressor = Regressor(name, 0, (0, 5))
    regressor.fit(ROWS, [1.0, 4.0] * 10)
    low, high = regressor.predict(csr_matrix([LEFT, RIGHT]))
    assert 0 <= low < 2.5 < high <= 5


def test_predictions_have_the_spread_of_the_training_targets() -> None:
    chance = np.random.default_rng(4)
    rows = chance.normal(size=(300, 5))
    values = 3 + rows[:, 0] + chance.normal(size=300)  # half of the variance is noise
    regressor = Regressor("tfidf-logistic", 0, (-np.inf, np.inf))
    regressor.fit(csr_matrix(rows), values.tolist())
    answers = regressor.predict(csr_matrix(rows))
    assert regressor.stretch == pytest.approx(np.sqrt(2), abs=0.15)
    assert answers.std() == pytest.approx(values.std(), rel=0.1)
    assert answers.mean() == pytest.approx(values.mean(), abs=0.1)


def test_noise_is_not_amplified() -> None:
    chance = np.random.default_rng(4)
    regressor = Regressor("tfidf-logistic", 0, (-np.inf, np.inf))
    regressor.fit(csr_matrix(chance.normal(size=(60, 20))), chance.normal(size=60).tolist())
    assert regressor.stretch == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_constant_target_is_learned_without_a_warning(name: str) -> None:
    regressor = Regressor(name, 0, (0, 5))
    regressor.fit(csr_matrix(np.random.default_rng(0).random((12, 4))), [3.0] * 12)
    assert regressor.stretch == 1.0


def test_predictions_stay_on_the_scale() -> None:
    regressor = Regressor("tfidf-logistic", 0, (0, 1))
    regressor.fit(csr_matrix([[0.0], [1.0]]), [0.0, 1.0])
    assert regressor.predict(csr_matrix([[-100.0], [100.0]])).tolist() == [0, 1]


def test_trees_get_fewer_terms_and_lessons_than_linear_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimators, "TREE_ITEMS", 5)
    lessons = list(range(20))
    assert vocabulary_cap("tfidf-forest") == TREE_TERMS < LINEAR_TERMS == vocabulary_cap("tfidf-svm")
    assert sample_training_rows("tfidf-logistic", 0, lessons) == lessons
    assert sample_training_rows("tfidf-tree", 0, lessons[:5]) == lessons[:5]
    drawn = sample_training_rows("tfidf-tree", 0, lessons)
    assert len(drawn) == 5
    assert drawn == sorted(drawn)
    assert drawn == sample_training_rows("tfidf-tree", 0, lessons) != sample_training_rows("tfidf-tree", 1, lessons)
