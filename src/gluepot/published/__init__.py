"""What the published suites need beyond their declarations, one module or package a suite: a plug-in like anybody's."""

from gluepot.published import basqueglue, russian_superglue, scandeval, superlim, supersim

__all__ = ["basqueglue", "russian_superglue", "scandeval", "superlim", "supersim"]
