"""A run's scores in a model's card: metadata that the hub shows (`model-index`), and a table that people read."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct

from gluepot.errors import GluepotError, WrongUse
from gluepot.files import write_whole
from gluepot.models.names import PLUS, ModelRecord, display_name, is_local, local_path, places_here, places_of
from gluepot.records import Score, Suite, Task
from gluepot.runs.scores.rescoring import rescore
from gluepot.runs.storage.manifest import Manifest, read_manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

BEGIN, END = "<!-- gluepot: {suite} -->", "<!-- /gluepot: {suite} -->"
KINDS_THERE = {
    "token-labelling": "token-classification",
    "choice": "multiple-choice",
    "multi-choice": "multiple-choice",
    "cloze": "fill-mask",
    "span-answer": "question-answering",
    "summary": "summarization",
    "regression": "sentence-similarity",
    "word-pair": "feature-extraction",
    "analogy": "feature-extraction",
}
"""Our kinds by the hub's names; what is not here classifies texts."""
SECRET = {"--out", "--address", "--key-for"}
"""Options of a command that say something of a machine and nothing of the scores."""


class CardScores(Struct, frozen=True):
    """What goes into a card."""

    model: str
    suite: str
    version: str
    command: str
    scores: list[Score]


def card_scores(folder: RunFolder) -> CardScores:
    """A run's scores, computed anew from its answers; a partial run has none that are worth publishing."""
    manifest, rescored = read_manifest(folder), rescore(folder)
    if manifest.partial:
        raise WrongUse(f"{folder.path}: a partial run is not published: it answered a part of each task.")
    if rescored.edited:
        raise GluepotError(f"{folder.path}: its files were changed since it was scored. Evaluate again.")
    rows = [row for row in rescored.scores.scores if row.slice is UNSET and row.value is not None]
    unfit = {row.task: str(row.unranked) for row in rows if row.unranked}
    if unfit:
        raise WrongUse(f"{folder.path}: not published. " + " ".join(f"{task}: {reason}." for task, reason in unfit.items()))
    if not rows:
        raise GluepotError(f"{folder.path}: no score has a value.")
    return CardScores(display_name(manifest.identity.model), rescored.scores.suite, rescored.scores.version, shown_command(manifest), rows)


def shown_command(manifest: Manifest) -> str:
    """The command that makes such a run again, without the paths of whoever ran it.

    The model stands in it by its name alone; where to write is left to the reader.
    """
    model, words, skip = manifest.identity.model, [], False
    for word in manifest.command:
        if skip:
            skip = False
        elif word in SECRET:
            skip = True
        elif not word.startswith(tuple(f"{name}=" for name in SECRET)):
            words.append(f"{model.adapter}:{_last(model)}" if word == f"{model.adapter}:{model.argument}" else word)
    pinned = ["--revision", manifest.identity.commit] if manifest.identity.commit and "--revision" not in words else []
    return shlex.join(["gluepot", *words, *pinned])


def _last(model: ModelRecord) -> str:
    return PLUS.join(Path(place).name if is_local(place) else place for place in places_of(model))


def find_card(folder: RunFolder, to: Path | None) -> Path:
    """The README that is meant: the one that is named, or that of the model's own folder."""
    if to is not None:
        return to / "README.md" if to.is_dir() else to
    place = places_here(read_manifest(folder).identity.model)[-1]  # of a model with an adapter upon it, the adapter's
    path = local_path(place)
    if not place or not path.is_dir():
        raise WrongUse("the model has no folder here: name its README with --to FILE.")
    return path / "README.md"


def write_card(path: Path, found: CardScores, suite: Suite | None = None) -> str:
    """Put the scores into a card, in place of those that it had of the same suite; the rest of the card stays as it is."""
    content = make_card(path.read_text(encoding="utf-8") if path.is_file() else "", found, suite)
    write_whole(path, content.encode())
    return content


