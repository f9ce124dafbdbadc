"""Suites whose answers are hidden: where the answers live, and what a private score may tell of them."""
