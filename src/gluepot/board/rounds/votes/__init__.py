"""Votes: which item a rater gets next, how an answer is stored, and the keeper's own where raters disagree."""
