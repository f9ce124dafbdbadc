"""Command lines as argparse reads them; what is wrong with one is told without the keys that are in it."""

from argparse import SUPPRESS, ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from gluepot.masking import mask_secrets


class Parser(ArgumentParser):
    """Subcommands get parsers of the same class, and every one can be told where suites lie."""

    def __init__(self, *words: Any, **settings: Any) -> None:
        super().__init__(*words, **settings)
        where = "a folder with suites of your own, or a suite's own folder; can be repeated (also $GLUEPOT_SUITES)"
        self.add_argument("--suites", type=Path, action="append", default=SUPPRESS, metavar="DIR", help=where)

    def error(self, message: str) -> NoReturn:
        super().error(mask_secrets(message))
