"""Inputs of makers: treebanks, tables, thesauri, questions and answers, learners' errors."""
