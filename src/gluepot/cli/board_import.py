"""Import results: runs, submissions, records of other harnesses, or folders with any of these."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from gluepot.cli.console.output import print_json
from gluepot.cli.console.threads import use_one_thread
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.records import count_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gluepot.board.importing import Change, ImportedEntry, ImportReport
    from gluepot.records import Problem

SHOWN = 20
"""Changed numbers of one system that are printed before the others are only counted."""
EACH = 5
"""Problems of one file that are printed before the others are only counted."""
LONGEST_NAME = 150


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="what to import; the type is detected automatically")
    parser.add_argument("--published", action="store_true", help="also import the published results of the declared suites")
    parser.add_argument("--suite", help="the suite, for submissions whose file names do not contain it")
    parser.add_argument("--name", type=name, help="name of the system (default: from its manifest, description or records)")
    parser.add_argument("--owner", type=name, help="owner of the system; nobody else can change it (default: you)")
    parser.add_argument("--replace", action="store_true", help="allow numbers on the board to change")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def name(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("a name is needed")
    if len(text.strip()) > LONGEST_NAME:
        raise ArgumentTypeError(f"at most {LONGEST_NAME} characters")
    return text.strip()


def run(options: Namespace) -> int:
    paths = [Path(path) for path in options.paths if path != "published" or Path(path).exists()]
    published = options.published or len(paths) < len(options.paths)
    if not paths and not published:
        raise WrongUse("nothing to import: give a PATH, or --published.")
    if options.name is not None and published:
        raise WrongUse("--name names one system; published results have their own names.")
    use_one_thread()
    from gluepot.board.server.setup import open_board
    from gluepot.tasks.declarations import load_suite

    suite = load_suite(options.suite).name if options.suite else None
    started = monotonic()
    open_board(options.dir)
    from gluepot.board.importing import import_paths, import_published
    from gluepot.board.standings.snapshots import snapshot_all

    tell = ignore_entry if options.json else print_line
    report = import_paths(paths, suite, tell, name=options.name, replace=options.replace, owner=options.owner)
    if published:
        printed = import_published(tell, replace=options.replace, owner=options.owner)
        report.lines += printed.lines
        report.problems += printed.problems
        report.changes += printed.changes
    snapshot_all()
    if options.json:
        print_json(report)
    else:
        print_closing(report, monotonic() - started)
    return 1 if report.problems else 0


def ignore_entry(line: "ImportedEntry") -> None:
    pass


def print_line(line: "ImportedEntry") -> None:
    """Print one entry, as soon as it is stored."""
    print(f"{line.kind:<10}  {line.system}  {line.suite}  {described(line)}  {line.seconds:.1f} s", flush=True)


def described(line: "ImportedEntry") -> str:
    if line.state != "imported":
        return line.state
    counts = ((line.verified, "verified"), (line.reported, "reported"), (line.measured, "measured"), (line.replaced, "replaced"))
    return ", ".join(f"{number} {what}" for number, what in counts if number) or "no score"


def print_closing(report: "ImportReport", seconds: float) -> None:
    """Print totals, notices, changes, problems and files; long lists are truncated."""
    done = report.imported
    verified, reported, measured = (sum(getattr(line, name) for line in done) for name in ("verified", "reported", "measured"))
    print(
        f"{pluralize(len(done), 'entry', 'entries')} imported, {len(report.lines) - len(done)} already there; "
        f"{pluralize(verified, 'score')} verified, {reported:,} reported, {pluralize(measured, 'measurement')}; {seconds:.1f} s."
    )
    for notice in report.notices:
        print(f"note: {notice}", file=sys.stderr)
    print_changes(report)
    for line in listed_by_file(report.problems):
        print(line, file=sys.stderr)
    if report.problems:
        print(f"{pluralize(count_problems(report.problems), 'problem')}.", file=sys.stderr)
    print_files(report)


def listed_by_file(problems: "Sequence[Problem]") -> "Iterator[str]":
    """Yield the first problems of each file, one per line, and the number of its others: no file hides another."""
    counts, listed = Counter[str](), Counter[str]()
    for problem in problems:
        listed[problem.file or ""] += (shown := not problem.count and listed[problem.file or ""] < EACH)
        counts[problem.file or ""] += problem.count or 1
        if shown:
            yield str(problem)
    for file, count in counts.items():
        if count > listed[file]:
            yield f"… {count - listed[file]:,} more of {file or 'the import'}; --json lists them."


def print_files(report: "ImportReport") -> None:
    """Print the files: counts by state, those with problems, and unrecognised ones by folder."""
    if not report.files:
        return
    states = Counter(file.state for file in report.files)
    print(f"{pluralize(len(report.files), 'file')}: {', '.join(f'{count:,} {state}' for state, count in states.most_common())}.")
    for file in report.files:
        if file.problem:
            state = file.state if file.state in ("refused", "not recognised") else "in part"
            print(f"{state}: {file.file}: {file.problem}", file=sys.stderr)
    unknown = Counter(file.file.rpartition("/")[0] or "." for file in report.files if file.state == "not recognised")
    for folder, count in unknown.most_common():
        print(f"not recognised: {pluralize(count, 'file')} in {folder}", file=sys.stderr)
    for hint in dict.fromkeys(file.hint for file in report.files if file.state == "not recognised" and file.hint):
        print(f"note: {hint}", file=sys.stderr)


def print_changes(report: "ImportReport") -> None:
    """Print the displayed numbers that were or would be changed, by system."""
    changes: dict[tuple[str, str, str, bool], list[Change]] = {}
    for change in report.changes:
        changes.setdefault((change.system, change.suite, change.source, change.replaced), []).append(change)
    for (system, suite, source, replaced), several in changes.items():
        print(f"{'changed' if replaced else 'would change'}: {system}, {suite}, from {source}", file=sys.stderr)
        for change in several[:SHOWN]:
            print(f"  {change}", file=sys.stderr)
        if len(several) > SHOWN:
            print(f"  … {len(several) - SHOWN:,} more; --json lists them.", file=sys.stderr)
