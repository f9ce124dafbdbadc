"""Submissions to a busy board: time until the private score, and latency for visitors during many uploads.

python -m benchmarks.uploads [MINUTES] [UPLOADS A MINUTE]

Superlim with real submissions if GLUEPOT_DATA and GLUEPOT_SUBMISSIONS have them, else the bundled suite. Loopback only.
"""

import gzip
import http.client
import io
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from benchmarks.board import get
from benchmarks.commands import find_submission

MINUTES, RATE, READING = 10.0, 20.0, 5.0
"""Duration in minutes, uploads per minute, pages per second."""
ALONE, PAGES = 5.0, 0.3
"""Targets: seconds until a single submission is scored on an otherwise idle machine, and the p95 of pages under load."""
PATIENCE = 120.0
"""Seconds to wait for scores after the last upload."""
SWAPPED = 0.1
"""Share of text answers in a file that are swapped, so that no submission is nearly identical to another."""


@dataclass(frozen=True)
class Outcome:
    """Results of the test."""

    suite: str
    alone: float
    """Seconds from the first byte of an upload to its private score, on an idle board."""
    processor: float
    """CPU seconds of site, worker and database for it."""
    sent: int
    scored: int
    waits: list[float]
    """Seconds from queueing to the score."""
    pages: list[float]
    """Seconds of each page, from its scheduled time."""


