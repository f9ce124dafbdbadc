"""Servers with partial support: a real one with SmolLM2 behind a proxy that rejects requests. Predictions record the method used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

from tests.models.api.faulty import Faulty
from tests.models.api.server import INSTALLED, Server, weights

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError, WrongUse
from gluepot.models import make_adapter, parse_model
from gluepot.models.api.reading import first_logs, read_answer
from gluepot.tasks.declarations import load_suite

pytestmark = pytest.mark.filterwarnings("ignore")
needs_server = pytest.mark.skipif(not INSTALLED, reason="SmolLM2 or xllamacpp is not installed")
TASKS = load_suite("pocket").tasks
STANCE, IDIOMS, ENTITIES, CLOZE = (TASKS[name] for name in ("stance-sv", "idioms-da", "entities-da", "cloze-ru"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server(512)
    yield found
    found.kill()


@pytest.fixture
def proxy(server: Server, api_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faulty]:
    for name in ("GLUEPOT_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    found = Faulty(behind=server.url)
    yield found
    found.close()


def ask(model: str, task: Any, items: int = 1, **options: Any) -> list[Any]:
    adapter: Any = make_adapter(parse_model(model, **{"shots": 0, **options}))
    adapter.fit(task, load_examples(task, "train"), [])
    return list(adapter.predict(task, load_examples(task, "test")[:items]))


def ways(predictions: list[Any]) -> set[str]:
    return {p.said.way for p in predictions}


@needs_server
def test_server_without_grammars_answers_in_text_and_predictions_record_it(proxy: Faulty, capfd: pytest.CaptureFixture[str]) -> None:
    proxy.objects = lambda path, body: (400, "response_format is not supported") if "response_format" in body else None
    assert ways(ask(f"api:smollm2@{proxy.url}", ENTITIES)) == {"text"}
    assert capfd.readouterr().err.count("takes no response_format") == 1
    proxy.objects = lambda path, body: None
    assert ways(ask(f"api:smollm2@{proxy.url}", ENTITIES)) == {"constrained"}
    assert ways(ask(f"api:smollm2@{proxy.url}", ENTITIES, form="base")) == {"text"}


@needs_server
def test_first_token_answers_equal_those_of_local_weights(proxy: Faulty) -> None:
    for name in ("torch", "transformers", "gguf"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    told = ask(f"api:smollm2@{proxy.url}", IDIOMS, 2, form="base")
    assert ways(told) == {"first-token"}
    here = ask(f"lm:{weights()}", IDIOMS, 2, form="base")
    assert [p.output for p in told] == [p.output for p in here]
    assert [p.scores for p in told] == [
        pytest.approx(p.scores, abs=0.1) for p in here
    ]  # the server computes in eight bits: 0.068 was measured


@needs_server
def test_item_whose_letters_are_not_among_the_top_tokens_is_answered_in_text(proxy: Faulty) -> None:
    assert ways(ask(f"api:smollm2@{proxy.url}", IDIOMS, form="instruct")) == {"text"}  # SmolLM2 begins its answer with a capital unprompted


@needs_server
def test_top_logprobs_are_reduced_or_omitted_where_rejected(proxy: Faulty) -> None:
    proxy.objects = lambda path, body: (400, "at most 5") if body.get("top_logprobs", 0) > 5 else None
    ask(f"api:few@{proxy.url}", IDIOMS)
    assert all('"top_logprobs":5' in body for body in proxy.answered)
    proxy.objects = lambda path, body: (422, "logprobs: extra field") if "logprobs" in body else None
    assert ways(ask(f"api:none@{proxy.url}", IDIOMS)) == {"text"}
    with pytest.raises(GluepotError, match="no log-probabilities: leave out --answers first-token"):
        ask(f"api:none@{proxy.url}", IDIOMS, answers="first-token")


@needs_server
def test_rejects_likelihoods_where_the_server_does_not_echo_prompts(proxy: Faulty) -> None:
    with pytest.raises(WrongUse, match=r"tells no likelihoods of prompts .* leave out --answers likelihood"):
        ask(f"api:smollm2@{proxy.url}", CLOZE, answers="likelihood")
    with pytest.raises(WrongUse, match="Leave out --form instruct"):
        ask(f"api:smollm2@{proxy.url}", CLOZE, answers="likelihood", form="instruct")
    assert ways(ask(f"api:smollm2@{proxy.url}", CLOZE)) == {"text"}


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize(("task", "answers"), [(CLOZE, "auto"), (STANCE, "likelihood")], ids=["cloze", "labels"])
def test_likelihoods_of_an_echoing_server_equal_those_of_the_model(
    task: Any, answers: str, more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    from tests.models.api.echoing import Echoing
    from tests.models.lm.tiny import make_tiny

    from gluepot.models.lm.loading.weights import load_model

    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    echoing = Echoing(load_model(str(make_tiny(tmp_path))), more)
    told = ask(f"api:tiny@{echoing.url}", task, 3, shots=1, answers=answers)
    echoing.close()
    here = ask(f"lm:{tmp_path}", task, 3, shots=1, answers="likelihood", form="base")
    assert ways(told) == {"likelihood"}
    assert [p.output for p in told] == [p.output for p in here]
    assert [p.scores for p in told] == [pytest.approx(p.scores, abs=1e-3) for p in here]


@needs_server
def test_long_prompts_drop_their_oldest_shots_and_repeat_no_request(proxy: Faulty) -> None:
    first = ask(f"api:smollm2@{proxy.url}", STANCE, 2, shots=8, answers="text")
    assert all(0 < p.said.cut < 8 for p in first)
    asked = sum(proxy.answered.values())
    assert asked == 2
    assert ask(f"api:smollm2@{proxy.url}", STANCE, 2, shots=8, answers="text") == first
    assert sum(proxy.answered.values()) == asked


@needs_server
def test_item_too_long_even_without_shots_is_an_error(proxy: Faulty) -> None:
    proxy.objects = lambda path, body: (400, "This model's maximum context length is 8 tokens.")
    with pytest.raises(GluepotError, match=r"pocket/stance-sv: an item is longer than .* takes, even without shots"):
        ask(f"api:smollm2@{proxy.url}", STANCE)


@needs_server
@pytest.mark.parametrize(
    ("status", "sentence"),
    [(401, "the server wants a key .401.. Set GLUEPOT_API_KEY"), (403, "wants a key"), (404, "no model 'smollm2'. Known: .*SmolLM2")],
)
def test_rejection_is_reported_with_the_next_step(proxy: Faulty, status: int, sentence: str) -> None:
    proxy.objects = lambda path, body: (status, "no")
    with pytest.raises(GluepotError, match=sentence):
        ask(f"api:smollm2@{proxy.url}", STANCE)


@needs_server
def test_wrong_address_error_suggests_how_to_check_it(server: Server, proxy: Faulty) -> None:
    with pytest.raises(GluepotError, match=r"Does the address end in /v1\? Try: curl"):
        ask(f"api:smollm2@{server.url.removesuffix('/v1')}/v2", STANCE)


def test_tokens_are_read_from_both_forms_of_log_probabilities() -> None:
    chat = {"message": {"content": "ja"}, "logprobs": {"content": [{"top_logprobs": [{"token": "ja", "logprob": -0.1, "bytes": None}]}]}}
    plain = {"text": " ja", "logprobs": {"top_logprobs": [{"\u2581ja": -0.1}]}}
    assert read_answer({"choices": [chat]}, "k").firsts == {"ja": -0.1}
    assert read_answer({"choices": [plain]}, "k").firsts == {" ja": -0.1}


def test_candidates_with_a_common_first_token_have_no_first_token_scores() -> None:
    assert first_logs({"in": -0.1, "neutral": -2.0}, ["informerar", "instämmer"]) is None
