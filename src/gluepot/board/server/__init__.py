"""Web server and database of the board: settings, URLs, limits and error handling."""
