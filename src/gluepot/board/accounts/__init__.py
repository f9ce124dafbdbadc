"""User accounts of the board, teams and API keys."""
