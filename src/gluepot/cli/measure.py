"""Measure a model's cost on a task: throughput, memory, start-up time, latency and CPU time, with the score of the same answers.

The model runs as a separate program, in rounds of growing length. The raw records of every run are stored; `--from` recomputes the
figures from such records, including those of other harnesses in the same layout.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.bounds import MANY
from gluepot.cli.console.numbers import bounded_float, bounded_int
from gluepot.cli.console.output import console, number, plain, print_json, print_notices
from gluepot.cli.console.settings import add_settings, given_settings
from gluepot.cli.console.signals import exit_code, raise_on_sigterm
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.errors import WrongUse
from gluepot.models.settings import BATCH_SIZE

if TYPE_CHECKING:
    from gluepot.efficiency.figures import FigureReport, Figures
    from gluepot.models import ModelName

RECORDS, BATCH, REPEATS = 2000, 32, 5
"""The paper's values, repeated here because the module that defines them is too heavy for `--help`."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a model as for evaluate, command:'…' … (see `gluepot models`)")
    parser.add_argument("places", nargs="*", metavar="SUITE/TASK", help="tasks, or a suite for all its tasks")
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER", help="compute the figures from existing raw records")
    parser.add_argument(
        "--out", type=Path, default=Path("measurements"), metavar="DIR", help="folder for the raw records (default measurements/)"
    )
    parser.add_argument(
        "--records", type=bounded_int(4, MANY), default=RECORDS, metavar="N", help=f"records in the longest run (default {RECORDS})"
    )
    parser.add_argument("--batch-size", type=bounded_int(1, MANY), default=BATCH, metavar="N", help=f"batch size (default {BATCH})")
    parser.add_argument(
        "--repeats", type=bounded_int(1, 1000), default=REPEATS, metavar="N", help=f"rounds; more if they differ (default {REPEATS})"
    )
    parser.add_argument("--split", help="the split to use (default: the suite's, or dev if its answers are not public)")
    parser.add_argument("--protocol", default="suite", help="training protocol for encoders: quick, or the name of a suite")
    parser.add_argument(
        "--price-per-hour",
        type=bounded_float(MANY),
        metavar="MONEY",
        help="price of an hour on this machine, to report the cost of a million records",
    )
    parser.add_argument("--calibrate", action="store_true", help="run a short fixed workload first, to compare machines")
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="also write a page that plots quality, speed and memory of everything in --out or --from"
    )
    parser.add_argument("--tasks", default="", metavar="NAMES", help="tasks to plot, separated by commas (default: their mean, and each)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")
    add_settings(parser, without=(BATCH_SIZE,))


def run(options: Namespace) -> int:
    with raise_on_sigterm():
        try:
            return _run(options)
        except KeyboardInterrupt as told:
            print("\nStopped. Records of completed runs are kept.", file=sys.stderr)
            return exit_code(told)


def _run(options: Namespace) -> int:
    from gluepot.efficiency.figures import find_records, read_figures

    if bool(options.source) == bool(options.model):
        raise WrongUse("give a model and tasks, or raw records: gluepot measure MODEL SUITE/TASK…, gluepot measure --from FOLDER.")
    report = read_figures(find_records(options.source)) if options.source else measure_all(options)
    if options.json:
        print_json(report)
    else:
        print_figures(report.measurements)
    sys.stdout.flush()
    print_notices(report.problems)
    if options.html:
        write_page(options.html, options.source or options.out, [name.strip() for name in options.tasks.split(",") if name.strip()])
    return 1 if report.problems or any(row.failure for row in report.measurements) else 0


def write_page(path: Path, records: Path, tasks: list[str]) -> None:
    """Write a page on everything measured in the folder, not only now: a plot of one model says little."""
    from gluepot.efficiency.figures import find_records, read_figures
    from gluepot.efficiency.figures.tradeoffs import make_tradeoffs
    from gluepot.files import write_atomically
    from gluepot.reporting.tradeoffs.page import render_tradeoffs

    write_atomically(path, render_tradeoffs(make_tradeoffs(read_figures(find_records(records)).measurements, tasks)).encode())
    print(f"page: {path}", file=sys.stderr)


def measure_all(options: Namespace) -> "FigureReport":
    """Measure one task after the other."""
    from gluepot.efficiency.calibration import CAVEAT, calibrate
    from gluepot.efficiency.figures import FigureReport
    from gluepot.efficiency.hardware import read_profile
    from gluepot.efficiency.measurement.measuring import measure
    from gluepot.efficiency.measurement.requests import MeasureOptions, prepare
    from gluepot.models.pretrained.hub import check_place, resolve_commit
    from gluepot.tasks.declarations import find

    model = _model(options)
    if not options.places:
        raise WrongUse(f"name a task: gluepot measure {options.model} SUITE/TASK…")
    check_place(model)
    model = resolve_commit(model)
    chosen = [(suite, task) for suite, one in map(find, options.places) for task in ([one] if one else suite.tasks.values())]
    profile = read_profile(calibration=calibrate() if options.calibrate else None)
    print(f"on {profile.name}{f', load {profile.load:.1f}' if profile.load else ''}", file=sys.stderr)
    how = MeasureOptions(
        options.out,
        options.records,
        options.batch_size,
        options.repeats,
        options.split,
        options.protocol,
        options.time_limit,
        options.price_per_hour,
    )
    report = FigureReport()
    for suite, task in chosen:
        with prepare(model, suite, task, how, profile, lambda line: print(line, file=sys.stderr, flush=True)) as request:
            report.measurements.append(measure(request))
            print(f"records: {request.folder}", file=sys.stderr)
    print_notices([CAVEAT] if options.calibrate else [])
    return report


def _model(options: Namespace) -> "ModelName":
    from gluepot.models import parse_model
    from gluepot.models.names import grant_api_key

    given = {name: value for name, value in given_settings(options).items() if name != BATCH_SIZE.name}
    if given.get("time_limit") and not parse_model(options.model).info.setting("time_limit"):
        del given["time_limit"]
    return grant_api_key(parse_model(options.model, **given))


def print_figures(rows: "list[Figures]") -> None:
    screen = console()
    names = ("records/s", "95 % interval", "GiB", "start s", "p95 ms", "score", "paper's")
    columns = [TableColumn(name, figures=True) for name in names]
    table = Table(TableColumn("model"), TableColumn("task"), *columns, TableColumn("notes", prose=True), keys=3)
    previous = None
    for row in rows:
        first, previous = row.model != previous, row.model
        table.add(row.model if first else "", row.task, *_figures(row), "; ".join(row.notes))
    below = not table.print(screen, told_below="notes")
    for row in rows:
        if row.failure:
            screen.print(f"[bold]{plain(row.model)} {row.task}: no figures[/]: {plain(row.failure)}")
        elif row.notes and below:
            screen.print(f"{row.model} {row.task}: {'; '.join(row.notes)}", markup=False)


def _figures(row: "Figures") -> list[str]:
    return [
        speed(row.throughput),
        "" if row.throughput_low is None else f"{speed(row.throughput_low)}–{speed(row.throughput_high)}",
        number(row.memory_gib, 2),
        number(row.start_up_seconds, 1),
        number(row.latency_p95_ms, 1),
        number(row.quality.value if row.quality else None),
        speed(row.paper.throughput if row.paper else None),
    ]


def speed(value: float | None) -> str:
    """Format records per second with at least three digits.

    >>> speed(1069.7), speed(4.1234), speed(None)
    ('1,070', '4.12', '–')
    """
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f}"
