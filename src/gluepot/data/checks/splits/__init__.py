"""Checks of splits: their sizes, and what they share."""
