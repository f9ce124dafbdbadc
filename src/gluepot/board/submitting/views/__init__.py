"""The pages of people who submit."""
