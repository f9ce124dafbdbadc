"""Fixtures for the tests of metrics: reference implementations imported once, and no deadline for slow machines."""

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def krippendorff():
    return pytest.importorskip("krippendorff")


@pytest.fixture(scope="session")
def sklearn_metrics():
    return pytest.importorskip("sklearn.metrics")


@pytest.fixture(scope="session")
def scipy_stats():
    return pytest.importorskip("scipy.stats")


@pytest.fixture(scope="session")
def seqeval_metrics():
    return pytest.importorskip("seqeval.metrics")


@pytest.fixture(scope="session")
def rouge_scorer():
    return pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge1", "rougeL"])
