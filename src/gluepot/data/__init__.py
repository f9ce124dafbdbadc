"""Where data comes from, how official files are read, what is wrong with them, and how submissions are taken."""
