"""Hostile runs: each names a model that would do harm if a command trusted it."""

import json
import os
import pickle
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from tests.runs.tampering import edit, make


class Touch:
    """Object whose pickle creates a folder when it is loaded."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.marker),))


class Listener:
    """Server that records connections and the keys in their requests."""

    def __init__(self) -> None:
        visits: list[str | None] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version: ClassVar[str] = "HTTP/1.0"

            def do_POST(self) -> None:
                visits.append(self.headers.get("Authorization"))
                self.send_response(401)
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def verify_request(self, request: Any, client_address: Any) -> bool:
                connections.append(client_address)
                return True

        connections: list[Any] = []
        self.visits, self.connections = visits, connections
        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def write_pickle(path: Path, marker: Path, protocol: int = pickle.DEFAULT_PROTOCOL) -> Path:
    path.write_bytes(pickle.dumps(Touch(marker), protocol))
    return path


def write_remote_code(folder: Path, marker: Path) -> Path:
    """Write a transformers model whose configuration and tokenizer execute code."""
    folder.mkdir()
    maps = {
        "AutoConfig": "evil.EvilConfig",
        "AutoModel": "evil.Evil",
        "AutoModelForCausalLM": "evil.Evil",
        "AutoTokenizer": ["evil.Evil", None],
    }
    (folder / "config.json").write_text(json.dumps({"model_type": "evil", "auto_map": maps}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"auto_map": {"AutoTokenizer": ["evil.Evil", None]}}))
    (folder / "evil.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nclass EvilConfig: pass\nclass Evil: pass\n")
    return folder


def make_hostile(place: Path, marker: Path, url: str) -> dict[str, Path]:
    """Create a run for each model that acts when it is instantiated, and one for an ensemble of them."""
    model = write_remote_code(place / "model", marker)
    names = {
        "command": f"command:{sys.executable} -c \"open({str(marker)!r}, 'w')\"",
        "api": f"api:m@{url}",
        "vectors": f"vectors:{write_pickle(place / 'innocent.txt', marker)}",
        "encoder": f"encoder:{model}",
        "lm": f"lm:{model}",
    }
    found = {}
    for number, (adapter, name) in enumerate(names.items()):
        found[adapter] = make(place / f"run-{adapter}", share=0.4 + number / 10)
        edit(found[adapter] / "manifest.json", lambda manifest, name=name: manifest["identity"].update(model=name))
        (found[adapter] / "sheet.md").write_text(f"![](http://{url.partition('//')[2]}/pixel)")
    found["ensemble"] = make(place / "run-ensemble")
    members = ",".join(map(str, found.values()))
    edit(found["ensemble"] / "manifest.json", lambda manifest: manifest["identity"].update(model=f"ensemble:{members}"))
    return found