def make_card(before: str, found: CardScores, suite: Suite | None = None) -> str:
    """The card with its metadata and its table."""
    from huggingface_hub import ModelCard
    from yaml import YAMLError

    suite = suite or load_suite(found.suite)
    try:
        card = ModelCard(before or f"---\nlibrary_name: transformers\n---\n\n# {found.model}\n", ignore_metadata_errors=False)
    except (ValueError, YAMLError) as error:
        raise GluepotError(f"the card's metadata cannot be read: {str(error).splitlines()[0]}. Mend it first.") from error
    own = [_result(suite.tasks[row.task], row, found, suite) for row in found.scores]
    data: Any = card.data
    others = [one for one in data.eval_results or [] if not _same_place(one, own)]
    data.model_name = data.model_name or found.model.partition(":")[2] or found.model
    data.eval_results = [*others, *own]
    card.text = _with_table(card.text, _table(found), suite.name)
    return str(card)


def _same_place(other: "EvalResult", own: Sequence["EvalResult"]) -> bool:
    """Whether an older result is about what one of ours is about."""
    names = ("dataset_config", "dataset_split", "dataset_name", "metric_type")
    return any(all(getattr(other, name) == getattr(one, name) for name in names) for one in own)


def _result(task: Task, row: Score, found: CardScores, suite: Suite) -> "EvalResult":
    from huggingface_hub import EvalResult

    source = next((one for one in task.sources if one.hub), None)
    told: dict[str, Any] = {"n": row.n, "command": found.command}
    if row.low is not None and row.high is not None:
        told["interval_95"] = [round(row.low, 6), round(row.high, 6)]
    assert row.value is not None, "scores without a value stay out"
    return EvalResult(
        task_type=KINDS_THERE.get(task.kind, "text-classification"),
        task_name=task.title or task.name,
        dataset_type=source.hub if source and source.hub else f"{suite.name}/{task.name}",
        dataset_name=f"{suite.title or suite.name} {found.version}: {task.title or task.name}",
        dataset_config=task.name,
        dataset_split=row.split,
        dataset_revision=source.revision if source else None,
        metric_type=row.metric,
        metric_name=row.metric,
        metric_value=round(row.value, 6),
        metric_args=told,
    )


def _table(found: CardScores) -> str:
    lines = [
        f"## Results on {found.suite} {found.version}",
        "",
        "| task | split | metric | value | 95 % interval | n |",
        "|---|---|---|---|---|---|",
    ]
    for row in found.scores:
        span = "–" if row.low is None or row.high is None else f"{row.low:.3f} to {row.high:.3f}"
        lines.append(f"| {row.task} | {row.split} | {row.metric} | {row.value:.3f} | {span} | {row.n:,} |")
    return "\n".join([*lines, "", "Made with", "", f"    {found.command}"])


def _with_table(text: str, table: str, suite: str) -> str:
    """The card's text with the table between two marks, where it was before or at the end."""
    begin, end = BEGIN.format(suite=suite), END.format(suite=suite)
    whole = f"{begin}\n{table}\n{end}"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    return pattern.sub(lambda _: whole, text) if pattern.search(text) else f"{text.rstrip()}\n\n{whole}\n"


def push_to_hub(name: str, found: CardScores) -> str:
    """Update the card on the hub; the address of what was done there."""
    from huggingface_hub import HfApi, ModelCard
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, HFValidationError

    try:
        try:
            before = str(ModelCard.load(name))
        except EntryNotFoundError:
            before = ""
        done = HfApi().upload_file(
            path_or_fileobj=make_card(before, found).encode(),
            path_in_repo="README.md",
            repo_id=name,
            commit_message=f"Results on {found.suite} {found.version}",
        )
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        why = str(error).strip().splitlines()[0]
        raise GluepotError(f"{name}: the hub did not take it: {why} Log in with `hf auth login`, and check the name.") from error
    return str(getattr(done, "commit_url", name))
