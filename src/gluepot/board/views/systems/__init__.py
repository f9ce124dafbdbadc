"""System page: the scores of a system and their provenance."""
