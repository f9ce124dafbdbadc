"""What every command shares: words at the prompt, tables, progress, interrupts, exit codes."""
