"""Analogy: a is to b as c is to what?"""

from gluepot.tasks.answers import TEXT
from gluepot.tasks.kinds import Kind, declare

KIND = declare(Kind("analogy", "a is to b as c is to what?", TEXT, ("a", "b", "c"), texts=("a", "b", "c")))
