"""Which system an entry is about: identity, name, owner."""
