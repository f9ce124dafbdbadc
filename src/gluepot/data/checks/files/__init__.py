"""Checks of files: availability, checksums, encoding and documentation."""
