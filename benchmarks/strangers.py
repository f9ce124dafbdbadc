"""Served board under abuse: half-open and slow connections alongside visitors, and 100,000 distinct URLs."""

import http.client
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import quantiles
from subprocess import PIPE, Popen, run
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from benchmarks.board import PAGE, Line, get

HALF_OPEN, SLOW, REQUESTS, ADDRESSES = 200, 50, 300, 100_000
SHAPES = (
    "/robots.txt?x={}",
    "/?utm_source={}",
    "/api/scores?limit=5&offset={}",
    "/api/systems?search={}",
    PAGE + ".json?tasks=swefaq&q={}",
    "/s/system-{}",
    "/b/nowhere/{}",
    "/sv/errata?{}",
)
"""Unknown parameters, parameters that a page knows, and missing pages."""


def measure(*, quick: bool = False) -> Iterator[Line]:
    with TemporaryDirectory(prefix="gluepot-bench-", ignore_cleanup_errors=True) as folder:
        run([sys.executable, "-c", f"from benchmarks.board import fill; fill({folder!r}, 100)"], check=True)
        with served(Path(folder)) as (address, process):
            get(address, PAGE)
            for source in ("127.0.0.1", "127.0.0.9"):
                whose = "the same address" if source == "127.0.0.1" else "another address"
                name = f"{HALF_OPEN} half-open, {SLOW} slow connections; visitors from {whose}, p95"
                yield Line(name, beside(address, source), "ms", 300)
            before = memory(process)
            number = ADDRESSES // 100 if quick else ADDRESSES
            ask_many(address, number)
            yield Line("memory of the site before", before, "MB")
            yield Line(f"memory of the site after {number:,} distinct addresses", memory(process), "MB", 400)


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    words = [sys.executable, "-m", "gluepot", "board", "serve", "--dir", str(folder), "--port", "0"]
    process = Popen(words, stdout=PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[0].rstrip("/"), process.pid
    finally:
        process.terminate()
        process.wait(60)


def beside(address: str, source: str) -> float:
    """Return the 95th percentile of visitors' latency in milliseconds while others hold connections open."""
    port = urlsplit(address).port or 0
    ended = threading.Event()
    with ExitStack() as stack:
        strangers = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(HALF_OPEN + SLOW)]
        for one in strangers:
            one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        dripping = threading.Thread(target=drip, args=[strangers[HALF_OPEN:], ended])
        dripping.start()
        times = [ask(port, source) for _ in range(REQUESTS)]
        ended.set()
        dripping.join()
    return 1000 * quantiles(times, n=20)[-1]


def drip(connections: list[socket.socket], ended: threading.Event) -> None:
    while not ended.wait(0.1):
        for one in connections:
            try:
                one.send(b"x")
            except OSError:  # timed out
                continue


def ask(port: int, source: str) -> float:
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(source, 0))
    connection.request("GET", PAGE)
    connection.getresponse().read()
    connection.close()
    return time.perf_counter() - began


def ask_many(address: str, number: int) -> None:
    """Request distinct URLs over four keep-alive connections."""
    place = urlsplit(address)

    def part(first: int) -> None:
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
        for one in range(first, number, 4):
            connection.request("GET", SHAPES[one // 4 % len(SHAPES)].format(one), headers={"Accept-Encoding": "gzip"})
            connection.getresponse().read()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(part, range(4)))


def memory(process: int) -> float:
    """Return the current resident memory of a process in megabytes."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000


if __name__ == "__main__":
    for line in measure(quick="--quick" in sys.argv):
        print(f"{line.name}: {line.value:.1f} {line.unit}{'' if line.holds else ' – too much'}", flush=True)
