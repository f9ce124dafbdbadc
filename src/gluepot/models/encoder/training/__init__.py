"""How a net learns: the loop, its losses, what is kept of it on the way, one process a GPU."""
