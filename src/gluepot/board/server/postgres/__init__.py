"""The embedded PostgreSQL: a server that runs for as long as any process uses it, however these processes end."""
