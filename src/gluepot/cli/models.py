"""List the models that `evaluate` knows."""

from argparse import ArgumentParser, Namespace

from gluepot.cli.output import print_json
from gluepot.models import ADAPTERS


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    rows = [(f"{info.name}:{info.argument}" if info.argument else info.name, info.summary) for info in map(ADAPTERS.__getitem__, ADAPTERS)]
    if options.json:
        print_json({"models": [{"name": name, "summary": summary} for name, summary in rows]})
        return 0
    width = max(len(name) for name, _ in rows)
    for name, summary in rows:
        print(f"{name:<{width}}  {summary}")
    return 0
