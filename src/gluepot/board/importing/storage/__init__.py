"""Atomic storage of entries: detection of changed numbers, coverage of scores, and intervals of reported scores."""
