"""The stages of an evaluation, each from records to records."""
