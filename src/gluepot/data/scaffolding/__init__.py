"""Suites and tasks made from nothing or from somebody's table: declarations, sheets and data to go on from."""
