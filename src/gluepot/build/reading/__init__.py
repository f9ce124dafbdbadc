"""Readers of makers' inputs: treebanks, tables, thesauri, question answering, learner corpora."""
