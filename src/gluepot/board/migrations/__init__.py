"""Database migrations of the board."""
