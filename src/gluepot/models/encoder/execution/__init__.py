"""Execution of nets: devices and precision, threads, and batches in parts that fit into memory."""
