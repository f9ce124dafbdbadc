"""Features of items for models based on terms and numbers, one module per type of task."""

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
from gluepot.registry import Registry

RECIPES: Registry[type[Recipe]] = Registry("kind that terms describe")
"""Recipes by task kind; regression of pairs uses the recipe for pairs."""

RECIPES.add("choice", OptionRecipe)
RECIPES.add("classification", TextRecipe)
RECIPES.add("cloze", ClozeRecipe)
RECIPES.add("coreference", CoreferenceRecipe)
RECIPES.add("multi-choice", OptionRecipe)
RECIPES.add("pair-classification", PairRecipe)
RECIPES.add("regression", TextRecipe)
RECIPES.add("span-answer", SpanRecipe)
RECIPES.add("token-labelling", TokenRecipe)
RECIPES.add("word-in-context", WordInContextRecipe)
RECIPES.add("word-pair", WordPairRecipe)


def make_recipe(task: Task) -> Recipe | None:
    """Return the recipe for a task, or None if term features cannot answer it."""
    if "pair" in task.fields and task.kind == "regression":
        return PairRecipe()
    return RECIPES[task.kind]() if task.kind in RECIPES else None
