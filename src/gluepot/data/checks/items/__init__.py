"""Checks of items: their ids, texts, options, characters and groups."""
