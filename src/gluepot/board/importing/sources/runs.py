"""Import of gluepot runs: rescored from their predictions and averaged over seeds."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from gluepot.board.importing.drafts import Draft, ImportReport, digest_of
from gluepot.board.importing.predictions import ImportContext, answer_files, answer_lines, score_rows
from gluepot.board.importing.sources.people import judge_people
from gluepot.board.importing.systems.identity import identity_of, is_local, system_name
from gluepot.board.importing.systems.joining import is_stored
from gluepot.board.importing.systems.naming import apply_given_name
from gluepot.board.models import Entry
from gluepot.errors import DataMissing
from gluepot.plurals import pluralize
from gluepot.records import Problem
from gluepot.runs.evaluation import TIMES, run_submission
from gluepot.runs.scores.rescoring import notices_of
from gluepot.runs.storage.manifest import Manifest, read_manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.submissions.opening.entries import displayed_path
from gluepot.submissions.reading import Submission
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.systems import find_system


def run_draft(path: Path, bench: ImportContext, report: ImportReport) -> Draft | None:
    """Return the draft of a run, or None, with the reason among the problems, if it cannot be shown on a board."""
    folder = RunFolder(path)
    manifest = read_manifest(folder)
    identity = manifest.identity
    suite = load_suite(identity.suite)
    refused = _refusal(manifest, suite.version)
    if refused:
        report.problems.append(Problem("refused-run", refused, displayed_path(path), hint="Evaluate again, and without --limit."))
        return None
    try:
        seeds = {seed: run_submission(folder, suite, manifest, seed) for seed in identity.seeds}
    except DataMissing as error:
        report.problems.append(Problem("data-missing", str(error), displayed_path(path)))
        return None
    report.notices += notices_of(folder, suite, manifest)
    _tell_problems(path, seeds, report)
    if not any(paired.sound for paired in seeds[identity.seeds[0]].pairs):
        report.problems.append(Problem("empty-run", "it has no sound prediction.", displayed_path(path), hint="Finish the run first."))
        return None
    facts, itself = find_system(suite.name, system_name(identity)), identity_of(identity)
    if manifest.people is not None:  # one row for all human runs, whatever the raters and the task
        facts, itself = replace(facts, role="human", family="Human"), replace(itself, fingerprint="")
    system, basis = apply_given_name(facts, suite.name, bench.name, "guessed" if is_local(identity) else "told")
    draft = Draft(suite, system, Entry.Kind.RUN, path.resolve().name, "", basis, msgspec.to_builtins(itself), bench.owner)
    draft.digest = digest_of(
        "run", suite.version, identity.model.name, identity.protocol, {str(seed): _content(one, bench) for seed, one in seeds.items()}
    )
    if is_stored(draft):
        return draft
    draft.scores, _ = score_rows(suite, seeds, bench)
    if manifest.people is not None:
        draft.details["people"] = judge_people(suite, folder, manifest, draft.scores)
    for seed, submission in seeds.items():
        draft.files += answer_files(submission, seed, _own_scores(folder, submission, seed))
    draft.details |= {"manifest": msgspec.to_builtins(manifest), "seconds": _times(folder)}
    return draft


def _refusal(manifest: Manifest, version: str) -> str | None:
    identity = manifest.identity
    if manifest.partial:
        return f"a partial run (at most {pluralize(identity.limit or 0, 'item')} a task) is never ranked."
    if identity.version != version:
        return f"made on {identity.suite} {identity.version}; declared here is {version}."
    return None


def _tell_problems(path: Path, seeds: dict[int, Submission], report: ImportReport) -> None:
    for seed, submission in seeds.items():
        for problem in submission.problems.listed():
            place = displayed_path(f"{path.name}/seed-{seed}/{problem.file}")
            report.problems.append(Problem(problem.code, problem.message, place, problem.line, problem.id, problem.hint))


def _content(submission: Submission, bench: ImportContext) -> dict[str, list[Any]]:
    """Return what distinguishes runs: the answers and the data they were scored against, not when and where a run was made."""
    return {f"{p.task.name}/{p.split}": [bench.fingerprint(p), answer_lines(p)] for p in submission.pairs if p.sound}


def _own_scores(folder: RunFolder, submission: Submission, seed: int) -> dict[tuple[str, str], list[Any]]:
    """Return the models' scores of the options, which pairing omits, in item order."""
    found = {}
    for paired in (paired for paired in submission.pairs if paired.sound):
        by_id = {one.id: one.scores for one in folder.predictions(paired.task.name, paired.split, seed).read()}
        if any(scores is not None for scores in by_id.values()):
            found[paired.task.name, paired.split] = [by_id.get(example.id) for example in paired.examples]
    return found


def _times(folder: RunFolder) -> dict[str, float]:
    return folder.read(TIMES, dict[str, float]) if (folder.path / TIMES).is_file() else {}
