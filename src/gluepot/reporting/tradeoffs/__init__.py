"""Plots of quality against cost: discs over two axes, with a frontier that allows for the intervals."""
