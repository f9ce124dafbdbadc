"""Annotation rounds: planning their size, drawing items, presenting them, and reading the answers."""
