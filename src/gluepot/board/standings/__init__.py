"""Standings: the state chosen by a visitor, the score matrix of a suite version, and the ranking of its systems."""
