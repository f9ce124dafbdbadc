"""From a corpus to a declared task: makers, the frame that they share, and the report on what gives answers away."""
