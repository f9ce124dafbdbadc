"""BERTScore: errors where it is unavailable, and its calls of the package."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

from gluepot.errors import GluepotError
from gluepot.metrics import METRICS, Unavailable

bertscore = METRICS["bertscore"]


@pytest.fixture
def stub(monkeypatch):
    """Stub of `bert_score` whose F1 is the share of references equal to the summary, and which records its calls."""
    module, calls = ModuleType("bert_score"), {}
    module.__spec__ = ModuleSpec("bert_score", None)

    class BERTScorer:
        def __init__(self, **settings):
            calls["settings"] = settings
            if settings["model_type"] == "absent":
                raise OSError("no such model")

        def score(self, summaries, references, **settings):
            calls["references"] = references
            f1 = np.array([np.mean([r == s for r in refs]) for s, refs in zip(summaries, references, strict=True)])
            return None, None, f1

    module.BERTScorer = BERTScorer
    monkeypatch.setitem(sys.modules, "bert_score", module)
    return calls


def test_bertscore_names_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "bert_score", None)
    monkeypatch.setattr("gluepot.metrics.bertscore.find_spec", lambda name: None)
    with pytest.raises(Unavailable, match=r"pip install 'gluepot\[bertscore\]'"):
        bertscore(["a"], ["a"])


def test_bertscore_names_a_missing_model(stub):
    with pytest.raises(Unavailable, match="the model absent, which is not on this machine: no such model"):
        bertscore(["a"], ["a"], model="absent")


def test_unavailable_is_a_gluepot_error():
    assert issubclass(Unavailable, GluepotError)


def test_bertscore_is_the_mean_f1_with_scandevals_model(stub):
    assert bertscore(["a", ("b", "c")], ["a", "c"]) == 0.75
    assert stub["references"] == [["a"], ["b", "c"]]
    assert stub["settings"]["model_type"] == "microsoft/mdeberta-v3-base"
    assert stub["settings"]["rescale_with_baseline"] is False
