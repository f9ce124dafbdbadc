"""Errata of Russian SuperGLUE: its leaderboard, its figures and its files."""

NAME = "russian-superglue"
