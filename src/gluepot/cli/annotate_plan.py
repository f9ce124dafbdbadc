"""Compute how many items and raters an interval of ±X needs, also from the votes of a pilot."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from gluepot.cli.console.output import console, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--within", type=share, default=0.03, metavar="X", help="half-width of the interval (default 0.03)")
    parser.add_argument("--accuracy", type=share, default=0.9, help="expected human accuracy (default 0.9)")
    parser.add_argument("--spread", type=share, default=0.05, help="standard deviation of accuracy between raters (default 0.05)")
    parser.add_argument("--pilot", nargs="+", type=Path, metavar="VOTES", help="votes of a pilot, to estimate accuracy and spread")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise ArgumentTypeError(f"{text[:20]}: write a number between 0 and 1")
    return number


def run(options: Namespace) -> int:
    from gluepot.people.formats import read_votes
    from gluepot.people.rounds.planning import forecast_from_pilot, forecast_round
    from gluepot.statistics.agreement import UnitVotes

    if options.pilot:
        votes = UnitVotes.of((vote.item, vote.rater, str(vote.value)) for vote in read_votes(options.pilot).counted)
        forecast = forecast_from_pilot(votes, options.within)
    else:
        forecast = forecast_round(options.accuracy, options.within, options.spread)
    if options.json:
        print_json(forecast)
        return 0
    screen = console()
    known = "from the pilot" if options.pilot else "assumed"
    aim = f"±{forecast.within:g} at accuracy {forecast.accuracy:.3f} ({known})"
    screen.print(f"{pluralize(forecast.items, 'item')} for {aim}, ignoring differences between raters (Wilson).")
    screen.print(f"Raters differ by {forecast.spread:.3f} ({known}); including them, the half-width for the mean of single votes is:")
    table = Table(TableColumn("raters", figures=True), TableColumn("±", figures=True), keys=2)
    for raters, width in forecast.by_raters.items():
        table.add(str(raters), f"{width:.3f}")
    table.print(screen)
    return 0
