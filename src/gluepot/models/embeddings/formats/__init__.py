"""The files that word vectors are published in: told apart, mapped where they lie, or converted once into the cache."""
