"""Choice: one of several candidates is right."""

from gluepot.tasks.answers import INDEX
from gluepot.tasks.kinds import Kind, declare

KIND = declare(Kind("choice", "One of several candidates is right.", INDEX, ("text", "options"), ("context",), texts=("context", "text")))
