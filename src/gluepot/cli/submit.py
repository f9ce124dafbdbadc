"""Submit predictions to a board: check them locally, send them, and wait for the private score.

A command or an image can be submitted instead, with its tasks: the board runs and measures it once a moderator approves.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.output import number, print_json, span
from gluepot.cli.console.problems import listed, total
from gluepot.errors import GluepotError, WrongUse

if TYPE_CHECKING:
    from gluepot.records import Problem, Suite
    from gluepot.submissions.sending import BoardAnswer, RemoteBoard, ReportedScore, ReportedTaskScore

KEY = "GLUEPOT_KEY"
PROGRAMS = ("command:", "container:")
VERDICTS = {"undecided": "cannot be told apart"}
"""The site's wording for a task compared with the best on the board."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "path",
        metavar="RUN|FOLDER|ZIP|FILE|PROGRAM",
        help="a run, predictions in the suite's format, command:'…' or container:…@sha256:…",
    )
    parser.add_argument("places", nargs="*", metavar="SUITE/TASK", help="the tasks to run a program on")
    parser.add_argument(
        "--files",
        type=Path,
        nargs="+",
        default=[],
        metavar="PATH",
        help="files and folders of a command in addition to those on its command line",
    )
    parser.add_argument("--to", metavar="URL", help="the board: https://board.example.org")
    parser.add_argument("--suite", help="the suite, if neither the run nor the file names contain it")
    parser.add_argument("--task", default="", help="the task of a single file, whatever its name")
    parser.add_argument("--name", help="name of the system (default: that of the run, folder or file)")
    parser.add_argument("--team", type=bounded_int(1, 2**31 - 1), help="number of the team to submit for (default: your own)")
    parser.add_argument("--draft", action="store_true", help="store the submission without scoring it")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the score")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.submissions.sending import RemoteBoard, pack

    if not options.to:
        raise WrongUse("--to URL is required: the address of the board, such as https://board.example.org.")
    key = os.environ.get(KEY, "")
    if not key:
        raise WrongUse(f"a key is required: create one under Account on the board, then export {KEY}=gluepot_…")
    if options.path.startswith(PROGRAMS):
        return propose(RemoteBoard(options.to, key), options)
    if options.places or options.files:
        raise WrongUse("tasks and --files are for programs: command:'…' or container:…. Predictions identify their tasks themselves.")
    sent = Path(options.path)
    suite, path = find_predictions(sent, options.suite)
    problems = check_locally(suite, path, options.task)
    if problems:
        return _refuse(problems, options, sent=False)
    board = RemoteBoard(options.to, key)
    fields = {"suite": suite.name, "name": options.name or sent.resolve().stem, "task": options.task}
    fields |= {"team": str(options.team)} if options.team else {}
    fields |= {"draft": "true"} if options.draft else {}
    return _end(board, board.submit(fields, *pack(path)), options)


def propose(board: "RemoteBoard", options: Namespace) -> int:
    """Submit a program instead of predictions, for tasks of one suite."""
    from gluepot.submissions.sent_programs import pack_program
    from gluepot.tasks.declarations import find

    kind, _, words = options.path.partition(":")
    if not options.name:
        raise WrongUse("--name is required: the name of the system.")
    if options.draft or options.task:
        raise WrongUse("--draft and --task are for predictions; a program is given with its tasks: SUITE/TASK…")
    found = [find(place) for place in options.places]
    if len({suite.name for suite, _ in found}) != 1:
        raise WrongUse("the tasks of a program must be from one suite: gluepot submit command:'…' SUITE/TASK… --to URL")
    tasks = [task.name for suite, one in found for task in ([one] if one else suite.tasks.values())]
    fields = {"suite": found[0][0].name, "name": options.name, "program": options.path, "tasks": ",".join(dict.fromkeys(tasks))}
    fields |= {"team": str(options.team)} if options.team else {}
    data = pack_program(words, options.files) if kind == "command" else b""
    return _end(board, board.submit_program(fields, "program.zip", data), options)


