"""Code that commands share: arguments, tables, progress, interrupts, exit codes."""
