"""Export of a suite in the layout of the Hugging Face hub and its `datasets` library, with Croissant metadata."""

from gluepot.data.export.export import export_suite

__all__ = ["export_suite"]
