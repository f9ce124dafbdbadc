"""Votes: assignment of items to raters, storage of answers, and adjudication by the keeper."""
