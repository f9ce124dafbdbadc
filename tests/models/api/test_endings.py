"""Exit of a run that cannot continue: a message and an exit code, promptly, with nothing left behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

from tests.models.api.faulty import Faulty

LONGEST = 20.0
"""Timeout in seconds; two or three suffice on an idle machine."""


def start(url: str, folder: Path) -> "subprocess.Popen[str]":
    """Start `gluepot evaluate` in its own process group, as a terminal would."""
    words = [sys.executable, "-c", "import sys; from gluepot.cli import main; sys.exit(main())"]
    words += ["evaluate", f"api:tiny@{url}", "pocket/stance-sv", "--limit", "8", "--out", str(folder / "run")]
    settings = {**os.environ, "GLUEPOT_CACHE": str(folder / "cache")}
    return subprocess.Popen(words, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_unreachable_server_is_reported_promptly(host: str, tmp_path: Path) -> None:
    url = f"http://{host}:{closed_port()}/v1"
    process = start(url, tmp_path)
    try:
        _, errors = process.communicate(timeout=LONGEST)
    finally:
        os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
    assert process.returncode == 1
    assert f"gluepot: {url}: no server answers there (" in errors
    assert f"Is it running? Try: curl {url}/models" in errors
    assert "Traceback" not in errors
    assert "leaked" not in errors


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_the_wait_for_a_busy_server(sent: signal.Signals, code: int, tmp_path: Path) -> None:
    server = Faulty()
    server.objects = lambda path, body: (503, "busy")
    process = start(server.url, tmp_path)
    try:
        while not server.seen_keys:
            assert process.poll() is None
            time.sleep(0.1)
        time.sleep(3)  # by now its retry delay is seconds long
        began = time.monotonic()
        os.killpg(process.pid, sent) if sent == signal.SIGINT else process.send_signal(sent)
        _, errors = process.communicate(timeout=LONGEST)
    finally:
        os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
        server.close()
    assert time.monotonic() - began < LONGEST / 2
    assert process.returncode == code
    assert "resume with:" in errors
    assert "Traceback" not in errors
    assert "leaked" not in errors
