"""Models without a net: trivial answers, TF-IDF with classical estimators, a random field for tags, the lead of a text."""
