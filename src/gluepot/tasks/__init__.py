"""Task kinds and the declarations of suites and tasks."""

from gluepot.tasks.kinds import KINDS, Kind

__all__ = ["KINDS", "Kind"]
