"""Ownership of systems: the first importer of a system owns its name, and nobody else can change its results."""

import os
import pwd

LONGEST = 150
"""Maximum length of an owner's name, as for Django usernames."""


def current_owner() -> str:
    """Return the user of this process from the password database, because environment variables can be set to anything."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name[:LONGEST]
    except KeyError:  # a container may run under a uid without a passwd entry
        return f"user {number}"
