"""How a net runs: devices and their arithmetic, threads, batches in parts that fit into memory."""