def _end(board: "RemoteBoard", answer: "BoardAnswer", options: Namespace) -> int:
    """Report the board's answer, and return the exit code."""
    if answer.status == 422 and answer.refusal.problems:
        return _refuse(answer.refusal.problems, options, sent=True)
    if answer.status != 201:
        raise GluepotError(_why(answer))
    return _tell(board, answer, options)


def find_predictions(path: Path, named: str | None) -> "tuple[Suite, Path]":
    """Return the suite and the predictions to send; for a run, those of its first seed."""
    from gluepot.runs.storage.manifest import read_manifest
    from gluepot.runs.storage.store import RunFolder, find_run
    from gluepot.tasks.declarations import load_suite

    folder = find_run(path)
    if folder is not None:
        run = RunFolder(path)
        identity = read_manifest(run).identity
        return load_suite(named or identity.suite), run.path / "predictions" / f"seed-{identity.seeds[0]}"
    if named:
        return load_suite(named), path
    return _guess_suite(path), path


def _guess_suite(path: Path) -> "Suite":
    from gluepot.submissions.opening.bundles import open_bundle
    from gluepot.submissions.opening.targets import path_task
    from gluepot.submissions.problems import Problems
    from gluepot.tasks.declarations import load_suites

    suites = load_suites()
    with open_bundle(path, Problems()) as bundle:
        votes = Counter(suite.name for entry in bundle.entries for suite in suites if path_task(suite, entry.name))
    if not votes:
        raise WrongUse(f"{path}: no file in it is named after a task. Give the suite with --suite.")
    best = votes.most_common(1)[0][0]
    return next(suite for suite in suites if suite.name == best)


def check_locally(suite: "Suite", path: Path, task: str) -> "list[Problem]":
    """Return the problems that the board would find, before anything is sent; empty if the items are not available here."""
    from gluepot.errors import unknown
    from gluepot.submissions.reading import read_submission

    if task and task not in suite.tasks:
        raise WrongUse(f"{suite.name} has {unknown('task', task, suite.tasks)}")
    return read_submission(suite, path, task=suite.tasks.get(task), split=suite.score_split if task else None).problems.listed()


def _refuse(problems: "list[Problem]", options: Namespace, *, sent: bool) -> int:
    if options.json:
        print_json({"state": "refused", "problems": problems})
    for line in listed(problems):
        print(line, file=sys.stderr)
    print(f"{total(problems)}; {'the board stored nothing' if sent else 'nothing was sent'}.", file=sys.stderr)
    return 1


def _why(answer: "BoardAnswer") -> str:
    told = answer.refusal
    reason = told.detail or f"the board answered with status {answer.status}."
    return f"{reason} The next slot is free at {told.next}." if told.next else reason


def _tell(board: "RemoteBoard", answer: "BoardAnswer", options: Namespace) -> int:
    found = answer.submission
    print(f"{found.name}: {found.state}; {board.address}{found.page}", file=sys.stderr)
    if not (options.draft or options.no_wait):
        answer = board.wait(found.key)
        found = answer.submission
    if options.json:
        print_json(answer.document)
    elif found.score:
        _print_score(found.score)
    if found.state == "proposed":
        print("It waits for a moderator to approve it; its page shows the progress.", file=sys.stderr)
    if found.state == "failed":
        raise GluepotError(f"it could not be scored: {found.reason}")
    return 0


def _note(task: "ReportedTaskScore") -> str:
    return " (your best so far; this one is not significantly better)" if task.repeated else ""


def _places(score: "ReportedScore") -> str:
    """Format the rank, or its range."""
    low, high = score.rank_low or score.rank, score.rank_high or score.rank
    return f"{low}" if low == high else f"{low}–{high}"


def _print_score(score: "ReportedScore") -> None:
    for task in score.tasks:
        verdict = VERDICTS.get(task.verdict, task.verdict) + _note(task)
        print(f"{task.title:<32} {number(task.value):>7}  {span(task.low, task.high):<13}  {verdict}")
    if score.overall is not None:
        place = _places(score)
        value = f"{number(score.overall)} ({span(score.low, score.high)})"
        print(f"overall {value}: rank {place} of {score.of} if published.")
