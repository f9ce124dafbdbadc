"""The history of the board's tables."""
