"""Backup of a board into one file, with its tables, files and secret key; and restore."""
