"""Stages of an evaluation, each from records to records."""
