"""Container images of programs: run by an engine if one is available, else unpacked into the sandbox; same limits, same report."""
