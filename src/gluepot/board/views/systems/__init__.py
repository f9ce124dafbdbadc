"""The page of one system: its scores, and what they rest on."""
