"""Submissions: taken and checked, scored in private by a worker, published after a moderator has looked."""
