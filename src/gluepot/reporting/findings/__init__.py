"""What a report comes to: who leads, who cannot be told from the leader, and that in a sentence."""
