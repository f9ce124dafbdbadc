"""Models with sliding-window attention: packed likelihoods and batched answers equal plain ones."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from tests.models.lm.tiny import WINDOW, make_windowed  # noqa: E402

from gluepot.models.lm.inference.generation import GenerationState, TextGenerator  # noqa: E402
from gluepot.models.lm.inference.scoring import PackedScorer, ScoredText, branch  # noqa: E402
from gluepot.models.lm.loading.weights import LoadedModel, load_model  # noqa: E402

SHOTS = "Frågor och svar om djur.\n\nFråga: Vad säger en katt?\nSvar: mjau\n\nFråga: Vad säger en hund?\nSvar: vov\n\n"
QUESTIONS = ("Vad säger en ko?", "Vad säger ett får när det är hungrigt och regnet faller?", "Vad?")
OPTIONS = ("mu", "muu", "bä och en hel del till, mycket längre än fönstret", "x")


@pytest.fixture(scope="module")
def windowed(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load_model(str(make_windowed(tmp_path_factory.mktemp("windowed"))))


def plain_logs(loaded: LoadedModel, ids: list[int]) -> Any:
    with torch.inference_mode():
        return loaded.model(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(-1)


def plain(loaded: LoadedModel, row: ScoredText) -> float:
    """Compute the log-likelihood of one text alone, from all logits and without a cache."""
    logs = plain_logs(loaded, row.ids)
    return sum(float(logs[place - 1, row.ids[place]]) for place in range(row.start, len(row.ids)))


def rows_of(loaded: LoadedModel, head: str) -> list[list[ScoredText]]:
    rows = []
    for question in QUESTIONS:
        context = f"{head}Fråga: {question}\nSvar:"
        before, *wholes = loaded.encode([context, *(f"{context} {option}" for option in OPTIONS)])
        rows.append([ScoredText(whole, len(before)) for whole in wholes])
    return rows


def test_window_is_shorter_than_the_prompt_and_affects_the_output(windowed: LoadedModel) -> None:
    ids = windowed.encode([SHOTS])[0]
    assert len(ids) > 4 * WINDOW
    kinds = windowed.model.config.layer_types
    narrow = plain_logs(windowed, ids)
    windowed.model.config.sliding_window = 4096
    try:
        assert (narrow - plain_logs(windowed, ids)).abs().max() > 0.1
    finally:
        windowed.model.config.sliding_window = WINDOW
    assert kinds.count("sliding_attention") == 2


def test_every_text_begins_with_the_bos_token_that_the_tokenizer_omits(windowed: LoadedModel) -> None:
    assert windowed.start == [0]
    assert [ids[0] for ids in windowed.encode(["ja", "nej"])] == [0, 0]


@pytest.mark.parametrize("head", ["", SHOTS], ids=["no shots", "shots"])
@pytest.mark.parametrize("budget", [1, 90, 10_000])
def test_packed_likelihoods_equal_plain_ones(windowed: LoadedModel, budget: int, head: str) -> None:
    rows = rows_of(windowed, head)
    packed = PackedScorer(windowed.model, budget)
    for _ in range(2):  # the second time with the cached prefix
        found = packed.score([branch(one) for one in rows])
        wanted = [plain(windowed, row) for one in rows for row in one]
        assert [value for one in found for value in one] == pytest.approx(wanted, abs=1e-3)


def test_generated_answers_equal_plain_greedy_decoding(windowed: LoadedModel) -> None:
    batch = [GenerationState(windowed.encode([f"{SHOTS}Fråga: {question}\nSvar:"])[0], 24) for question in QUESTIONS]
    wanted = []
    for one in batch:
        ids = list(one.ids)
        while len(ids) - len(one.ids) < 24:
            token = int(plain_logs(windowed, ids)[-1].argmax())
            if token == 0:
                break
            ids.append(token)
        wanted.append(ids[len(one.ids) :])
    TextGenerator(windowed).run(batch)
    assert [one.written for one in batch] == wanted
