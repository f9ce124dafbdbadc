"""`api:` against a real server with the weights of `lm:`: the same answers, also through faults and a restart."""

from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

for name in ("torch", "transformers", "gguf", "httpx"):
    pytest.importorskip(name, reason=f"{name} is not installed")
from tests.models.api.faulty import Faulty  # noqa: E402
from tests.models.api.server import INSTALLED, Server, weights  # noqa: E402

from gluepot.data.examples import load_examples  # noqa: E402
from gluepot.models import make_adapter, parse_model  # noqa: E402
from gluepot.tasks.declarations import load_suite  # noqa: E402

if not INSTALLED:
    pytest.skip("SmolLM2 or xllamacpp is not installed", allow_module_level=True)

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
TASK = load_suite("pocket").tasks["stance-sv"]
ITEMS = 12
AGREEMENT = 0.8
"""Minimum share of equal answers: the server multiplies in eight bits, transformers in thirty-two, so near-ties may fall either way."""


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    found = Server()
    yield found
    found.kill()


@pytest.fixture
def server(running: Server, api_cache: Path) -> Server:
    """The shared server, restarted if an earlier test killed it."""
    if running.process.poll() is not None:
        running.start()
    return running


@pytest.fixture(scope="module")
def undisturbed(running: Server, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Answers of the server without disturbances."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLUEPOT_CACHE", str(tmp_path_factory.mktemp("undisturbed")))
        return [p.output for p in ask(f"api:undisturbed@{running.url}")]


def ask(model: str, **options: Any) -> list[Any]:
    adapter: Any = make_adapter(parse_model(model, shots=1, answers="text", **options))
    adapter.fit(TASK, load_examples(TASK, "train"), [])
    return list(adapter.predict(TASK, load_examples(TASK, "test")[:ITEMS]))


@pytest.mark.parametrize("form", ["instruct", "base"])
def test_server_and_local_weights_give_the_same_answers(server: Server, form: str) -> None:
    remote = [p.said.text.strip() for p in ask(f"api:smollm2@{server.url}", form=form)]
    local = [p.said.text.strip() for p in ask(f"lm:{weights()}", form=form)]
    assert sum(a == b for a, b in zip(remote, local, strict=True)) >= AGREEMENT * ITEMS


def test_client_waits_for_a_server_to_restart(server: Server, undisturbed: list[Any], capfd: pytest.CaptureFixture[str]) -> None:
    timers = [Timer(0.5, server.kill), Timer(4, server.start)]
    for timer in timers:
        timer.start()
    disturbed = [p.output for p in ask(f"api:smollm2@{server.url}")]
    for timer in timers:
        timer.join()
    assert disturbed == undisturbed
    assert capfd.readouterr().err.count("waiting for it to come back") == 1


def test_faults_and_a_restart_change_no_answer_and_repeat_no_answered_request(server: Server, undisturbed: list[Any]) -> None:
    proxy = Faulty(0.3, behind=server.url)
    timers = [Timer(1, server.kill), Timer(3, server.start)]
    for timer in timers:
        timer.start()
    disturbed = [p.output for p in ask(f"api:smollm2@{proxy.url}")]
    for timer in timers:
        timer.join()
    assert disturbed == undisturbed
    assert len(proxy.answered) == ITEMS
    assert set(proxy.answered.values()) == {1}
    proxy.close()
