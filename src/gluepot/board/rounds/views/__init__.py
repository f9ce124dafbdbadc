"""Pages of a round: the rater's, the keeper's, and the answer form that both share."""
