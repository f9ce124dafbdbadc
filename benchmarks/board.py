"""Board with 2,000 systems × 15 tasks and with 5,000 × 40: responses under load, page sizes, and script time in Chromium."""

import gzip
import http.client
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from gluepot.records import Suite

SYSTEMS, RATE, SECONDS = 2000, 20, 30
MANY, WIDE = 5000, 40
"""Systems and tasks of a board larger than any known one."""
PAGE = "/b/superlim/2.0.4"
SORTS = ["", "sort=-swenli", "sort=name", "sort=parameters", "split=dev", "ci=95", "page=2", "page=3", "q=org1", "sort=-swefaq&ci=95"]
FILTERS = ["fam=Encoder", "pmax={}M", "tasks=swefaq,swenli&pmax={}M", "w=swenli:{}", "fam=Decoder&pmin={}M", "pmax={}M&open=weights"]
CLICKS = """(key) => { const started = performance.now();
  document.querySelector(`a.sort[data-key="${key}"], th[data-key="${key}"] a.sort`).click();
  document.body.offsetHeight; return performance.now() - started; }"""
TYPED = """(text) => { const box = document.getElementById("q"); box.value = text; const started = performance.now();
  box.dispatchEvent(new Event("input", { bubbles: true })); document.body.offsetHeight; return performance.now() - started; }"""


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def holds(self) -> bool:
        return self.limit is None or self.value <= self.limit


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Yield all rows; `quick` uses 100 systems and three seconds."""
    with TemporaryDirectory(prefix="gluepot-bench-", ignore_cleanup_errors=True) as folder:
        filling = f"from benchmarks.board import fill; fill({folder!r}, {100 if quick else SYSTEMS})"
        subprocess.run([sys.executable, "-c", filling], check=True)
        with served(Path(folder)) as address:
            yield from under_load(address, 3 if quick else SECONDS)
            yield Line("quality page, first 500 rows, compressed", size(address, PAGE) / 1000, "kB", 100)
            yield Line("the same with intervals", size(address, f"{PAGE}?ci=95") / 1000, "kB", 100)
            yield from in_browser(address)
    with TemporaryDirectory(prefix="gluepot-bench-", ignore_cleanup_errors=True) as folder:
        filling = f"from benchmarks.board import fill; fill({folder!r}, {100 if quick else MANY}, {WIDE}, ('test',))"
        subprocess.run([sys.executable, "-c", filling], check=True)
        with served(Path(folder)) as address:
            yield from wide(address, 3 if quick else SECONDS)


def wide(address: str, seconds: int) -> Iterator[Line]:
    """Measure the default page, and new combinations of options, of a very large board after warm-up."""
    for path in ("/", PAGE):
        get(address, path)
    usual = times(address, [PAGE] * (5 * seconds), 5)
    yield Line(f"quality page of {MANY:,} systems × {WIDE} tasks at 5 requests/s, p95", 1000 * quantiles(usual, n=20)[-1], "ms", 500)
    rng = Random(0)
    mixed = times(address, [_address(rng, number) for number in range(5 * seconds)], 5)
    yield Line("the same, mixed, p95", 1000 * quantiles(mixed, n=20)[-1], "ms", 500)


def widened(suite: "Suite", tasks: int) -> "Suite":
    """Return the suite with copies of its tasks added up to the given number."""
    from msgspec.structs import replace

    known = list(suite.tasks.values())
    copies = {f"{known[n % len(known)].name}-{n}": known[n % len(known)] for n in range(len(known), tasks)}
    return replace(suite, tasks={**suite.tasks, **{name: replace(task, name=name) for name, task in copies.items()}})


def fill(folder: str, systems: int, tasks: int = 0, splits: tuple[str, ...] = ("dev", "test")) -> None:
    """Fill a board with synthetic systems that have scores, intervals and replicates on `tasks` tasks (default: all of Superlim's)."""
    import msgspec
    import numpy as np

    from gluepot.board.server.setup import open_board

    open_board(Path(folder))
    from gluepot.board.models import Entry, Revision, Score, SuiteVersion, System
    from gluepot.tasks.declarations import load_suite

    suite = widened(load_suite("superlim"), tasks)
    version = SuiteVersion.objects.create(name=suite.name, version=suite.version, declaration=msgspec.to_builtins(suite))
    rng = np.random.default_rng(0)
    shared = {name: rng.normal(0, 0.01, 1000) for name in suite.tasks}
    made = [
        System(
            slug=f"system-{n}",
            name=f"Org{n % 37}/system-{n}-base-swedish",
            family=["Encoder", "Decoder", "Classical"][n % 3],
            parameters=int(10 ** rng.uniform(7, 10.5)) if n % 11 else None,
            data_size=float(rng.integers(1, 2000)) if n % 5 else None,
            languages=["sv"] if n % 2 else ["sv", "da"],
            open_weights=bool(n % 2),
        )
        for n in range(systems)
    ]
    System.objects.bulk_create(made)
    entries = [Entry(system=one, suite=version, kind="run", source="made up", digest=one.slug, gluepot="0") for one in made]
    Entry.objects.bulk_create(entries)
    for entry in entries:
        quality = rng.normal(0.5, 0.15)
        scores = []
        for split in splits:
            for task in suite.tasks.values():
                value = quality + rng.normal(0, 0.05)
                drawn = (value + shared[task.name] + rng.normal(0, 0.02, 1000)).astype(np.float32)
                row = Score(
                    entry=entry, task=task.name, split=split, metric=task.metrics[0], n=500, verified=True, replicates=drawn.tobytes()
                )
                row.value, row.low, row.high = value, value - 0.04, value + 0.04
                scores.append(row)
        Score.objects.bulk_create(scores)
    Revision.objects.create(number=1)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    words = [sys.executable, "-m", "gluepot", "board", "serve", "--dir", str(folder), "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(60)


def get(address: str, path: str) -> tuple[float, bytes]:
    """Return the seconds and body of one request on a new connection, as from a visitor."""
    host = urlsplit(address)
    started = time.perf_counter()
    connection = http.client.HTTPConnection(host.hostname or "", host.port, timeout=60)
    connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}")
    return time.perf_counter() - started, body


def size(address: str, path: str) -> int:
    body = get(address, path)[1]
    gzip.decompress(body)
    return len(body)


def under_load(address: str, seconds: int) -> Iterator[Line]:
    """Measure at 20 requests/s: the default page, and a mix in which every tenth request is a new combination of options."""
    for split in ("test", "dev"):
        get(address, f"{PAGE}?split={split}" if split == "dev" else PAGE)
    rng = Random(0)
    usual = times(address, [PAGE] * (RATE * seconds))
    yield Line(f"quality page at {RATE} requests/s, p95", 1000 * quantiles(usual, n=20)[-1], "ms", 150)
    mixed = [_address(rng, number) for number in range(RATE * seconds)]
    found = times(address, mixed)
    yield Line("the same, sorts, pages, searches and new filters mixed, median", 1000 * median(found), "ms")
    yield Line("the same, p95", 1000 * quantiles(found, n=20)[-1], "ms", 150)


def _address(rng: Random, number: int) -> str:
    query = rng.choice(FILTERS).format(rng.randrange(100, 1000)) if number % 10 == 0 else rng.choice(SORTS)
    return f"{PAGE}?{query}" if query else PAGE


def times(address: str, paths: list[str], rate: int = RATE) -> list[float]:
    """Return the seconds of each request, counted from its scheduled time."""
    begin = time.perf_counter() + 0.2

    def ask(number: int) -> float:
        due = begin + number / rate
        time.sleep(max(0.0, due - time.perf_counter()))
        get(address, paths[number])
        return time.perf_counter() - due

    with ThreadPoolExecutor(32) as pool:
        return list(pool.map(ask, range(len(paths))))


def in_browser(address: str) -> Iterator[Line]:
    """Measure from a click to the new layout in Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        return
    from playwright.sync_api import sync_playwright

    switches = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=switches)
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable")
        page.goto(f"{address}{PAGE}")
        page.wait_for_timeout(4000)
        spent = {one["name"]: one["value"] for one in metrics.send("Performance.getMetrics")["metrics"]}
        clicks = []
        for key in ["name", "parameters", "data", "overall", "name", "data", "parameters"]:
            clicks.append(page.evaluate(CLICKS, key))
            page.wait_for_timeout(2500)
        typed = []
        for text in ["org1", "org1/", "system-7", ""]:
            typed.append(page.evaluate(TYPED, text))
            page.wait_for_timeout(2500)
        chromium.close()
    yield Line("script until the page is interactive", 1000 * spent["ScriptDuration"], "ms", 100)
    yield Line("sorting in the browser, median", median(clicks), "ms", 50)
    yield Line("searching in the browser, median", median(typed), "ms", 50)


if __name__ == "__main__":
    for line in measure(quick="--quick" in sys.argv):
        print(f"{line.name}: {line.value:.1f} {line.unit}{'' if line.holds else ' – too much'}")
