"""Validation of declared prompts: placeholders, label words, numbers."""

from collections.abc import Collection, Iterable
from string import Formatter

from gluepot.errors import unknown
from gluepot.records import Prompt, Task
from gluepot.tasks import KINDS
from gluepot.tasks.declaration_file import DeclarationFile

ANSWER = ("label", "target_text")
"""Placeholders of the answer."""
MOST = 1_000_000
"""Maximum number of shots, or of answer tokens."""


def check_prompt(file: DeclarationFile, task: Task) -> None:
    if task.prompt is None:
        return
    kind = KINDS[task.kind]
    known = [*(name.replace("-", "_") for name in (*kind.inputs, *kind.optional)), *kind.placeholders, *ANSWER]
    for number, template in enumerate(task.prompt.templates):
        place = ("prompt",) if number == 0 else ("prompt", "paraphrase", number - 1)
        for key in ("base", "instruct"):
            for mistake in _template_mistakes(getattr(template, key), known):
                file.mistake((*place, key), mistake)
    for label in task.prompt.label_words:
        if len(task.labels) > 1 and label not in {*task.labels, *(tag.partition("-")[2] for tag in task.labels)}:
            file.mistake(("prompt", "label-words", label), unknown("label of this task", label, task.labels))
    _check_words(file, task, task.prompt)
    for key in ("shots", "max_tokens"):
        if not 0 <= (number := getattr(task.prompt, key)) <= MOST:
            file.mistake(("prompt", key.replace("_", "-")), f"{number} is {'less than none' if number < 0 else f'more than {MOST:,}'}.")


def _check_words(file: DeclarationFile, task: Task, prompt: Prompt) -> None:
    """Check that every label has a non-empty and unique word."""
    form = KINDS[task.kind].answer
    for label, word in prompt.label_words.items():
        if not word.strip():
            file.mistake(("prompt", "label-words", label), "nothing stands there.")
    words: dict[str, str] = {}
    for label in () if form.per_token else dict.fromkeys(form.classes(task)):
        word = prompt.label_words.get(label, label)
        if word in words:
            file.mistake(("prompt", "label-words", label), f"{word!r} stands for {words[word]} already.")
        words[word] = label


def _template_mistakes(template: str, known: Collection[str]) -> Iterable[str]:
    try:
        parts = [(name, form, conversion) for _, name, form, conversion in Formatter().parse(template) if name is not None]
    except ValueError as error:
        yield f"{error}: a brace that stands for itself is written twice, {{{{ or }}}}."
        return
    for name, form, conversion in dict.fromkeys(parts):
        if name not in known:
            yield unknown("placeholder", name, known)
        elif form or conversion:  # {text:>999999999} would exhaust memory
            yield f"{{{name}}} is put in as it is: nothing after its name."