def variant(source: Path, seed: int) -> bytes:
    """Return the files of a submission as a zip with some of its answers swapped."""
    rng, packed = Random(seed), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(source.rglob("*.jsonl")):
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            texts = [row for row in rows if isinstance(row["prediction"], str)]
            for row in rng.sample(texts, int(SWAPPED * len(texts))):
                other = rng.choice(texts)
                row["prediction"], other["prediction"] = other["prediction"], row["prediction"]
            archive.writestr(str(path.relative_to(source)), "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    return packed.getvalue()


def prepare(folder: str, source: str, people: int) -> None:
    """Create a board with systems and `people` accounts with API keys; print the keys as JSON."""
    from gluepot.board.server.setup import open_board

    open_board(Path(folder))
    from gluepot.board.accounts.models import ApiKey, Member
    from gluepot.board.importing import import_paths
    from gluepot.board.server.database import close_database

    import_paths([Path(source)], None, lambda *_: None)
    members = [Member.objects.create_user(f"sender{number}@uploads.example") for number in range(people)]
    print(json.dumps([ApiKey.make(member, "uploads", "submit")[1] for member in members]))
    close_database()


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the address of a board with one worker, and its process id."""
    words = [sys.executable, "-m", "gluepot", "board", "serve", "--dir", str(folder), "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[0].rstrip("/"), process.pid
    finally:
        process.terminate()
        process.wait(60)


def call(address: str, key: str, method: str, path: str, body: bytes = b"", kind: str = "") -> Any:
    """Call the board's API and return its JSON response."""
    host = urlsplit(address)
    connection = http.client.HTTPConnection(host.hostname or "", host.port, timeout=60)
    headers = {"Authorization": f"Bearer {key}"} | ({"Content-Type": kind} if kind else {})
    connection.request(method, f"/api/my{path}", body, headers)
    answer = connection.getresponse()
    told = json.loads(answer.read())
    connection.close()
    if answer.status >= 300:
        raise RuntimeError(f"{method} {path}: {answer.status} {told}")
    return told


def submit(address: str, key: str, suite: str, data: bytes) -> Any:
    """Upload a file through the API, as `gluepot submit` does."""
    fields = {"suite": suite, "name": "of a benchmark"}
    edge = "gluepot-uploads-edge"
    parts = [f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    parts.append(f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="sent.zip"\r\n\r\n'.encode() + data + b"\r\n")
    body = b"".join([*parts, f"--{edge}--\r\n".encode()])
    return call(address, key, "POST", "/submissions", body, f"multipart/form-data; boundary={edge}")


def processor_seconds(root: int) -> float:
    """Return the CPU seconds of a process and its descendants, including children that have exited."""
    found: dict[int, tuple[int, float]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(entry.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    family, known = {root}, 0
    while len(family) > known:
        known = len(family)
        family |= {number for number, (parent, _) in found.items() if parent in family}
    return sum(found[number][1] for number in family if number in found)


def send_alone(address: str, key: str, suite: str, data: bytes, root: int) -> tuple[float, float]:
    """Return wall and CPU seconds from an upload to its private score."""
    spent, began = processor_seconds(root), time.monotonic()
    sent = submit(address, key, suite, data)
    while sent["state"] in ("queued", "scoring"):
        time.sleep(0.25)
        if time.monotonic() - began > PATIENCE:
            raise RuntimeError(f"no score after {PATIENCE:.0f} s: {sent['state']}")
        sent = call(address, key, "GET", f"/submissions/{sent['key']}")
    return time.monotonic() - began, processor_seconds(root) - spent


def under_load(address: str, keys: list[str], suite: str, files: list[bytes], paths: list[str], rate: float) -> list[float]:
    """Upload a file for each key at `rate` per minute while pages are requested; return the seconds of each page."""
    begin = time.monotonic() + 0.5

    def send(number: int) -> None:
        time.sleep(max(0.0, begin + number * 60 / rate - time.monotonic()))
        submit(address, keys[number], suite, files[number % len(files)])

    def read(number: int) -> float:
        due = begin + number / READING
        time.sleep(max(0.0, due - time.monotonic()))
        with suppress(TimeoutError):  # a timeout is a result, too: it counts with its duration
            get(address, paths[number % len(paths)])
        return time.monotonic() - due

    with ThreadPoolExecutor(16) as senders, ThreadPoolExecutor(16) as readers:
        sending = [senders.submit(send, number) for number in range(len(keys))]
        pages = list(readers.map(read, range(int(len(keys) * 60 / rate * READING))))
        for one in sending:
            one.result()
    return pages


def wait_for_scores(address: str, keys: list[str]) -> list[float]:
    """Return the seconds from queueing to the score of all submissions scored in time."""
    from datetime import datetime

    end, waits = time.monotonic() + PATIENCE, []
    while json.loads(plain(address, "/status.json"))["oldest"] is not None and time.monotonic() < end:
        time.sleep(1)
    for key in keys:
        for one in call(address, key, "GET", "/submissions"):
            if one["scored"]:
                waits.append((datetime.fromisoformat(one["scored"]) - datetime.fromisoformat(one["queued"])).total_seconds())
    return waits


def plain(address: str, path: str) -> bytes:
    body = get(address, path)[1]
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body


def reading_pages(address: str, suite: str) -> list[str]:
    """Return pages that visitors read: home, the suite's, submission and status pages."""
    version = next(line["version"] for line in json.loads(plain(address, "/api/suites")) if line["name"] == suite)
    home = f"/b/{suite}/{version}"
    return ["/", home, f"{home}/tasks", f"{home}?ci=95", f"{home}/frontier", f"/submit/{suite}", "/status"]


def play(folder: Path, source: Path, suite: str, minutes: float, rate: float) -> Outcome:
    """Measure one submission alone, then many while pages are requested."""
    count = max(1, round(minutes * rate))
    words = f"from benchmarks.uploads import prepare; prepare({str(folder)!r}, {str(source.parent)!r}, {count + 2})"
    keys = json.loads(subprocess.run([sys.executable, "-c", words], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])
    files = [variant(source, seed) for seed in range(min(count, 40) + 2)]
    with served(folder) as (address, root):
        pages = reading_pages(address, suite)
        for path in pages:
            get(address, path)
        send_alone(address, keys.pop(), suite, files.pop(), root)  # the first one finds empty caches and nothing loaded
        alone, processor = send_alone(address, keys.pop(), suite, files.pop(), root)
        seconds = under_load(address, keys, suite, files, pages, rate)
        waits = wait_for_scores(address, keys)
    return Outcome(suite, alone, processor, len(keys), len(waits), waits, seconds)


def sample_folder(folder: Path) -> Path:
    """Write a submission to the bundled suite, if no real one is available."""
    from gluepot.board.submitting.intake.sample import sample_zip
    from gluepot.tasks.declarations import load_suite

    with zipfile.ZipFile(io.BytesIO(sample_zip(load_suite("pocket")))) as archive:
        archive.extractall(folder / "systems" / "sample")
    return folder / "systems" / "sample"


def main(minutes: float = MINUTES, rate: float = RATE) -> int:
    real = find_submission() if os.environ.get("GLUEPOT_DATA") else None
    with TemporaryDirectory(prefix="gluepot-uploads-", ignore_cleanup_errors=True) as folder:
        source, suite = (real, "superlim") if real else (sample_folder(Path(folder)), "pocket")
        played = play(Path(folder) / "board", source, suite, minutes, rate)
    late = quantiles(played.pages, n=20)[-1]
    print(f"{played.suite}: a submission alone has its private score after {played.alone:.2f} s; {played.processor:.2f} CPU-seconds")
    print(f"{played.scored} of {played.sent} uploads scored at {rate:g} a minute; seconds until then, median and longest:", end=" ")
    print(f"{median(played.waits or [0]):.1f}, {max(played.waits, default=0):.1f}")
    print(f"{len(played.pages)} pages meanwhile: median {median(played.pages) * 1000:.0f} ms, p95 {late * 1000:.0f} ms")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return 0 if played.alone < ALONE and played.scored == played.sent and late < PAGES else 1


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
