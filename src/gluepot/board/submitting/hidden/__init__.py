"""Suites with hidden labels: storage of the labels, and limits on what a private score reveals about them."""
