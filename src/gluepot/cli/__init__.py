"""The command line: one module per command, imported only when it is called, so that `--help` stays fast.

Nothing is imported here that Python has not imported anyway: `main` must be ready for Ctrl-C.
"""

import os
import sys

COMMANDS = {
    "suites": "list the declared suites and their tasks",
    "show": "show a suite, or a task with its documentation sheet",
    "new": "create a suite, or a task from a table",
    "build": "build a task from a corpus",
    "data": "fetch the official files, check them, export them",
    "models": "list the available models",
    "vectors": "train word vectors",
    "evaluate": "run a model on a suite: predict, score, report",
    "score": "score predictions in a suite's official format",
    "compare": "is one system really better than another?",
    "probe": "look for signs that a language model has seen a test set",
    "measure": "measure throughput, memory and start-up time",
    "report": "write a report on one or more runs",
    "push": "add scores to a model card",
    "redo": "repeat a run and compare its scores",
    "verify": "check a suite's scoring on its own data",
    "reproduce": "recompute published tables from published predictions",
    "human": "compute the human score of a task from votes",
    "agreement": "compute inter-annotator agreement",
    "annotate": "annotation rounds: plan, create, open to raters, export votes",
    "submit": "send predictions to a board",
    "board": "the leaderboard: import results, serve it, export it",
}
STOPPED = 130
"""Exit code after Ctrl-C: `errors.INTERRUPTED`, which is not imported here."""


def main(arguments: list[str] | tuple[str, ...] | None = None) -> int:
    """Run one command and return the exit code: 0 success, 1 negative result, 2 usage error, 3 missing data, 130 stopped by Ctrl-C."""
    try:
        if arguments is None:
            _leave_on_interrupt()
            from gluepot.cli.console.process import run_alone

            return run_alone(sys.argv[1:])
        from gluepot.cli.console.dispatch import dispatch

        return dispatch(list(arguments))
    except KeyboardInterrupt:
        print("gluepot: stopped.", file=sys.stderr)
        return STOPPED


def _leave_on_interrupt() -> None:
    """Handle Ctrl-C from the start: importing `signal` would import others first, and Python may drop an interrupt meanwhile."""
    from _signal import SIG_IGN, SIGINT, getsignal, signal  # type: ignore[import-not-found]

    if getsignal(SIGINT) != SIG_IGN:
        signal(SIGINT, leave)


def leave(*_: object) -> None:
    """Exit immediately with a message, as long as there is nothing to clean up."""
    os.write(2, b"gluepot: stopped.\n")
    os._exit(STOPPED)


def usage() -> str:
    """Return the page that `gluepot --help` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            "usage: gluepot COMMAND …",
            "",
            "Declare, check, run and rank language benchmarks.",
            "",
            *lines,
            "",
            "`gluepot COMMAND --help` shows the options. Data is read from $GLUEPOT_DATA.",
            "Exit codes: 0 success, 1 negative result, 2 usage error, 3 missing data.",
        ]
    )
