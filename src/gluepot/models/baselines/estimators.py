"""Scikit-learn estimators of the `tfidf-*` models, with fixed settings chosen on training data."""

import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from gluepot.models.features.matrix import LINEAR_TERMS, Floats, Matrix

TREE_TERMS, TREE_ITEMS = 1_000, 50_000
"""Limits for tree estimators, whose cost grows with terms and items without any gain."""
FOLDS, MOST_FOLDED = 3, 6_000
"""Number of folds, and maximum number of rows, for the spread of a regressor's held-out predictions."""
LINEAR = ("tfidf-svm", "tfidf-logistic")
Estimator = Any


def vocabulary_cap(name: str) -> int:
    """Return the maximum number of terms per channel for an estimator."""
    return LINEAR_TERMS if name in LINEAR else TREE_TERMS


def sample_training_rows(name: str, seed: int, lessons: list[Any]) -> list[Any]:
    """Return a random sample of the training rows, in order, that an estimator can handle; all of them for linear ones."""
    if name in LINEAR or len(lessons) <= TREE_ITEMS:
        return lessons
    return [lessons[number] for number in sorted(Random(seed).sample(range(len(lessons)), TREE_ITEMS))]


class Classifier:
    """Classifier; `scores` returns one column per label in `labels`, with probabilities if the estimator provides them."""

    def __init__(self, name: str, seed: int, even: bool) -> None:
        self.name, self.seed, self.even = name, seed, even
        """`even`: weight labels equally, regardless of their number of examples."""
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
            # Liblinear's dual solver is 5 to 10 times faster than the multinomial solvers here, and no worse.
            return OneVsRestClassifier(LogisticRegression(C=1.0, solver="liblinear", dual=wide, max_iter=1_000, **same))
        if self.name == "tfidf-tree":
            return DecisionTreeClassifier(min_samples_leaf=5, **same)
        return RandomForestClassifier(n_estimators=100, min_samples_leaf=2, n_jobs=1, **same)


class Regressor:
    """Regressor whose predictions have the same spread as its training targets.

    Least squares favours predictions near the mean; agreement with gold (α) does not. Stretching predictions by the ratio
    measured on held-out data changes no rank and no correlation.
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
        """Measure the ratio between the spread of the targets and that of held-out predictions."""
        chosen = np.random.default_rng(self.seed).permutation(len(values))[:MOST_FOLDED]
        folds = np.arange(len(chosen)) % FOLDS
        held = np.zeros(len(chosen))
        for fold in range(FOLDS):
            outside = chosen[folds != fold]
            estimator = _fit_quietly(self._make(), rows[outside], values[outside])
            held[folds == fold] = estimator.predict(rows[chosen[folds == fold]])
        constant = min(held.std(), values[chosen].std()) < 1e-9
        agreement = 0.0 if constant else np.corrcoef(held, values[chosen])[0, 1]
        if agreement > 2 / np.sqrt(len(chosen)):  # do not amplify noise
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
    """Fit without convergence warnings: a baseline need not be exact."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(rows, targets)
