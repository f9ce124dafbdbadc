"""Training of nets: the loop, its losses, checkpoints, and one process per GPU."""
