"""Fifty concurrent raters on a served round: latency of "answer and next", votes per item, and no losses when the server is killed.

python -m benchmarks.rounds [RATERS] [ITEMS] [SECONDS]     SECONDS: a rater's mean time per item (1)
"""

import re
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import expovariate
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from urllib.parse import urlencode, urlsplit

import numpy as np

VOTES = 20
WANTED = 150.0
"""Target for the 95th percentile in milliseconds."""


@dataclass(frozen=True)
class RoundLoad:
    """Results of the test."""

    raters: int
    answers: int
    stored: int
    most: int
    """Maximum number of votes on an item."""
    median: float
    p95: float
    cpu: float
    """Server CPU milliseconds per answer and the page that follows, excluding the database."""

    @property
    def holds(self) -> bool:
        return self.p95 < WANTED and self.answers == self.stored and self.most <= VOTES


class Browser:
    """Connection of one rater, kept alive as by a browser."""

    def __init__(self, link: str) -> None:
        self.place = urlsplit(link)
        self.connection = HTTPConnection(self.place.netloc)

    def send(self, **fields: str) -> str:
        """Submit an answer and return the page that follows."""
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        self.connection.request("POST", self.place.path, urlencode(fields), form)
        answer = self.connection.getresponse()
        answer.read()
        self.connection.request("GET", answer.headers["Location"])
        return self.connection.getresponse().read().decode()


def rate(link: str, most: int, look: float) -> list[float]:
    """Return the seconds of each answer with the page that follows."""
    browser = Browser(link)
    page = browser.send(go="consent")
    seconds: list[float] = []
    while (found := re.search(r'name="item" value="(\d+)"', page)) and len(seconds) < most:
        sleep(expovariate(1 / look) if look else 0)
        began = perf_counter()
        try:
            page = browser.send(item=found[1], question="", answer="0")
        except (HTTPException, OSError):
            break
        seconds.append(perf_counter() - began)
    return seconds


def run(place: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "gluepot", "annotate", *words], cwd=place, check=True, stdout=subprocess.DEVNULL)


def start(place: Path, what: str, *more: str) -> tuple[subprocess.Popen[str], str]:
    words = [sys.executable, "-m", "gluepot", "annotate", "open", what, "--dir", "board", "--port", "0", *more]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=place)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def rate_all(links: Sequence[str], most: int, look: float) -> list[list[float]]:
    with ThreadPoolExecutor(len(links)) as pool:
        return list(pool.map(lambda link: rate(link, most, look), links))


def processor_time(process: subprocess.Popen[str]) -> float:
    """Return the CPU seconds of a process so far; NaN if the system does not provide them."""
    path = Path(f"/proc/{process.pid}/stat")
    if not path.is_file():
        return float("nan")
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measure(raters: int = 50, items: int = 40, look: float = 1.0) -> RoundLoad:
    """Let each rater give one answer, kill and restart the server, and let them give all others."""
    sys.setswitchinterval(0.001)  # fifty raters are threads of this process, and none should wait for another
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    with TemporaryDirectory(prefix="gluepot-rounds-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        run(place, "new", "pocket/stance-sv", "--items", str(items), "--votes", str(VOTES), "--name", "load")
        process, address = start(place, "rounds/load.json", "--raters", str(raters), "--links", "links")
        links = [line.split("  ")[1] for line in (place / "links").read_text().splitlines() if "/r/" in line]
        first = rate_all(links, 1, look)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process, again = start(place, "load")
        before = processor_time(process)
        rest = rate_all([link.replace(address, again) for link in links], 100_000, look)
        cpu = processor_time(process) - before
        process.send_signal(signal.SIGINT)
        process.wait()
        run(place, "export", "load", "--dir", "board")
        exported = (place / "votes.jsonl").read_text().splitlines()
    votes = Counter(re.search(r'"item":"([^"]+)"', line)[1] for line in exported)  # type: ignore[index]
    after = [one for took in rest for one in took]
    times = np.array([one for took in first for one in took] + after) * 1000
    median, p95 = (float(np.quantile(times, share)) for share in (0.5, 0.95))
    return RoundLoad(raters, len(times), len(exported), max(votes.values()), median, p95, cpu / len(after) * 1000)


def main(raters: str = "50", items: str = "40", look: str = "1") -> int:
    found = measure(int(raters), int(items), float(look))
    stored = f"{found.answers:,} answers acknowledged, {found.stored:,} votes stored"
    print(f"{found.raters} raters, {stored}, at most {found.most} an item (asked: {VOTES})")
    print(f"answer and next: median {found.median:.0f} ms, p95 {found.p95:.0f} ms; {found.cpu:.2f} ms of the server's processor")
    return 0 if found.holds else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
