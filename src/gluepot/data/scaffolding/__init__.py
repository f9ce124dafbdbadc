"""Scaffolding of suites and tasks, empty or from a table: declarations, sheets and data."""
