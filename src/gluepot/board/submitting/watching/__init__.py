"""What moderators should look at: answers that are nearly another team's, and submissions that ask for labels rather than for scores."""
