"""Contamination probes: a random model shows no signs, a model that has memorised the texts does."""

from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from tests.models.lm.tiny import make_tiny  # noqa: E402

from gluepot.cli import main  # noqa: E402
from gluepot.models.lm.loading.weights import LoadedModel, load_model  # noqa: E402
from gluepot.models.lm.probes import CHUNK, completion, min_k, order_test, probe, stretches, token_logs  # noqa: E402

TEXTS = ["en katt satt på en matta idag", "sju sjösjuka sjömän sköttes av sju", "regnet faller tungt över den gamla staden"]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """Model trained on the texts in their order until it has memorised them."""
    loaded = load_model(str(make_tiny(tmp_path_factory.mktemp("tiny"))))
    ids = torch.tensor(loaded.encode(["\n".join(TEXTS)]))
    optimizer = torch.optim.Adam(loaded.model.parameters(), 0.01)
    for _ in range(150):
        optimizer.zero_grad()
        loaded.model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
    return loaded


def test_model_trained_on_the_texts_is_detected(learned: LoadedModel, tmp_path: Path) -> None:
    fresh = load_model(str(make_tiny(tmp_path)))
    known, unknown = min_k(learned, [TEXTS[0]])[0], min_k(fresh, [TEXTS[0]])[0]
    assert known is not None
    assert unknown is not None
    assert known > unknown + 1
    p, items = order_test(learned, TEXTS)
    assert items == 3
    assert p is not None
    assert p < 0.4  # three texts have six orders, the published one comes up among the shuffled
    assert completion(learned, [TEXTS[0]]) == (1, 1)
    assert completion(fresh, TEXTS) == (0, 3)


def test_every_sign_has_its_caveat(tmp_path: Path) -> None:
    found = probe(load_model(str(make_tiny(tmp_path))), TEXTS, TEXTS)
    assert [sign.name for sign in found] == ["min-k", "order", "completion"]
    assert all(sign.caveat for sign in found)
    assert found[0].value == found[0].reference


def test_uninformative_texts_give_a_reason_instead_of_a_value(tmp_path: Path) -> None:
    loaded = load_model(str(make_tiny(tmp_path)))
    assert [(sign.value, sign.items) for sign in probe(loaded, [])] == [(None, 0)] * 3
    found = probe(loaded, ["x", "ja", "ja"])
    assert [sign.items for sign in found] == [1, 0, 0]
    assert [sign.reason is None for sign in found] == [True, False, False]
    assert probe(loaded, [*TEXTS, *TEXTS])[1].items == 3  # items about the same text are adjacent in files


def test_stretches_fit_the_context_of_the_model(tmp_path: Path) -> None:
    loaded = load_model(str(make_tiny(tmp_path)))
    texts = [f"text nummer {number:02} med lite mer" for number in range(20)]
    assert [len(part) for part in stretches(loaded, texts)] == [12, 8]
    loaded = replace(loaded, longest=100)
    assert [text for part in stretches(loaded, texts) for text in part] == texts
    assert all(len(ids) <= 100 for ids in loaded.encode(["\n".join(part) for part in stretches(loaded, texts)]))


def test_chunked_log_probabilities_equal_those_of_the_whole_text(tmp_path: Path) -> None:
    loaded = load_model(str(make_tiny(tmp_path)))
    ids = loaded.encode([" ".join(TEXTS * 4)])[0]
    assert len(ids) > CHUNK
    with torch.inference_mode():
        logs = loaded.model(input_ids=torch.tensor([ids])).logits[0, :-1].log_softmax(-1)
    assert token_logs(loaded, ids) == pytest.approx([float(logs[n, token]) for n, token in enumerate(ids[1:])], abs=1e-4)


def test_command_reports_why_a_probe_has_no_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", f"lm:{make_tiny(tmp_path)}", "pocket/analogy-sv", "--limit", "4"]) == 0
    said = capsys.readouterr().out
    assert "completion: – (no text has 6 words)" in said
    assert "order: " in said
