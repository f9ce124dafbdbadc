"""Non-neural baselines: trivial answers, TF-IDF with classical estimators, a conditional random field, the lead of a text."""
