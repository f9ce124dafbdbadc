"""Conversion of items to prompts and of generated text to answers; neither needs a model."""
