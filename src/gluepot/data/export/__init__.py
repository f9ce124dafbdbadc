"""A suite in the layout that the Hugging Face hub and its `datasets` library load, with Croissant metadata."""

from gluepot.data.export.export import export_suite

__all__ = ["export_suite"]
