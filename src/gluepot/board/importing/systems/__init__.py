"""Resolution of the system that an entry belongs to: identity, name and owner."""
