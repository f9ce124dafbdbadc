"""Submitted container images: fetched by digest from a registry, run by a real engine, measured and scored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from tests.board.submitting.proposing import TASK, allowed, proposed
from tests.board.submitting.test_line import facts_for
from tests.board.users import wait_for
from tests.programs.images import ANSWER, NETWORKER
from tests.programs.registries import Registry

from gluepot.programs.containers.engines import ContainerEngine

HUNGRY = "x=0123456789abcdef; while :; do x=$x$x; done"
ENDLESS = "while :; do :; done"
NEEDY = "exec 3<>/dev/tcp/192.0.2.1/80 || exit 4"
CURIOUS = rf"""
for word; do [ -e "$word" ] && {{ echo "sees $word" >&2; exit 5; }}; done
(echo x > /own) 2>/dev/null && {{ echo "writes into its image" >&2; exit 6; }}
for place in 192.0.2.1/80 127.0.0.1/$PORT; do (exec 3<>/dev/tcp/$place) 2>/dev/null && {{ echo "reaches $place" >&2; exit 7; }}; done
{ANSWER}"""


@pytest.fixture
def ran(
    ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None], small_limits: None, registry: Registry
) -> Callable[[str], Any]:
    """Return a function that submits an image, allows it and runs the worker's jobs."""

    def run(image: str) -> Any:
        program = allowed(proposed(client_of(ann), command=f"container:{image}", files=None))
        work()
        program.refresh_from_db()
        return program

    return run


def test_image_is_fetched_run_published_and_marked_as_run_here(
    ran: Callable[[str], Any],
    registry: Registry,
    engine: ContainerEngine,
    ann: Any,
    client_of: Callable[[Any], Any],
    work: Callable[[], None],
    open_board: Path,
) -> None:
    """The image sees no labels and no board, writes nothing, and reaches neither a network nor the registry on the machine's loopback."""
    import gluepot
    from gluepot.board.submitting.publication.decisions import approve

    image = registry.push(CURIOUS.replace("$PORT", registry.port), NETWORKER)
    labels = Path(gluepot.__file__).parent / "suites" / "pocket" / "data"
    assert labels.is_dir()
    program = ran(f"{image} {labels} {open_board}")
    upload, figures, client = program.upload, program.figures[TASK], client_of(ann)
    assert upload.state == "scored", upload.reason
    assert figures["sandbox"] == f"{engine.name} {engine.version}, image {engine.image_id(image)[:19]}"
    assert figures["throughput"] > 10
    assert 0 < figures["memory_gib"] < 0.3
    assert "it tried the network 2 times, in vain" in figures["notes"]
    assert client.post(f"/submissions/{upload.key}/publish", facts_for(upload)).status_code == 302
    approve(upload.sheets.get(), "1")
    work()
    (row,) = client.get("/b/pocket/1.json").json()["rows"]
    assert row["ran_here"] is True
    (point,) = client.get("/b/pocket/1/performance.json").json()["points"]
    assert point["name"] == "my-model"
    assert client.get("/b/pocket", follow=True).content.decode().count("ran here") == 2, "in its row and in the legend"


@pytest.mark.parametrize(
    ("text", "shell", "reason"),
    [
        (HUNGRY, "/bin/dash", "held more than 300 MiB of memory and was ended"),
        (ENDLESS, "/bin/dash", "all its runs together took more than"),
        (NEEDY, NETWORKER, "ended with code 4. It said: /program.sh: line 1: /dev/tcp/192.0.2.1/80: Network is unreachable"),
        ("exec /no/such", "/bin/dash", "ended with code 127"),
    ],
    ids=["memory", "time", "network", "no program"],
)
def test_image_that_exceeds_a_limit_or_needs_a_network_fails_with_a_reason(
    text: str, shell: str, reason: str, ran: Callable[[str], Any], registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gluepot.board.submitting.programs import running

    if text == ENDLESS:
        monkeypatch.setattr(running, "all_seconds", lambda: 12.0)
    upload = ran(registry.push(text, shell)).upload
    assert upload.state == "failed"
    assert reason in upload.reason
    assert upload.slots.filter(returned=False).exists(), "it ran"
    assert [letter.subject for letter in mail.outbox] == ["“my-program” ran and came to no score"]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda registry, image: registry.lose(image), "manifest unknown"),
        (lambda registry, image: registry.exchange(image, registry.push(ANSWER)), "sha256"),
    ],
    ids=["gone", "exchanged"],
)
def test_image_missing_under_its_digest_does_not_run_and_uses_no_quota(
    spoil: Callable[[Registry, str], None], reason: str, ran: Callable[[str], Any], registry: Registry
) -> None:
    image = registry.push("exit 0")
    spoil(registry, image)
    program = ran(image)
    upload = program.upload
    assert upload.state == "failed"
    assert f"cannot fetch {image}: " in upload.reason
    assert reason in upload.reason
    assert "push it again" in upload.reason
    assert (program.ran, program.records.name) == (None, "")
    assert not upload.slots.filter(returned=False).exists()


def test_image_ends_with_its_killed_or_terminated_worker(
    ann: Any, client_of: Callable[[Any], Any], open_board: Path, registry: Registry, engine: ContainerEngine
) -> None:
    from gluepot.board.server.workers import Workers

    image = registry.push(ENDLESS)
    program = allowed(proposed(client_of(ann), command=f"container:{image}", files=None))
    crew = Workers(open_board, 1)
    try:
        assert wait_for(lambda: running(engine, image), 90)
        first = running(engine, image)
        (process,) = crew.processes
        process.kill()
        assert wait_for(lambda: not {*first} & {*running(engine, image)}, 60), "what it ran is ended with it"
        assert wait_for(lambda: running(engine, image), 120), "and taken up again"
        (process,) = crew.processes
        crew.stopping.set()
        process.terminate()
        assert wait_for(lambda: process.poll() is not None, 60), "it ended by itself"
    finally:
        crew.close()
    assert wait_for(lambda: not running(engine, image), 60)
    program.refresh_from_db()
    assert (program.upload.state, program.upload.attempts) == ("scoring", 2)


def running(engine: ContainerEngine, image: str) -> list[str]:
    """Return the running and ended containers of an image; none before it is fetched."""
    if engine.ask("image", "inspect", image).returncode:
        return []
    return engine.ask("ps", "--all", "--quiet", "--filter", f"ancestor={engine.image_id(image)}").stdout.split()
