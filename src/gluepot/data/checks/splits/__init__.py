"""Checks of splits: their sizes and overlaps."""
