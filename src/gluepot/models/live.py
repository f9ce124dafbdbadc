"""Models passed in by a Python program: an adapter object, or a function from a list of examples to a list of answers.

>>> str(model_of(len))
'function:builtins.len'
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from inspect import getsource
from typing import Any
from uuid import uuid4

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.names import ModelName, parse_model
from gluepot.models.settings import Value
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Task

Function = Callable[[Sequence[Example]], Iterable[Any]]
"""Maps examples without their answers to one answer each, in order: a label, a number or other value of the task, or a Prediction."""
METHODS = ("fit", "predict")


class FunctionModel:
    """Adapter for a function, which has nothing to learn."""

    def __init__(self, function: Function, name: str) -> None:
        self.function, self.name = function, name

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Do nothing: the function is used as it is."""

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        answers = self.function(list(examples))
        if isinstance(answers, str | bytes | dict) or not isinstance(answers, Iterable):
            given = "None" if answers is None else f"a {type(answers).__name__}"
            raise GluepotError(f"{self.name} returned {given} for {task.path}: return a list with an answer to each example, in order.")
        found = list(answers)
        if len(found) != len(examples):
            counts = f"{pluralize(len(found), 'answer')} to {pluralize(len(examples), 'example')}"
            first = f", the first without one: {examples[len(found)].id!r}" if len(found) < len(examples) else ""
            raise GluepotError(f"{self.name} returned {counts} of {task.path}{first}. Return one each, in order.")
        return [
            answer if isinstance(answer, Prediction) else Prediction(example.id, _plain(answer))
            for example, answer in zip(examples, found, strict=True)
        ]


def _plain(answer: Any) -> Any:
    """Convert NumPy and torch numbers and arrays to plain Python values."""
    return answer.tolist() if hasattr(answer, "tolist") else answer


def model_of(thing: Any, **settings: Value | None) -> ModelName:
    """Return the model for a name with its settings, an adapter object or a function."""
    if isinstance(thing, ModelName):
        return thing
    if isinstance(thing, str):
        return parse_model(thing, **settings)
    given = [name for name, value in settings.items() if value is not None]
    if given:
        raise WrongUse(f"{name_of(thing)} takes no settings ({', '.join(given)}): they are for models that are named.")
    if all(callable(getattr(thing, name, None)) for name in METHODS) and not isinstance(thing, type):
        return ModelName("object", name_of(thing), made=thing)
    if callable(thing) and not isinstance(thing, type):
        return ModelName("function", name_of(thing), made=FunctionModel(thing, name_of(thing)))
    raise WrongUse(
        f"{name_of(thing)} is no model: give the name of one, an object with {' and '.join(METHODS)}, "
        "or a function from a list of examples to a list of answers."
    )


def name_of(thing: Any) -> str:
    """Return the `module.name` where an object is defined; for an instance, that of its class."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{getattr(named, '__module__', None) or '__main__'}.{named.__qualname__}"


def live_fingerprint(model: ModelName) -> str:
    """Return a hash of the model's source; a unique value where no source is available, as at a Python prompt."""
    own = model.made.function if isinstance(model.made, FunctionModel) else model.made
    try:
        source = getsource(own if hasattr(own, "__qualname__") else type(own))
    except (OSError, TypeError):
        source = uuid4().hex
    return sha256(source.encode()).hexdigest()[:16]
