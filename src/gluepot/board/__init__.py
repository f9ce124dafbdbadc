"""The board: a site that ranks systems, shows how sure it is, and lets everybody recompute it."""
