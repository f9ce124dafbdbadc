"""A run on disk: predictions, manifest, where its numbers come from."""
