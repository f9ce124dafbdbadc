"""Contamination probes: a random model shows no sign, a model that has learned the texts by heart shows them."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from tests.models.lm.tiny import make_tiny  # noqa: E402

from gluepot.models.lm.loading import Loaded, load_model  # noqa: E402
from gluepot.models.lm.probes import completion, min_k, order_test, probe  # noqa: E402

TEXTS = ["en katt satt på en matta idag", "sju sjösjuka sjömän sköttes av sju", "regnet faller tungt över den gamla staden"]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """Trained on the texts, in their order, until it knows them."""
    loaded = load_model(str(make_tiny(tmp_path_factory.mktemp("tiny"))))
    ids = torch.tensor(loaded.encode(["\n".join(TEXTS)]))
    optimizer = torch.optim.Adam(loaded.model.parameters(), 0.01)
    for _ in range(150):
        optimizer.zero_grad()
        loaded.model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
    return loaded


def test_a_model_that_read_the_texts_gives_itself_away(learned: Loaded, tmp_path: Path) -> None:
    fresh = load_model(str(make_tiny(tmp_path)))
    assert min_k(learned, [TEXTS[0]]) > min_k(fresh, [TEXTS[0]]) + 1
    assert order_test(learned, TEXTS) < 0.4  # three texts have six orders, the published one comes up among the shuffled
    assert completion(learned, [TEXTS[0]]) == 1
    assert completion(fresh, TEXTS) == 0


def test_every_sign_has_its_caveat(tmp_path: Path) -> None:
    found = probe(load_model(str(make_tiny(tmp_path))), TEXTS, TEXTS)
    assert [sign.name for sign in found] == ["min-k", "order", "completion"]
    assert all(sign.caveat for sign in found)
    assert found[0].value == found[0].reference
