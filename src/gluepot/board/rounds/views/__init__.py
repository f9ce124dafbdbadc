"""The pages of a round: a rater's and a keeper's, and the form for an answer that both show."""
