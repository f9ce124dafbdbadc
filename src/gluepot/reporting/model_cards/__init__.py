"""A run's scores in a model card: metadata for the hub (`model-index`), and a table for people."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET, Struct

from gluepot.errors import GluepotError, WrongUse
from gluepot.files import write_atomically
from gluepot.models.names import PLUS, ModelRecord, display_name, is_local, local_model_sources, local_path, model_sources
from gluepot.records import Score, Suite
from gluepot.reporting.model_cards.front_matter import read_front_matter, write_key
from gluepot.reporting.model_cards.results import Result, is_ours, join_results, make_results
from gluepot.runs.scores.rescoring import rescore
from gluepot.runs.storage.manifest import Manifest, read_manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import load_suite

README, INDEX = "README.md", "model-index"
PATIENCE = 10.0
"""Timeout in seconds for the hub to report its content."""
NEW_LINE = b"\n"
BEGIN, END = "<!-- gluepot: {suite} -->", "<!-- /gluepot: {suite} -->"
SECRET = {"--out", "--address", "--key-for"}
"""Command options that concern the machine and not the scores."""


class CardScores(Struct, frozen=True):
    """Content to add to a card."""

    model: str
    suite: str
    version: str
    command: str
    scores: list[Score]


def card_scores(folder: RunFolder) -> CardScores:
    """Return a run's scores, recomputed from its answers; a run that is partial, edited or unranked is refused."""
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
    """Return the command that reproduces the run, without the paths of the machine it ran on.

    It contains the model by its name alone; where to write is left to the reader.
    """
    model, words, skip = manifest.identity.model, [], False
    for word in manifest.command:
        if skip:
            skip = False
        elif word in SECRET:
            skip = True
        elif not word.startswith(tuple(f"{name}=" for name in SECRET)):
            words.append(f"{model.adapter}:{_last(model)}" if word == f"{model.adapter}:{model.argument}" else _short(word))
    pinned = ["--revision", manifest.identity.commit] if manifest.identity.commit and "--revision" not in words else []
    return shlex.join(["gluepot", *words, *pinned])


def _short(word: str) -> str:
    """Reduce a local path to its last part.

    >>> _short("/home/me/suites"), _short("--suites=/home/me/suites"), _short("suite/task")
    ('suites', '--suites=suites', 'suite/task')
    """
    option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    return f"{option}{equals}{Path(value).name}" if value.startswith(("/", "~", "../")) else word


def _last(model: ModelRecord) -> str:
    """Return the argument without folders: of each run that an ensemble combines, or of a model and its adapter."""
    joined = model.info is not None and model.info.argument_kind == "runs"
    parts = [part.strip() for part in model.argument.split(",")] if joined else model_sources(model)
    return ("," if joined else PLUS).join(Path(part).name if is_local(part) else part for part in parts)


def find_card(folder: RunFolder, to: Path | None) -> Path:
    """Return the README to write: the given one, or that of the model's own folder."""
    if to is not None:
        return to / README if to.is_dir() else to
    place = local_model_sources(read_manifest(folder).identity.model)[-1]  # for a model with an adapter on top, the adapter's
    path = local_path(place)
    if not place or not path.is_dir():
        raise WrongUse("the model has no folder here: name its README with --to FILE.")
    return path / README


def write_card(path: Path, found: CardScores, suite: Suite | None = None) -> str:
    """Write the scores into a card, replacing earlier ones of the same; the rest of the card is unchanged."""
    content = make_card(read_card(path), found, suite)
    write_atomically(path, content.encode())
    return content


def read_card(path: Path) -> str:
    """Return the text of a README with its line endings unchanged; empty if there is none."""
    try:
        return path.read_bytes().decode() if path.exists() else ""
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(NEW_LINE) + 1
        raise GluepotError(f"{path}: line {line} is no UTF-8. Save the file as UTF-8 first.") from error


def make_card(before: str, found: CardScores, suite: Suite | None = None) -> str:
    """Return the card with its metadata and its table."""
    suite = suite or load_suite(found.suite)
    before = before or f"# {found.model}\n"
    own = make_results(suite, found.version, found.scores, found.command)
    try:
        index = join_results(read_front_matter(before).get(INDEX), found.model.partition(":")[2] or found.model, own)
    except ValueError as error:
        raise GluepotError(f"the card's metadata cannot be read: {INDEX} is {error}. Mend it first.") from error
    table = _table(found, [one for one in index[0]["results"] if is_ours(one, suite, found.version)])
    return write_key(_with_table(before, table, suite.name), INDEX, index)


def _table(found: CardScores, results: Sequence[Result]) -> str:
    """Return the table of all the card's results on the suite, from this run and from others."""
    lines = [
        f"## Results on {found.suite} {found.version}",
        "",
        "| task | split | metric | value | 95 % interval | n |",
        "|---|---|---|---|---|---|",
    ]
    commands: dict[str, None] = {}
    for dataset, metric in ((result["dataset"], metric) for result in results for metric in result["metrics"]):
        told = metric["args"]
        span = "{:.3f} to {:.3f}".format(*told["interval_95"]) if "interval_95" in told else "–"
        lines.append(f"| {dataset['config']} | {dataset['split']} | {metric['type']} | {metric['value']:.3f} | {span} | {told['n']:,} |")
        commands[told["command"]] = None
    return "\n".join([*lines, "", "Made with", "", *(f"    {command}" for command in commands)])


def _with_table(text: str, table: str, suite: str) -> str:
    """Return the card's text with the table between two markers, where it was before or at the end."""
    lines = "\r\n" if "\r\n" in text else "\n"
    begin, end = BEGIN.format(suite=suite), END.format(suite=suite)
    whole = f"{begin}\n{table}\n{end}".replace("\n", lines)
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    return pattern.sub(lambda _: whole, text) if pattern.search(text) else f"{text.rstrip()}{lines * 2}{whole}{lines}"


def push_to_hub(name: str, found: CardScores) -> str:
    """Update the card on the hub and return the address of the commit. An unreadable card is not overwritten."""
    from huggingface_hub import HfApi, hf_hub_download

    hub = HfApi()
    try:
        there = hub.model_info(name, timeout=PATIENCE)
        known = README in [file.rfilename for file in there.siblings or []]
        done = hub.upload_file(
            path_or_fileobj=make_card(read_card(Path(hf_hub_download(name, README, revision=there.sha))) if known else "", found).encode(),
            path_in_repo=README,
            repo_id=name,
            commit_message=f"Results on {found.suite} {found.version}",
            parent_commit=there.sha,  # a concurrent change is not overwritten either
        )
    except GluepotError:
        raise
    except Exception as error:  # the hub's client raises errors of its own and of the library below it, which changes
        why = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
        raise GluepotError(f"{name}: the hub did not take it: {why}. Log in with `hf auth login`, and check the name.") from error
    return str(getattr(done, "commit_url", name))
