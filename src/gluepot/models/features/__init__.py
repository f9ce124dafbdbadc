"""Features of items for models that learn from terms and numbers: one module a sort of task."""

from gluepot.models.features.choices import OptionRecipe
from gluepot.models.features.cloze import ClozeRecipe
from gluepot.models.features.mentions import CoreferenceRecipe
from gluepot.models.features.pairs import PairRecipe
from gluepot.models.features.recipes import Recipe
from gluepot.models.features.spans import SpanRecipe
from gluepot.models.features.texts import TextRecipe
from gluepot.models.features.tokens import TokenRecipe
from gluepot.models.features.words import WordInContextRecipe, WordPairRecipe
from gluepot.records import Task

RECIPES: dict[str, type[Recipe]] = {
    "choice": OptionRecipe,
    "classification": TextRecipe,
    "cloze": ClozeRecipe,
    "coreference": CoreferenceRecipe,
    "multi-choice": OptionRecipe,
    "pair-classification": PairRecipe,
    "regression": TextRecipe,
    "span-answer": SpanRecipe,
    "token-labelling": TokenRecipe,
    "word-in-context": WordInContextRecipe,
    "word-pair": WordPairRecipe,
}
"""By task kind; a regression of pairs takes the pairs' recipe."""


def make_recipe(task: Task) -> Recipe | None:
    """The recipe for a task, or None where terms are no way to answer it."""
    if "pair" in task.fields and task.kind == "regression":
        return PairRecipe()
    found = RECIPES.get(task.kind)
    return found() if found else None
