"""Passes through a model: prompts packed behind a shared prefix, likelihoods of options, and generation."""
