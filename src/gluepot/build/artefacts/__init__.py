"""Annotation artefacts: one-feature rules, partial-input models, and copies between splits."""
