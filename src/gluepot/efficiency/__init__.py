"""Speed and size of models: raw records of their runs, figures computed from them, and the hardware they belong to."""
