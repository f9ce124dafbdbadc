"""Server that answers like an OpenAI-compatible one, or forwards to one, and fails at a given rate."""

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

Objection = Callable[[str, dict[str, Any]], tuple[int, str] | None]
"""Status and message with which a stricter server rejects a path and a body; None if it answers."""


class Faulty:
    """Test server that counts its answers by request body."""

    def __init__(self, faults: float = 0.0, behind: str | None = None, seed: int = 1) -> None:
        self.faults, self.behind = faults, behind
        self.dice, self.lock = random.Random(seed), threading.Lock()
        self.answered: Counter[str] = Counter()
        self.failed = 0
        self.refusal = 0
        """Status with which every request is rejected, echoing the key; 0 for none."""
        self.objects: Objection = lambda path, body: None
        self.seen_keys: set[str] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.handle(self)

            def do_GET(self) -> None:
                outer.look(self)

            def log_message(self, *words: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        with self.lock:
            self.seen_keys.add(handler.headers.get("Authorization", ""))
            fault = self.dice.random() < self.faults
            kind = self.dice.choice(["429", "500", "timeout"])
            self.failed += fault
        if self.refusal:
            self.send(handler, self.refusal, f"wrong key: {handler.headers.get('Authorization')}".encode())
            return
        if fault:
            if kind == "timeout":
                sleep(0.6)
                handler.close_connection = True
                return
            self.send(handler, int(kind), b"{}")
            return
        if objection := self.objects(handler.path, json.loads(body)):
            self.send(handler, objection[0], json.dumps({"error": {"message": objection[1]}}).encode())
            return
        try:
            answer = self.make(handler.path, body)
        except HTTPError as error:
            self.send(handler, error.code, error.read())
            return
        with self.lock:
            self.answered[body.decode()] += 1
        self.send(handler, 200, answer)

    def look(self, handler: BaseHTTPRequestHandler) -> None:
        """Forward a GET request, such as for the list of models, to the server behind."""
        if not self.behind:
            self.send(handler, 404, b"{}")
            return
        with urlopen(self.behind + handler.path.removeprefix("/v1"), timeout=120) as response:
            self.send(handler, 200, response.read())

    def make(self, path: str, body: bytes) -> bytes:
        if self.behind:
            request = Request(self.behind + path.removeprefix("/v1"), body, {"Content-Type": "application/json"})
            with urlopen(request, timeout=120) as response:
                return bytes(response.read())
        asked = json.loads(body)
        words = ["positiv", "neutral", "negativ"]
        text = words[len(body) % 3]
        choice = {"message": {"content": text}} if "messages" in asked else {"text": f" {text}"}
        return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 2}}).encode()

    def send(self, handler: BaseHTTPRequestHandler, status: int, data: bytes) -> None:
        try:
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            pass

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
