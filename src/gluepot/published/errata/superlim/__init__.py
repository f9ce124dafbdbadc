"""Superlim: what is wrong in its tables, in what submissions state, and in its files."""

NAME = "superlim"
