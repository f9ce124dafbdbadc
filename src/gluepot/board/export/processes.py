"""Processes that write a copy: the current one alone, or several that each open the board themselves."""

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from django.utils import translation

from gluepot.board.export.naming import Address
from gluepot.board.export.plan import ExportPlan
from gluepot.board.export.visiting import VisitedPage, Visitor
from gluepot.board.server.setup import FOLDER, open_for_reading
from gluepot.process_pools import stop

if TYPE_CHECKING:
    from gluepot.board.export.crawling import Crawl

CHUNK = 150
"""Files that a process rewrites at a time."""
_visitor: Visitor | None = None


class Processes:
    """Visits pages and rewrites files in `number` processes, or in the current one if `number` is 1."""

    def __init__(self, number: int, folder: Path, plan: ExportPlan) -> None:
        self.number = max(1, number)
        self.own = Visitor(folder, plan)
        self.pool: ProcessPoolExecutor | None = None
        if self.number > 1:
            board = os.environ[FOLDER]
            self.pool = ProcessPoolExecutor(self.number, get_context("spawn"), initializer=open_for_reading, initargs=(board,))

    def visit(self, numbered: Sequence[tuple[int, Address]]) -> "Future[list[VisitedPage]]":
        if self.pool is not None:
            return self.pool.submit(_visit, self.own.folder, self.own.plan, numbered)
        done: Future[list[VisitedPage]] = Future()
        with translation.override(translation.get_language()):  # rendering a page changes the active language
            done.set_result(self.own.visit(numbered))
        return done

    def rewrite(self, crawl: "Crawl") -> None:
        """Make every file of the copy independent of the site."""
        names = list(crawl.kept)
        if self.pool is None:
            return _rewrite(crawl, names)
        chunks = [names[start : start + CHUNK] for start in range(0, len(names), CHUNK)]
        for future in [self.pool.submit(_rewrite, crawl, chunk) for chunk in chunks]:
            future.result()
        return None

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.pool is not None and error is not None:
            stop(self.pool, idle=False)
        elif self.pool is not None:
            self.pool.shutdown()


def _visit(folder: Path, plan: ExportPlan, numbered: Sequence[tuple[int, Address]]) -> list[VisitedPage]:
    global _visitor
    if _visitor is None:
        _visitor = Visitor(folder, plan)
    return _visitor.visit(numbered)


def _rewrite(crawl: Any, names: Sequence[str]) -> None:
    from gluepot.board.export.rewriting import rewrite

    for name in names:
        rewrite(crawl.folder, name, crawl.kept[name], crawl)
