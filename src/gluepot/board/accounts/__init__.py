"""People of the board: accounts, teams, keys for programs."""
