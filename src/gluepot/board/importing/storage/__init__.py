"""Writes an entry, whole or not at all: what it changes, what is kept of a score, intervals of reported ones."""
