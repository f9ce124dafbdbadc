"""Local servers for tests, one for archives and one for the hub protocol, with configurable failures."""

import hashlib
import json
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from typing import Any


@dataclass
class Request:
    method: str
    path: str
    headers: "Message[str, str]"


@dataclass
class Site:
    """Content and failures of a server, and the requests that it received."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)
    """Status codes sent instead of content, one per request."""
    breaks: list[int] = field(default_factory=list)
    """Lengths to which bodies are truncated, one per request."""
    resets: bool = False
    """Whether a truncated connection is reset instead of ended early."""
    broken: dict[str, int] = field(default_factory=dict)
    """Status codes of paths that always fail, except for HEAD requests."""
    etags: bool = True
    requests: list[Request] = field(default_factory=list)

    def answer(self, path: str) -> tuple[bytes, dict[str, str]] | None:
        """Return the body and headers of a path, or None if there is no such file."""
        content = self.files.get(path)
        if content is None:
            return None
        return content, {"ETag": f'"{hashlib.sha1(content).hexdigest()}"'} if self.etags else {}

    def missing(self, path: str) -> dict[str, str]:
        """Return the headers of a 404 response."""
        return {}

    def gets(self) -> list[Request]:
        return [request for request in self.requests if request.method == "GET"]


@dataclass
class Hub(Site):
    """Hub with dataset repositories: commits and files by repository name."""

    commits: dict[str, str] = field(default_factory=dict)
    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    large: tuple[str, ...] = (".parquet",)
    """Suffixes of files stored with Git LFS and identified by their SHA-256."""

    def answer(self, path: str) -> tuple[bytes, dict[str, str]] | None:
        if about := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/revision/([^/]+))?", path):
            return self._describe(about[1])
        if file := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            return self._resolve(*file.groups())
        return None

    def missing(self, path: str) -> dict[str, str]:
        return {"X-Error-Code": "EntryNotFound" if "/resolve/" in path else "RepoNotFound"}

    def _describe(self, name: str) -> tuple[bytes, dict[str, str]] | None:
        if name not in self.repositories:
            return None
        siblings = [self._sibling(path, content) for path, content in self.repositories[name].items()]
        document = {"id": name, "sha": self.commits[name], "siblings": siblings}
        return json.dumps(document).encode(), {"Content-Type": "application/json"}

    def _sibling(self, path: str, content: bytes) -> dict[str, Any]:
        about: dict[str, Any] = {"rfilename": path, "size": len(content), "blobId": git_sha1(content)}
        if path.endswith(self.large):
            about["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 127}
        return about

    def _resolve(self, name: str, revision: str, path: str) -> tuple[bytes, dict[str, str]] | None:
        content = self.repositories.get(name, {}).get(path)
        if content is None or revision not in ("main", self.commits[name]):
            return None
        return content, {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": self.commits[name]}


def git_sha1(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Handler(BaseHTTPRequestHandler):
    site: Site

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.site.requests.append(Request(self.command, path, self.headers))
        answer = self.site.answer(path)
        if self.site.statuses:
            self.reply(self.site.statuses.pop(0), b"", {})
        elif self.command == "GET" and path in self.site.broken:
            self.reply(self.site.broken[path], b"", {})
        elif answer is None:
            self.reply(404, b"", self.site.missing(path))
        else:
            self.reply(*self.ranged(*answer))

    def ranged(self, content: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        """Return the requested range, or the whole content if its ETag has changed."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if not asked or self.headers.get("If-Range", headers.get("ETag")) != headers.get("ETag"):
            return 200, content, headers
        start, end = int(asked[1]), len(content)
        if start >= end:
            return 416, b"", {"Content-Range": f"bytes */{end}"}
        return 206, content[start:], {**headers, "Content-Range": f"bytes {start}-{end - 1}/{end}"}

    def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            cut = self.site.breaks.pop(0) if self.site.breaks and body else len(body)
            self.wfile.write(body[:cut])
            if cut < len(body) and self.site.resets:
                sleep(0.05)  # what was sent must arrive before the reset discards it
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()


@contextmanager
def serve(site: Site) -> Iterator[Site]:
    """Serve a site on a free local port for the duration of the block."""
    bound = type("Bound", (Handler,), {"site": site})
    with ThreadingHTTPServer(("127.0.0.1", 0), bound) as server:
        site.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
