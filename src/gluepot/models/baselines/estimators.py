"""Scikit-learn's classifiers and regressors behind the `tfidf-*` names, with fixed settings chosen on training data."""

import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from gluepot.models.features.matrix import LINEAR_TERMS, Floats, Matrix

TREE_TERMS, TREE_ITEMS = 1_000, 50_000
"""Trees look at terms and items one by one: more of either only costs time."""
FOLDS, MOST_FOLDED = 3, 6_000
"""How the spread of a regressor's answers is measured, and on how many rows at most."""
LINEAR = ("tfidf-svm", "tfidf-logistic")
Estimator = Any


def vocabulary_cap(name: str) -> int:
    """The most terms that a channel has for this estimator."""
    return LINEAR_TERMS if name in LINEAR else TREE_TERMS


def some_lessons(name: str, seed: int, lessons: list[Any]) -> list[Any]:
    """As many as this estimator can take, drawn at random in their order; all of them for the linear ones."""
    if name in LINEAR or len(lessons) <= TREE_ITEMS:
        return lessons
    return [lessons[number] for number in sorted(Random(seed).sample(range(len(lessons)), TREE_ITEMS))]


class Classifier:
    """Learns labels; `scores` has a column a label of `labels`, probabilities where the estimator knows them."""

    def __init__(self, name: str, seed: int, even: bool) -> None:
        self.name, self.seed, self.even = name, seed, even
        """`even`: labels weigh the same, however many examples they have."""
        self.labels: list[Any] = []
        self.estimator: Estimator = None

    @property
    def probabilities(self) -> bool:
        return self.name != "tfidf-svm"

    def fit(self, rows: Matrix, targets: Sequence[Any]) -> None:
        self.labels = sorted(set(targets))
        if len(self.labels) > 1:
            numbers = {label: number for number, label in enumerate(self.labels)}
            self.estimator = self._make(wide=rows.shape[1] > rows.shape[0])
            _fit_quietly(self.estimator, rows, np.array([numbers[target] for target in targets]))

    def scores(self, rows: Matrix) -> Floats:
        if self.estimator is None:
            return np.ones((rows.shape[0], 1))
        if self.probabilities:
            return np.asarray(self.estimator.predict_proba(rows))
        margins = np.asarray(self.estimator.decision_function(rows))
        return np.column_stack([-margins, margins]) if margins.ndim == 1 else margins

    def _make(self, wide: bool) -> Estimator:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.svm import LinearSVC
        from sklearn.tree import DecisionTreeClassifier

        same = {"random_state": self.seed, "class_weight": "balanced" if self.even else None}
        if self.name == "tfidf-svm":
            return LinearSVC(C=0.2, max_iter=2_000, **same)
        if self.name == "tfidf-logistic":
            # Liblinear's dual is 5 to 10 times faster than the multinomial solvers here, and no worse.
            return OneVsRestClassifier(LogisticRegression(C=1.0, solver="liblinear", dual=wide, max_iter=1_000, **same))
        if self.name == "tfidf-tree":
            return DecisionTreeClassifier(min_samples_leaf=5, **same)
        return RandomForestClassifier(n_estimators=100, min_samples_leaf=2, n_jobs=1, **same)


class Regressor:
    """Learns numbers, and answers with numbers as far apart as those it learned from.

    The least squared error is had by answers near the mean; agreement with gold (α) is not. Scaling up by what
    held-out predictions lack changes no rank and no correlation.
    """

    def __init__(self, name: str, seed: int, scale: tuple[float, float]) -> None:
        self.name, self.seed, self.scale = name, seed, scale
        self.estimator: Estimator = None
        self.mean, self.centre, self.stretch = 0.0, 0.0, 1.0

    def fit(self, rows: Matrix, targets: Sequence[float]) -> None:
        values = np.array(targets, dtype=np.float64)
        self.mean = self.centre = float(values.mean())
        if len(values) >= 2 * FOLDS:
            self._measure(rows, values)
        self.estimator = _fit_quietly(self._make(), rows, values)

    def predict(self, rows: Matrix) -> Floats:
        answers = np.asarray(self.estimator.predict(rows), dtype=np.float64)
        return np.clip(self.mean + (answers - self.centre) * self.stretch, *self.scale)

    def _measure(self, rows: Matrix, values: Floats) -> None:
        """Compare the spread of held-out predictions with that of the numbers themselves."""
        chosen = np.random.default_rng(self.seed).permutation(len(values))[:MOST_FOLDED]
        folds = np.arange(len(chosen)) % FOLDS
        held = np.zeros(len(chosen))
        for fold in range(FOLDS):
            outside = chosen[folds != fold]
            estimator = _fit_quietly(self._make(), rows[outside], values[outside])
            held[folds == fold] = estimator.predict(rows[chosen[folds == fold]])
        constant = min(held.std(), values[chosen].std()) < 1e-9
        agreement = 0.0 if constant else np.corrcoef(held, values[chosen])[0, 1]
        if agreement > 2 / np.sqrt(len(chosen)):  # what is no more than noise is not made larger
            self.centre, self.stretch = float(held.mean()), float(values.std() / held.std())

    def _make(self) -> Estimator:
        from sklearn.ensemble import RandomForestRegressor
        from sklearn.linear_model import Ridge
        from sklearn.svm import LinearSVR
        from sklearn.tree import DecisionTreeRegressor

        if self.name == "tfidf-svm":
            return LinearSVR(C=0.1, epsilon=0.1, max_iter=2_000, random_state=self.seed)
        if self.name == "tfidf-logistic":
            return Ridge(alpha=2.0, random_state=self.seed)
        if self.name == "tfidf-tree":
            return DecisionTreeRegressor(min_samples_leaf=10, random_state=self.seed)
        return RandomForestRegressor(n_estimators=100, min_samples_leaf=2, max_features="sqrt", n_jobs=1, random_state=self.seed)


def _fit_quietly(estimator: Estimator, rows: Matrix, targets: Floats) -> Estimator:
    """Fit, without a warning where the solver stops at its last round: a baseline need not be exact."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(rows, targets)
