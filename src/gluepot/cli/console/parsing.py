"""Command-line parsing with argparse; keys are masked in its error messages."""

from argparse import SUPPRESS, ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from gluepot.masking import mask_secrets


class Parser(ArgumentParser):
    """Parser with the option `--suites`, which the parsers of subcommands have as well."""

    def __init__(self, *words: Any, **settings: Any) -> None:
        super().__init__(*words, **settings)
        where = "a folder with suites of your own, or a suite's own folder; can be repeated (also $GLUEPOT_SUITES)"
        self.add_argument("--suites", type=Path, action="append", default=SUPPRESS, metavar="DIR", help=where)

    def error(self, message: str) -> NoReturn:
        super().error(mask_secrets(message))
