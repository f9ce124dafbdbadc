"""Comparison of systems on the items that they share."""
