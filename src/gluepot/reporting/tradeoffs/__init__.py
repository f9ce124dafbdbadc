"""What quality costs, drawn: discs over two axes, with the frontier that intervals leave."""
