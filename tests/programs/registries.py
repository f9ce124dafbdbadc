"""Local image registry for tests, which serves images by digest and can lose or exchange them."""

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.programs.images import SHELL, shell_layer

MEDIA = "application/vnd.oci.image"


class Registry:
    """Registry of blobs and manifests by digest."""

    def __init__(self, port: int) -> None:
        self.address, self.port = f"127.0.0.1:{port}", str(port)
        self.manifests: dict[str, bytes] = {}
        self.blobs: dict[str, bytes] = {}
        self.asked: list[str] = []

    def push(self, program: str, shell: str = SHELL) -> str:
        """Add an image with a shell that runs a program, and return its reference with its digest."""
        layer = shell_layer(f"{program}\n# of {self.address}", shell)  # images differ from those of other users of the engine
        packed = gzip.compress(layer, 1)
        text = _text(
            architecture="amd64",
            os="linux",
            config={"Entrypoint": [shell, "/program.sh"]},
            rootfs={"type": "layers", "diff_ids": [_digest(layer)]},
        )
        manifest = _text(
            schemaVersion=2,
            mediaType=f"{MEDIA}.manifest.v1+json",
            config=self._keep(f"{MEDIA}.config.v1+json", text),
            layers=[self._keep(f"{MEDIA}.layer.v1.tar+gzip", packed)],
        )
        self.manifests[_digest(manifest)] = manifest
        return f"{self.address}/model@{_digest(manifest)}"

    def exchange(self, image: str, other: str) -> None:
        """Serve the manifest of another image for requests of this one."""
        self.manifests[image.partition("@")[2]] = self.manifests[other.partition("@")[2]]

    def lose(self, image: str) -> None:
        del self.manifests[image.partition("@")[2]]

    def find(self, path: str) -> tuple[str, bytes] | None:
        """Return the media type and content of a path, or None if it is missing."""
        self.asked.append(path)
        _, _, rest = path.partition("/v2/")
        if not rest:
            return "application/json", b"{}"
        _, kind, digest = rest.rsplit("/", 2)
        if kind == "manifests":
            return (f"{MEDIA}.manifest.v1+json", self.manifests[digest]) if digest in self.manifests else None
        return ("application/octet-stream", self.blobs[digest]) if digest in self.blobs else None

    def _keep(self, media: str, data: bytes) -> dict[str, Any]:
        self.blobs[_digest(data)] = data
        return {"mediaType": media, "digest": _digest(data), "size": len(data)}


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _text(**record: Any) -> bytes:
    return json.dumps(record).encode()


@contextmanager
def serve_registry() -> Iterator[Registry]:
    """Serve a registry until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.registry = Registry(server.server_port)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.registry  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


def trust(registry: Registry, place: Path) -> Path:
    """Write settings by which Podman connects to the registry without TLS, as Docker does to localhost by default."""
    place.write_text(f'[[registry]]\nlocation = "{registry.address}"\ninsecure = true\n')
    return place


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        found = self.server.registry.find(self.path)  # type: ignore[attr-defined]
        missing = _text(errors=[{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}])
        media, data = found or ("application/json", missing)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(data)))
        if found and "/manifests/" in self.path:
            self.send_header("Docker-Content-Digest", self.path.rpartition("/")[2])
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Log nothing to standard error."""
