"""Who brings a system onto the board: whoever brought it first owns its name, and nobody else changes what it shows."""

import os
import pwd

LONGEST = 150
"""Characters of a name, as Django's accounts have them."""


def current_owner() -> str:
    """The user of this process, as the system knows them: variables of the environment can say anything."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name[:LONGEST]
    except KeyError:  # a container may run as somebody whom nobody has entered
        return f"user {number}"
