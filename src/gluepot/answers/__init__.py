"""The forms that an answer can take, one module each."""

from gluepot.answers.entity import Entity
from gluepot.answers.form import Answer
from gluepot.answers.index import Index
from gluepot.answers.index_set import IndexSet
from gluepot.answers.label import Label
from gluepot.answers.number import Number
from gluepot.answers.tags import Tags
from gluepot.answers.text import Text

__all__ = ["ENTITY", "INDEX", "INDEX_SET", "LABEL", "NUMBER", "TAGS", "TEXT", "Answer"]

LABEL, NUMBER, INDEX = Label("label"), Number("number"), Index("index")
INDEX_SET, TAGS, TEXT, ENTITY = IndexSet("index-set"), Tags("tags"), Text("text"), Entity("text")
