"""Images of programs: run by an engine where one runs, unpacked into the sandbox where none does; the same limits, the same report."""
