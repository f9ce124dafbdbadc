"""Features of single texts: words, word bigrams, prefixes, stems."""

from collections.abc import Mapping

from gluepot.models.features.matrix import Terms
from gluepot.models.features.recipes import Recipe
from gluepot.models.features.terms import beginnings, runs, stems, words
from gluepot.records import Example


class TextRecipe(Recipe):
    """One item per text."""

    def channels(self) -> Mapping[str, Terms]:
        return {"runs": runs, "beginnings": beginnings, "stems": lambda item: runs(stems(item))}

    def items(self, example: Example) -> list[list[str]]:
        return [words(example.inputs["text"])]
