"""Resolution of hub names to commits, by the hub or its cache, with a short timeout; paths are distinguished from names."""

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import create_server
from threading import Thread

import pytest

pytest.importorskip("huggingface_hub", reason="needs huggingface_hub: pip install 'gluepot[torch]'")

from huggingface_hub import constants

from gluepot.cli import main
from gluepot.errors import GluepotError, WrongUse
from gluepot.models import ModelName, parse_model
from gluepot.models.names import display_name, record_model
from gluepot.models.pretrained import hub
from gluepot.models.pretrained.hub import PATIENCE, find_commit, resolve_commit
from gluepot.models.settings import COMMIT

SHA, OTHER = "1" * 40, "2" * 40


class Hub(BaseHTTPRequestHandler):
    """Stub of the hub with one model at two commits."""

    def do_GET(self) -> None:
        known = {"/api/models/org/bert": SHA, "/api/models/org/bert/revision/v1": OTHER}
        found = self.path in known
        self.send_response(200 if found else 404)
        body = json.dumps({"id": "org/bert", "sha": known.get(self.path)}).encode()
        if not found:
            self.send_header("X-Error-Code", "RevisionNotFound" if "org/bert" in self.path else "RepoNotFound")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty cache of the hub."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    return tmp_path / "hub"


@pytest.fixture
def served(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield
    server.shutdown()
    server.server_close()


@pytest.fixture
def silent(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hub that accepts connections and never responds."""
    with create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        yield


def keep(place: Path, commit: str) -> None:
    """Store a model in the hub's cache."""
    folder = place / "models--org--bert"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(commit)
    (folder / "snapshots" / commit).mkdir(parents=True)
    (folder / "snapshots" / commit / "config.json").write_text("{}")


def test_name_is_pinned_to_its_current_commit(served: None) -> None:
    assert resolve_commit(parse_model("encoder:org/bert")).setting(COMMIT) == SHA
    assert resolve_commit(parse_model("lm:org/bert", revision="v1")).setting(COMMIT) == OTHER
    assert resolve_commit(parse_model("lm:org/bert"), before=OTHER).setting(COMMIT) == OTHER
    assert resolve_commit(parse_model("majority")).setting(COMMIT) is None


def test_unknown_names_and_revisions_are_reported(served: None) -> None:
    with pytest.raises(GluepotError, match=r"no model 'org/no-such'.*Check the name"):
        find_commit("lm", "org/no-such")
    with pytest.raises(GluepotError, match="no model 'org/bert' at the revision 'v7'"):
        find_commit("lm", "org/bert", "v7")


def test_silent_hub_times_out_once_and_the_cache_is_used(silent: None, place: Path) -> None:
    start = time.monotonic()
    with pytest.raises(GluepotError, match="the hub did not answer within 2 s"):
        find_commit("encoder", "org/bert")
    assert time.monotonic() - start < 10 * PATIENCE, "a busy machine may take longer than it was told, but not for ever"
    keep(place, SHA)
    assert find_commit("encoder", "org/bert") == SHA
    assert constants.HF_HUB_OFFLINE, "nor for any of its files"


def test_cached_commit_needs_no_request_but_a_branch_does(silent: None, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("gluepot.models.pretrained.hub._ask", lambda name, revision: asked.append(name) or "")
    keep(place, SHA)
    assert find_commit("encoder", "org/bert", SHA) == SHA
    assert not asked
    assert find_commit("encoder", "org/bert") == SHA
    assert asked == ["org/bert"], "what a branch means, the hub says"


def test_revision_of_a_local_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "config.json").write_text("{}")
    words = ["evaluate", f"encoder:{tmp_path / 'bert'}", "pocket/stance-sv", "--revision", "v1", "--out", str(tmp_path / "run")]
    assert main(words) == WrongUse.exit_code
    assert "is a path, which has no revisions" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_measure_times_out_on_a_silent_hub_and_pins_the_commit(
    silent: None, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["measure", "encoder:org/bert", "pocket/stance-sv", "--out", str(tmp_path / "measured")]
    begun: list[ModelName] = []
    monkeypatch.setattr("gluepot.efficiency.measurement.requests._learned", lambda model, *more: begun.append(model) or tmp_path / "absent")
    assert main(words) == 1
    assert "the hub did not answer within 2 s" in capsys.readouterr().err
    assert not begun
    keep(place, SHA)
    assert main(words) != 0, "nothing was learned"
    assert [model.setting(COMMIT) for model in begun] == [SHA]


@pytest.mark.parametrize("adapter", ["lm", "encoder"])
def test_folder_without_a_model_is_refused_before_any_file_is_read(
    adapter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree"
    (tree / "below").mkdir(parents=True)
    (tree / "below" / "secret.bin").write_bytes(b"x")
    opened: list[Path] = []
    monkeypatch.setattr("gluepot.runs.storage.fingerprints.sample_bytes", lambda path: opened.append(path) or b"")
    assert main(["evaluate", f"{adapter}:{tree}", "pocket/stance-sv", "--out", str(tmp_path / "run")]) != 0
    assert "no config.json" in capsys.readouterr().err
    assert not opened
    assert not (tmp_path / "run").exists()


def test_paths_are_distinguished_from_names_and_only_their_last_part_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {
        "encoder:/home/me/models/my-bert": "encoder:my-bert",
        "encoder:~/my-bert": "encoder:my-bert",
        "lm:org/model": "lm:org/model",
        "lm:models/small.gguf": "lm:small.gguf",
        "vectors:/data/sv.vec": "vectors:sv.vec",
        "ensemble:runs/a,/tmp/b": "ensemble:a,b",
        "api:m@http://host/v1": "api:m@http://host/v1",
        "majority": "majority",
    }
    assert {name: display_name(record_model(parse_model(name))) for name in shown} == shown
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine").mkdir()
    assert not hub.is_local("org/mine")
    assert hub.is_local("~/mine")
