"""English for readers everywhere."""
