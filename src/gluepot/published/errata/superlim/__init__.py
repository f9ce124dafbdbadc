"""Errata of Superlim: its tables, values stated by submissions, and its files."""

NAME = "superlim"
