"""Passes through a model: prompts packed behind a shared prefix, what options are likely, what is written."""
