"""Toy suite in Faroese with its plug-ins; importing this module registers everything."""

from pathlib import Path

from gluepot.tasks.search_path import add_suites
from gluepot_faroe import kinds, metrics, models, protocols, readers, submissions

__all__ = ["kinds", "metrics", "models", "protocols", "readers", "submissions"]

add_suites(Path(__file__).parent / "suites")
