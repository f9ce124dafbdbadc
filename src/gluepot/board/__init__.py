"""Web board that ranks systems, reports the uncertainty of every score and makes every number recomputable."""
