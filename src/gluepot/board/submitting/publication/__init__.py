"""From a private score to the board: the facts that are asked, decisions about them, what becomes public."""
