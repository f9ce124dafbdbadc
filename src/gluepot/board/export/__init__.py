"""Export of the public board as static files for any web server: pages in all languages, files, predictions, API documents."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from os import getpid
from pathlib import Path

import msgspec
from django.conf import settings

from gluepot import __version__
from gluepot.board.export.crawling import Crawl
from gluepot.board.export.plan import PAIRED, ExportPlan
from gluepot.board.export.processes import Processes
from gluepot.board.views.robots import RULES
from gluepot.errors import WrongUse

MANIFEST = "export.json"
"""File that identifies a folder as an exported copy."""
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Export:
    """Summary of an export."""

    gluepot: str
    revision: int
    files: int
    bytes: int
    broken: dict[str, str]
    """Broken addresses, each with a page that links to it."""


def export(target: Path, tell: Tell = lambda text: None, *, paired: int = PAIRED, jobs: int = 1) -> Export:
    """Write the copy beside the target in `jobs` processes, then move it there; an earlier copy is replaced, anything else refused."""
    target = target.resolve()
    refuse_others(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (target.parent / f".{target.name}.{getpid()}.{state}" for state in ("new", "old"))
    try:
        fresh.mkdir()
        done = write_copy(fresh, tell, paired, jobs)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
    return done


def refuse_others(target: Path) -> None:
    """Raise WrongUse if the target exists and is neither an empty folder nor an exported copy."""
    if target.is_dir() and (not any(target.iterdir()) or (target / MANIFEST).is_file()):
        return
    if target.exists():
        raise WrongUse(f"{target}: holds something else than an exported board. Name an empty or new folder.")


def write_copy(folder: Path, tell: Tell, paired: int, jobs: int = 1) -> Export:
    """Write all pages as the site serves them, then make them independent of it."""
    plan = ExportPlan(paired)
    crawl = Crawl(folder, plan)
    with Processes(jobs, folder, plan) as processes:
        crawl.run(processes, tell)
        tell(f"{len(crawl.files):,} pages; rewriting their links")
        rewrite(processes, crawl)
    for source in settings.STATICFILES_DIRS:
        shutil.copytree(source, folder / "static", dirs_exist_ok=True)
    (folder / "robots.txt").write_text(RULES, encoding="ascii")
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    broken = {address.url: origin.url for address, origin in crawl.broken.items()}
    done = Export(__version__, plan.revision, len(sizes) + 1, sum(sizes), broken)
    (folder / MANIFEST).write_bytes(msgspec.json.encode(done))
    return done


def rewrite(processes: Processes, crawl: Crawl) -> None:
    """Make every file independent of the site."""
    processes.rewrite(crawl)
