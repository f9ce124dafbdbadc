"""Where jobs run: executors, the processes of this machine, and what is said of those that die."""
