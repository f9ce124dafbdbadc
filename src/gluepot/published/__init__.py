"""Extensions of the published suites beyond their declarations, one module or package per suite: a plug-in like any other."""

from gluepot.published import basqueglue, russian_superglue, scandeval, superlim, supersim

__all__ = ["basqueglue", "russian_superglue", "scandeval", "superlim", "supersim"]
