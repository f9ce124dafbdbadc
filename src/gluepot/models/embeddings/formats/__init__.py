"""File formats of word vectors: detection, memory mapping, and conversion into the cache."""
