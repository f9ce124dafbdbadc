"""A run on disk: predictions, manifest, and the provenance of its numbers."""
