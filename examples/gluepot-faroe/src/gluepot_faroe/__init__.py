"""A toy suite in Faroese and what it needs beyond declarations: everything is registered as this module is imported."""

from pathlib import Path

from gluepot.tasks.search_path import add_suites
from gluepot_faroe import kinds, metrics, models, protocols, readers, submissions

__all__ = ["kinds", "metrics", "models", "protocols", "readers", "submissions"]

add_suites(Path(__file__).parent / "suites")
