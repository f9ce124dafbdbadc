"""Item browser: items with the answers of systems, loaded once, filtered by a query and rendered safely."""
