"""Local servers for tests: one that serves archives, one that speaks the hub's protocol; both can be told to misbehave."""

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
    """What a server serves, how it misbehaves, and what it was asked."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)
    """Answered before anything else, one a request."""
    breaks: list[int] = field(default_factory=list)
    """Bodies are cut after so many bytes, one a request."""
    resets: bool = False
    """Whether a cut is a reset and not just an early end."""
    broken: dict[str, int] = field(default_factory=dict)
    """Paths (not asked by HEAD) that always get this status."""
    etags: bool = True
    requests: list[Request] = field(default_factory=list)

    def answer(self, path: str) -> tuple[bytes, dict[str, str]] | None:
        """The body and headers for a path, None where there is nothing."""
        content = self.files.get(path)
        if content is None:
            return None
        return content, {"ETag": f'"{hashlib.sha1(content).hexdigest()}"'} if self.etags else {}

    def missing(self, path: str) -> dict[str, str]:
        """The headers of a 404."""
        return {}

    def gets(self) -> list[Request]:
        return [request for request in self.requests if request.method == "GET"]


@dataclass
class Hub(Site):
    """A site that is a hub with dataset repositories: name to commit and files."""

    commits: dict[str, str] = field(default_factory=dict)
    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    large: tuple[str, ...] = (".parquet",)
    """Files with these endings are stored beside git, and known by their sha256."""

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
        """The part that was asked for, if it is still a part of the same thing."""
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
    """Serves a site on a free port of this machine for the while of the block."""
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
