"""The embedded PostgreSQL: a server that runs for as long as somebody holds it, however its users end."""
