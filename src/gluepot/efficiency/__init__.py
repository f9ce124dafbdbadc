"""How fast and how large models are: raw records of their runs, the figures that follow from them, and the machine they belong to."""
