"""Create a moderator: an account that decides what becomes public. It sets up a second factor at its first sign-in."""

import os
import sys
from argparse import ArgumentParser, Namespace
from getpass import getpass
from pathlib import Path

from gluepot.errors import WrongUse


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("email", help="the address to sign in with")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    open_board(options.dir)
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError
    from django.core.validators import validate_email

    from gluepot.board.accounts.moderators import make_moderator

    password = _password()
    try:
        validate_email(options.email)
        validate_password(password)
    except ValidationError as error:
        raise WrongUse(" ".join(error.messages)) from error
    made = make_moderator(options.email, password)
    print(f"{options.email} {'is now a moderator' if made else 'existed already and is now a moderator'}; sign in at /moderation/.")
    return 0


def _password() -> str:
    """Read the password twice from a terminal, or from a pipe or the environment; never from the command line, which others can see."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n") or os.environ.get("GLUEPOT_ADMIN_PASSWORD", "")
    first = getpass("Password: ")
    if first != getpass("Once more: "):
        raise WrongUse("the passwords differ.")
    return first
