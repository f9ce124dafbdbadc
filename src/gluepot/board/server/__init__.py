"""The web server and its database: settings, addresses, limits, what it does when something fails."""
