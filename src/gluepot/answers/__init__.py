"""Forms of answers, one module per form."""

from gluepot.answers.entity import Entity
from gluepot.answers.form import Answer
from gluepot.answers.index import Index
from gluepot.answers.index_set import IndexSet
from gluepot.answers.label import Label
from gluepot.answers.number import Number
from gluepot.answers.tags import Tags
from gluepot.answers.text import Summary, Text, Word

__all__ = [
    "ENTITY",
    "INDEX",
    "INDEX_SET",
    "LABEL",
    "NUMBER",
    "SUMMARY",
    "TAGS",
    "TEXT",
    "WORD",
    "Answer",
    "Entity",
    "Index",
    "IndexSet",
    "Label",
    "Number",
    "Summary",
    "Tags",
    "Text",
    "Word",
]

LABEL, NUMBER, INDEX = Label("label"), Number("number"), Index("index")
INDEX_SET, TAGS = IndexSet("index-set"), Tags("tags")
TEXT, WORD, SUMMARY, ENTITY = Text("text"), Word("text"), Summary("text"), Entity("text")
