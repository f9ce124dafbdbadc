"""No command starts, connects to or unpickles anything that an untrusted run names."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.hostile import Listener, make_hostile
from tests.runs.tampering import TASK, edit, make, predictions

from gluepot.cli import COMMANDS, main
from gluepot.models import ADAPTERS

KEY = "sk-very-secret-4711"
HARMFUL = ("command", "api", "vectors", "encoder", "lm")
EVENTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect", "socket.getaddrinfo", "webbrowser.open")
WATCHED: list[tuple[str, Any]] = []


def _watch(event: str, details: Any) -> None:
    if event in EVENTS and WATCHED and WATCHED[-1][0] != "off":
        WATCHED.append((event, details))


sys.addaudithook(_watch)


@pytest.fixture
def watched() -> Iterator[Callable[[], list[tuple[str, Any]]]]:
    """Audit events of processes and connections since the start of the test."""
    WATCHED[:] = [("on", None)]
    yield lambda: [seen for seen in WATCHED[1:] if seen[1][0] != "uname"]  # Python's own `platform` calls it to find the processor
    WATCHED[:] = [("off", None)]


@pytest.fixture
def listener() -> Iterator[Listener]:
    server = Listener()
    yield server
    server.close()


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "harm-was-done"


@pytest.fixture
def runs(tmp_path: Path, marker: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GLUEPOT_API_KEY", KEY)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    return make_hostile(tmp_path, marker, listener.url)


def calls(run: Path, place: Path) -> dict[str, list[list[str]]]:
    """Return invocations of every command, with the run wherever it takes a file, a folder or a name."""
    task, path = f"pocket/{TASK}", str(run)
    return {
        "suites": [["suites", "--json"]],
        "show": [["show", path], ["show", task]],
        "data": [
            ["data", "check", path],
            ["data", "import", path, path + "/task", "--kind", "classification"],
            ["data", "export", path, path + "-out"],
        ],
        "new": [["new", path, "--language", "fo"], ["new", path + "/task", "--kind", "classification", "--from", path]],
        "models": [["models"]],
        "evaluate": [
            ["evaluate", f"ensemble:{path}", task, "--out", str(place / f"ensemble-{run.name}"), "--resamples", "20"],
            ["evaluate", f"predictions:{path}", task, "--out", str(place / f"predictions-{run.name}"), "--resamples", "20"],
            ["evaluate", "majority", task, "--out", path],
            ["evaluate", f"vectors:{path}/manifest.json", task, "--out", str(place / "none")],
        ],
        "score": [["score", "pocket", path, "--resamples", "20"], ["score", task, str(predictions(run)), "--resamples", "20"]],
        "compare": [["compare", path, path], ["compare", path, path, "--json"]],
        "probe": [["probe", f"lm:{path}", task]],
        "report": [["report", path, "-o", str(place / "page.html")]],
        "redo": [["redo", path], ["redo", path, "--json"]],
        "verify": [["verify", path]],
        "reproduce": [["reproduce", "superlim", path]],
        "agreement": [["agreement", str(predictions(run))]],
        "human": [["human", "pocket/stance-sv", str(predictions(run))]],
        "measure": [["measure", "--from", path]],
        "build": [["build", "scala", path, "--to", f"{place}/built-{run.name}/task"]],
        "annotate": [["annotate", "plan", "--pilot", str(predictions(run))]],
        "vectors": [["vectors", "train", path, "--to", str(place / f"vectors-{run.name}.txt")]],
        "push": [["push", path, "--to", str(place / "README.md")]],
        "submit": [["submit", path]],
        "board": [],  # tested below, as separate processes
    }


@pytest.mark.parametrize("adapter", HARMFUL)
def test_no_command_starts_or_contacts_what_an_untrusted_run_names(
    adapter: str, runs: dict[str, Path], tmp_path: Path, marker: Path, listener: Listener, watched: Callable[[], list[tuple[str, Any]]]
) -> None:
    commands = calls(runs[adapter], tmp_path)
    assert set(commands) == set(COMMANDS), "a new command is tried here too"
    for words in (words for several in commands.values() for words in several):
        assert main(words) in (0, 1, 2, 3), words
        assert not marker.exists(), words
        assert not listener.connections, words
        assert not watched(), words


def test_report_compare_and_redo_handle_an_ensemble_of_hostile_runs_without_harm(
    runs: dict[str, Path], tmp_path: Path, marker: Path, listener: Listener
) -> None:
    run = str(runs["ensemble"])
    for words in (["report", run, "-o", str(tmp_path / "page.html")], ["compare", run, str(runs["api"])], ["redo", run]):
        assert main(words) in (0, 1), words
        assert not marker.exists(), words
        assert not listener.connections, words


@pytest.mark.slow
def test_no_board_command_starts_or_contacts_what_an_untrusted_run_names(
    runs: dict[str, Path], board_place: Path, marker: Path, listener: Listener
) -> None:
    pytest.importorskip("django", reason="needs the extra 'board'")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GLUEPOT_BOARD", "DJANGO"))}
    labels = ["labels", "pocket", str(next(iter(runs.values())))]
    for words in (
        ["import", *map(str, runs.values())],
        labels,
        ["rescore", "pocket", "--reason", "new"],
        ["export", str(board_place / "site")],
        ["snapshot"],
    ):
        done = [sys.executable, "-m", "gluepot", "board", *words, "--dir", str(board_place / "board")]
        ended = subprocess.run(done, env=environment, capture_output=True, text=True, timeout=300)
        assert "Traceback" not in ended.stderr
        assert KEY not in ended.stdout + ended.stderr
        assert not marker.exists(), words
        assert not listener.connections, words


@pytest.mark.parametrize("adapter", HARMFUL)
def test_redo_shows_what_it_would_run_and_requires_trust(adapter: str, runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redo", str(runs[adapter])]) == 2
    told = capsys.readouterr().err
    assert f"{adapter}:" in told
    assert "--trust" in told
    assert str(runs[adapter]) in told


def test_every_model_that_does_more_than_read_requires_trust() -> None:
    harmless = {"majority", "random", "random-weighted", "lead", "crf", "ensemble", "predictions"}
    assert {name for name in ADAPTERS if not ADAPTERS[name].trusts} == harmless | {name for name in ADAPTERS if name.startswith("tfidf-")}


def test_a_trusted_run_is_repeated(runs: dict[str, Path], marker: Path) -> None:
    main(["redo", str(runs["command"]), "--trust"])
    assert marker.exists()


def test_a_trusted_run_gets_no_key_unless_its_address_is_named(
    runs: dict[str, Path], listener: Listener, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["redo", str(runs["api"]), "--trust"]) == 1
    assert listener.visits
    assert set(listener.visits) == {None}
    told = capsys.readouterr().err
    assert "--key-for" in told
    assert KEY not in told


@pytest.mark.parametrize("how", ["--key-for", "GLUEPOT_API_URL", "OPENAI_BASE_URL"])
def test_a_key_goes_to_the_address_that_the_user_names(
    how: str, runs: dict[str, Path], listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not how.startswith("--"):
        monkeypatch.setenv(how, listener.url)
    main(["redo", str(runs["api"]), "--trust", *([how, listener.url] if how.startswith("--") else [])])
    assert set(listener.visits) == {f"Bearer {KEY}"}


@pytest.mark.parametrize("named", ["http://127.0.0.1:1/v1", "http://127.0.0.1:{port}/v1/other", "https://127.0.0.1:{port}/v1", "127.0.0.1"])
def test_a_key_goes_to_no_other_address(named: str, runs: dict[str, Path], listener: Listener) -> None:
    main(["redo", str(runs["api"]), "--trust", "--key-for", named.format(port=listener.server.server_port)])
    assert listener.visits
    assert set(listener.visits) == {None}


def test_a_manifest_cannot_set_the_ledger_the_key_address_or_trust(runs: dict[str, Path], listener: Listener, tmp_path: Path) -> None:
    for option in (f"--ledger {tmp_path / 'ledger'}", f"--key-address {listener.url}", "--trust-pickle 1", "--trust-remote-code 1"):
        edit(
            runs["api"] / "manifest.json",
            lambda manifest, option=option: manifest["identity"].update(model=f"api:m@{listener.url} {option}"),
        )
        main(["redo", str(runs["api"]), "--trust"])
        assert not (tmp_path / "ledger").exists()
        assert f"Bearer {KEY}" not in listener.visits


def test_redo_rejects_a_run_with_a_masked_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make(tmp_path / "run")
    edit(run / "manifest.json", lambda manifest: manifest["identity"].update(model="command:./model --api-key ***"))
    assert main(["redo", str(run), "--trust"]) == 2
    assert "masked" in capsys.readouterr().err
