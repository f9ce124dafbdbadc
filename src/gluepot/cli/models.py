"""List the available models."""

from argparse import ArgumentParser, Namespace

from gluepot.cli.console.output import console, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.models import ADAPTERS
from gluepot.models.names import prompt_names


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    rows = [
        (f"{info.name}:{info.argument}" if info.argument else info.name, info.summary) for info in map(ADAPTERS.__getitem__, prompt_names())
    ]
    if options.json:
        print_json({"models": [{"name": name, "summary": summary} for name, summary in rows]})
        return 0
    table = Table(TableColumn("model"), TableColumn("summary", prose=True), keys=2, header=False)
    for row in rows:
        table.add(*row)
    table.print(console())
    return 0
