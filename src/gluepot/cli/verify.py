"""Check a suite's scoring on its own data: gold answers score best, shuffled gold scores at chance, an empty submission is rejected."""

from argparse import ArgumentParser, Namespace

from gluepot.cli.console.output import console, print_json
from gluepot.errors import DataMissing
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import find


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE[/TASK]")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.runs.verification import verify

    suite, task = find(options.suite)
    checks = verify(suite, task)
    if not checks:
        raise DataMissing(f"{options.suite}: no split with answers is available. Get the files with `gluepot data fetch {suite.name}`.")
    broken = [check for check in checks if not check.holds]
    if options.json:
        print_json({"suite": suite.name, "checks": checks, "holds": not broken})
    else:
        screen = console()
        for check in checks:
            mark = "holds " if check.holds else "BROKEN"
            screen.print(f"{mark} {check.task} {check.split}: {check.claim} ({check.detail})", markup=False)
        screen.print(f"{len(checks) - len(broken)} of {pluralize(len(checks), 'claim holds', 'claims hold')}.")
    return 1 if broken else 0
