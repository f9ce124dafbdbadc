"""Server dialects and reasoning models: rejected parameters are learned, reasoning is parsed, and its truncation is reported."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

from tests.models.api.faulty import Faulty

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError, WrongUse
from gluepot.models import make_adapter, parse_model
from gluepot.models.api.reading import read_answer
from gluepot.tasks.declarations import load_suite

STANCE = load_suite("pocket").tasks["stance-sv"]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faulty]:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path))
    found = Faulty()
    yield found
    found.close()


def ask(server: Faulty, items: int = 6, **options: Any) -> list[Any]:
    adapter: Any = make_adapter(parse_model(f"api:m@{server.url}", **{"shots": 0, "answers": "text", **options}))
    adapter.fit(STANCE, load_examples(STANCE, "train"), [])
    return list(adapter.predict(STANCE, load_examples(STANCE, "test")[:items]))


def picky(path: str, body: dict[str, Any]) -> tuple[int, str] | None:
    """Reject the parameters that the reasoning models of a well-known server reject."""
    if "max_tokens" in body:
        return 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    if "temperature" in body:
        return 400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
    return (422, "seed: Extra inputs are not permitted") if "seed" in body else None


def test_rejected_parameters_are_learned_and_reported_once(server: Faulty, capfd: pytest.CaptureFixture[str]) -> None:
    server.objects = picky
    assert len(ask(server)) == 6
    bodies = [json.loads(body) for body in server.answered]
    assert len(bodies) == 6
    assert all(body["max_completion_tokens"] == 5 and not {"max_tokens", "temperature", "seed"} & body.keys() for body in bodies)
    said = capfd.readouterr().err
    assert [said.count(f"takes {what}") for what in ("max_completion_tokens", "no temperature", "no seed")] == [1, 1, 1]


@pytest.mark.parametrize("at_once", [True, False], ids=["all at once", "one after another"])
def test_server_that_rejects_all_optional_parameters_gets_none(at_once: bool, server: Faulty, capfd: pytest.CaptureFixture[str]) -> None:
    refused = ("max_tokens", "max_completion_tokens", "temperature", "seed", "logprobs", "top_logprobs", "stop")

    def objects(path: str, body: dict[str, Any]) -> tuple[int, str] | None:
        found = [name for name in refused if name in body]
        return (400, f"Extra inputs are not permitted: {', '.join(found if at_once else found[:1])}") if found else None

    server.objects = objects
    for form in ("instruct", "base"):
        assert len(ask(server, form=form, answers="auto")) == 6
    assert {tuple(sorted(json.loads(body))) for body in server.answered} == {("messages", "model"), ("model", "prompt")}
    assert capfd.readouterr().err.count("takes no limit to an answer's length") == 2


@pytest.mark.parametrize(
    "said",
    ["`temperature` is deprecated for this model.", "`temperature` may only be set to 1 when thinking is enabled.",
     "temperature is not compatible with this model"],
)  # fmt: skip
def test_rejected_temperature_is_recognised_in_any_wording(said: str, server: Faulty) -> None:
    server.objects = lambda path, body: (400, said) if "temperature" in body else None
    assert len(ask(server)) == 6
    assert all("max_tokens" in json.loads(body) for body in server.answered)


def test_forbidden_logprobs_are_omitted_and_not_mistaken_for_a_missing_key(server: Faulty) -> None:
    server.objects = lambda path, body: (403, "You are not allowed to request logprobs from this model") if "logprobs" in body else None
    assert len(ask(server, answers="auto")) == 6
    server.objects = lambda path, body: (403, "You are not allowed to do that")
    with pytest.raises(GluepotError, match=r"wants a key \(403\)"):
        ask(server, answers="auto", prompt=1)


def test_rejection_for_another_reason_is_an_error(server: Faulty) -> None:
    server.objects = lambda path, body: (400, "your account has no credit")
    with pytest.raises(GluepotError, match="no credit"):
        ask(server)


def answer(message: dict[str, Any], finish: str = "stop", **usage: Any) -> Any:
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": {"prompt_tokens": 1, "completion_tokens": 5, **usage}}


def test_reasoning_is_read_from_every_field_and_truncated_reasoning_is_detected() -> None:
    for name in ("reasoning", "reasoning_content"):
        assert read_answer(answer({"content": "positiv", name: "hm"}), "k").text == "<think>hm</think>positiv"
    assert not read_answer(answer({"content": "positiv", "reasoning": "hm"}), "k").thinking
    assert read_answer(answer({"content": None, "reasoning": "hm"}, "length"), "k").thinking
    assert read_answer(answer({"content": "<think>hm"}, "length"), "k").thinking
    assert read_answer(answer({"content": ""}, "length", completion_tokens_details={"reasoning_tokens": 5}), "k").thinking
    assert not read_answer(answer({"content": "positiv och"}, "length"), "k").thinking


def test_truncated_reasoning_is_reported_once_with_the_thinking_option(
    server: Faulty, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server, "make", lambda path, body: json.dumps(answer({"content": "", "reasoning": "First I"}, "length")).encode())
    ask(server)
    said = capfd.readouterr().err
    assert said.count("its 5 tokens ran out before an answer. Give it room with --thinking") == 1


def test_chat_template_options_are_sent_and_invalid_ones_rejected(server: Faulty) -> None:
    ask(server, 1, chat_option="enable_thinking=false,effort=low")
    assert [json.loads(body)["chat_template_kwargs"] for body in server.answered] == [{"enable_thinking": False, "effort": "low"}]
    with pytest.raises(WrongUse, match="write NAME=VALUE"):
        parse_model("api:m@http://h/v1", chat_option="enable thinking")
