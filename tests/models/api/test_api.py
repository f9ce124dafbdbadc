"""`api:` against a failing server: no answer is lost or requested twice, costs are counted, and the key is never written."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

from tests.models.api.faulty import Faulty

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError, WrongUse
from gluepot.models import make_adapter, parse_model
from gluepot.models.api.cache import AnswerCache, ApiAnswer
from gluepot.tasks.declarations import load_suite

TASK = load_suite("pocket").tasks["stance-sv"]
KEY = "sk-very-secret-4711"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    for name in ("GLUEPOT_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def faulty() -> Iterator[Faulty]:
    server = Faulty(0.3)
    yield server
    server.close()


def model(url: str, seconds: float = 0.5, **options: Any) -> Any:
    adapter: Any = make_adapter(parse_model(f"api:tiny@{url}", **options))
    adapter.client.wait = 0.01
    adapter.client.http.timeout = seconds
    adapter.fit(TASK, load_examples(TASK, "train"), [])
    return adapter


def test_thirty_percent_faults_lose_no_answer_and_repeat_no_answered_request(faulty: Faulty) -> None:
    items = load_examples(TASK, "test")
    first = model(faulty.url).predict(TASK, items)
    assert faulty.failed > 0
    assert [p.id for p in first] == [item.id for item in items]
    assert all(p.said.read and p.said.way == "text" and p.said.tokens == 100 for p in first)
    assert len(faulty.answered) == len(items)
    assert set(faulty.answered.values()) == {1}
    assert model(faulty.url).predict(TASK, items) == first
    assert sum(faulty.answered.values()) == len(items)


def test_base_form_uses_the_completions_endpoint(faulty: Faulty) -> None:
    (prediction,) = model(faulty.url, form="base").predict(TASK, load_examples(TASK, "test")[:1])
    assert prediction.said.read
    assert '"stop"' in next(iter(faulty.answered))


def test_exhausted_budget_ends_the_run_and_keeps_its_answers(faulty: Faulty) -> None:
    faulty.faults = 0
    items = load_examples(TASK, "test")
    with pytest.raises(GluepotError, match="budget"):
        model(faulty.url, 30, price="10,10", budget=0.01).predict(TASK, items)
    before = sum(faulty.answered.values())
    assert 0 < before < len(items)
    model(faulty.url, 30).predict(TASK, items)
    assert sum(faulty.answered.values()) == len(items)


def test_partial_last_line_of_the_cache_is_truncated(tmp_path: Path) -> None:
    cache = AnswerCache("http://x/v1", "m", tmp_path)
    cache.add(ApiAnswer("a", "ja"))
    with cache.path.open("ab") as stream:
        stream.write(b'{"key": "b", "te')
    again = AnswerCache("http://x/v1", "m", tmp_path)
    again.add(ApiAnswer("c", "nej"))
    assert set(AnswerCache("http://x/v1", "m", tmp_path).known) == {"a", "c"}


@pytest.mark.parametrize("refusal", [0, 401])
def test_key_is_sent_but_never_written(
    faulty: Faulty, refusal: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GLUEPOT_API_KEY", KEY)
    faulty.faults, faulty.refusal = 0, refusal
    run = tmp_path / "run"
    code = main(["evaluate", f"api:tiny@{faulty.url}", "pocket/stance-sv", "--limit", "3", "--out", str(run)])
    assert f"Bearer {KEY}" in faulty.seen_keys
    output = "".join(capfd.readouterr())
    assert (code == 0) == (refusal == 0)
    assert ("(401)" in output) == (refusal == 401)
    assert KEY not in output
    for path in (file for file in tmp_path.rglob("*") if file.is_file()):
        assert KEY.encode() not in path.read_bytes(), path


def test_rejects_key_in_the_address_likelihoods_in_a_chat_and_missing_address() -> None:
    with pytest.raises(WrongUse, match="no key belongs"):
        model("http://user:secret@127.0.0.1:9/v1")
    with pytest.raises(WrongUse, match="likelihood"):
        model("http://127.0.0.1:9/v1", answers="likelihood", form="instruct")
    with pytest.raises(WrongUse, match="write api:NAME"):
        make_adapter(parse_model("api:tiny"))


def test_all_prompts_report_the_spread_across_prompts(faulty: Faulty, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    faulty.faults = 0
    model = f"api:tiny@{faulty.url}"
    assert main(["evaluate", model, "pocket/stance-sv", "--limit", "8", "--prompts", "all", "--out", str(tmp_path / "run"), "--json"]) == 0
    (row,) = json.loads(capfd.readouterr().out)
    assert len(row["values"]) == 4
    assert row["low"] <= row["mean"] <= row["high"]
    assert row["least"] == min(row["values"])


def test_plan_forecasts_tokens_and_cost_and_its_answers_are_reused(
    faulty: Faulty, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    faulty.faults = 0
    words = ["evaluate", f"api:tiny@{faulty.url}", "pocket/stance-sv", "--out", str(tmp_path / "run"), "--price", "1,2", "--json"]
    assert main([*words, "--plan"]) == 0
    (row,) = json.loads(capfd.readouterr().out)
    assert (row["items"], row["tokens"], row["written"]) == (40, 4000, 80)
    assert row["cost"] == pytest.approx(0.00416)
    assert main(words) == 0
    assert json.loads(capfd.readouterr().out)["asked"]["stance-sv"]["ways"] == {"text": 40}
    assert sum(faulty.answered.values()) == 40


def test_rejects_oversized_and_deeply_nested_responses(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.models.api import answers

    faulty.faults = 0
    items = load_examples(TASK, "test")[:1]
    monkeypatch.setattr(faulty, "make", lambda path, body: b"[" * 200_000)
    with pytest.raises(GluepotError, match="not in the form"):
        model(faulty.url, 30).predict(TASK, items)
    monkeypatch.setattr(answers, "LARGEST", 2**20)
    monkeypatch.setattr(faulty, "make", lambda path, body: b" " * 2**21)
    with pytest.raises(GluepotError, match="larger than 1 MB"):
        model(faulty.url, 30, form="base").predict(TASK, items)
