"""Pair classification: two texts (premise and hypothesis, question and passage, sentence and topic) get one label."""

from gluepot.tasks.answers import LABEL
from gluepot.tasks.kinds import Kind, declare

KIND = declare(Kind("pair-classification", "Two texts get one label.", LABEL, ("text", "pair"), texts=("text", "pair")))
