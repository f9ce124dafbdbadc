"""Command lines as argparse reads them; what is wrong with one is told without the keys that are in it."""

from argparse import ArgumentParser
from typing import NoReturn

from gluepot.masking import mask_secrets


class Parser(ArgumentParser):
    """Subcommands get parsers of the same class."""

    def error(self, message: str) -> NoReturn:
        super().error(mask_secrets(message))
