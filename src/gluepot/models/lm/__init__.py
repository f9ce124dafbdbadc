"""Local language models with transformers: likelihoods of options, free generation and generation within a grammar."""
