"""Import of submissions in a suite's official format: scored here, with their own claims stored alongside."""

from pathlib import Path

from msgspec.structs import replace

from gluepot.board.importing.drafts import UNCONFIRMED, Basis, Draft, ImportReport, digest_of
from gluepot.board.importing.predictions import ImportContext, answer_files, answer_lines, score_rows
from gluepot.board.importing.systems.joining import is_stored
from gluepot.board.importing.systems.naming import apply_given_name
from gluepot.board.models import Entry, Score, Stated
from gluepot.data.folders import find_files
from gluepot.metrics import METRICS
from gluepot.records import Problem, Suite, count_problems
from gluepot.runs.scores.scoring import compare_stated
from gluepot.submissions.descriptions import Description, read_description
from gluepot.submissions.opening import entries as data_entries
from gluepot.submissions.opening.entries import displayed, displayed_path
from gluepot.submissions.opening.targets import Target, named_task, same_split
from gluepot.submissions.reading import Submission, read_submission
from gluepot.tasks.systems import SystemInfo, find_system, is_declared

NEVER_IMPORTED = ("gender-parity",)
"""Stated over 624 items instead of 208 triples in the records that circulate, so never imported without predictions."""


def submission_draft(suite: Suite, path: Path, bench: ImportContext, report: ImportReport) -> Draft | None:
    """Return the draft of a submission, or None if nothing in it can be used."""
    submission = read_alone(path) if path.suffix.lower() == ".json" else read_submission(suite, path)
    _set_incomplete_data_apart(submission)
    if path.is_dir():
        bench.skipped |= {path / name: reason for name, reason in submission.skipped.items()}
    stated = known_claims(suite, submission.description)
    problems = [p for p in submission.problems.listed() if not (p.code == "empty-submission" and stated)]
    report.problems += [replace(p, file=_place(path, p.file)) for p in problems]
    report.notices += [f"{displayed(path.name)}: {notice}" for notice in submission.notices]
    if not (any(paired.sound for paired in submission.pairs) or stated):
        report.problems += [Problem("data-missing", reason, displayed_path(path)) for _, reason in submission.unread[:1]]
        return None
    if submission.unread:
        tasks = ", ".join(dict.fromkeys(place.task.name for place, _ in submission.unread))
        report.notices.append(f"{displayed(path.name)}: predictions not scored: {tasks}. {submission.unread[0][1]}")
    system, basis = described(suite, submission, bench.name)
    draft = Draft(suite, system, Entry.Kind.SUBMISSION, path.name, _digest(suite, submission, bench), basis, owner=bench.owner)
    if is_stored(draft):
        return draft
    rows, scores = score_rows(suite, {0: submission}, bench)
    draft.card = (submission.description.card or "") if submission.description else ""
    draft.details = {"notices": submission.notices[:100], "problems": count_problems(problems)}
    draft.scores, draft.files = rows, answer_files(submission)
    draft.stated = [
        Stated(task=s.task, split=s.split, metric=s.metric, stated=s.stated, computed=s.computed, agrees=s.agrees)
        for s in compare_stated(submission, scores)
    ]
    _add_unconfirmed(draft, stated, path, report)
    return draft


def _place(path: Path, file: str | None) -> str:
    """Return the location of a problem: a file of the submission, or the submission as a whole."""
    return f"{displayed(path.name)}/{file}" if file and file != path.name else displayed_path(path)


def read_alone(path: Path) -> Submission:
    """Read a model description without predictions, which contains only claims."""
    submission = Submission(path.stem)
    entry = data_entries.SubmissionFile(path.name, path.stat().st_size, lambda: data_entries.open_plain(path))
    submission.description = read_description(entry, submission.problems, submission.notices)
    submission.model = submission.description.model if submission.description else path.stem
    return submission


def described(suite: Suite, submission: Submission, given: str | None) -> tuple[SystemInfo, Basis]:
    """Return the submitted system's declared facts, completed from its own description, and the origin of its name."""
    known, said = find_system(suite.name, submission.model), submission.description
    if said is None:
        return apply_given_name(known, suite.name, given, "told" if is_declared(suite.name, known.name) else "guessed")
    facts = replace(
        known,
        family=known.family or said.family or "",
        parameters=known.parameters or (int(said.parameters) if said.parameters else None),
        data_size=known.data_size or (float(said.data_size) if said.data_size else None),
        link=known.link or said.link or "",
    )
    return apply_given_name(facts, suite.name, given, "told")


def known_claims(suite: Suite, description: Description | None) -> dict[tuple[str, str, str], float]:
    """Return the stated scores of tasks, splits and metrics that the suite has, under their canonical names."""
    claims = {}
    for (name, split, metric), value in (description.stated if description else {}).items():
        task = named_task(suite, name)
        ours = same_split(task, split) if task else None
        if task and ours and metric in task.metrics:
            claims[task.name, ours, metric] = value
    return claims


def _add_unconfirmed(draft: Draft, claims: dict[tuple[str, str, str], float], path: Path, report: ImportReport) -> None:
    """Add unconfirmed claims as reported scores, each replacing the score without a value in its place."""
    computed = {(s.task, s.split, s.metric) for s in draft.scores if s.value is not None and not s.slice}
    listed = {(s.task, s.split, s.metric) for s in draft.stated}
    for (task, split, metric), value in claims.items():
        if (task, split, metric) in computed:
            continue
        if (task, split, metric) not in listed:
            draft.stated.append(Stated(task=task, split=split, metric=metric, stated=value, computed=None, agrees=False))
        if metric in NEVER_IMPORTED:
            continue
        if not _possible(metric, value):
            message = f"{task} {split}: the stated {metric} of {value:g} is off the metric's scale."
            hint = "State scores as the metric counts them, not in percent."
            report.problems.append(Problem("off-scale", message, displayed_path(path), hint=hint))
            continue
        draft.scores = [s for s in draft.scores if (s.task, s.split, s.metric, s.slice) != (task, split, metric, "")]
        draft.scores.append(Score(task=task, split=split, metric=metric, value=value, verified=False, reason=UNCONFIRMED))


def _possible(metric: str, value: float) -> bool:
    declared = METRICS[metric]
    return value <= declared.best + 1e-9 and (declared.worst is None or value >= declared.worst - 1e-9)


def _set_incomplete_data_apart(submission: Submission) -> None:
    """Set unsound answers apart where only a sample of the published items is here: extra answers are not the submitter's fault."""
    for paired in [paired for paired in submission.pairs if not paired.sound]:
        source, _ = find_files(paired.task, paired.split)
        published = source.rows.get(paired.split, 0) if source.counts == "items" else 0
        if published > len(paired.examples):
            submission.problems.forget(paired.file)
            submission.pairs.remove(paired)
            reason = f"the data here has {len(paired.examples):,} of {published:,} items"
            submission.unread.append((Target(paired.task, paired.split), reason))
            submission.skipped[paired.file] = f"{reason}."


def _digest(suite: Suite, submission: Submission, bench: ImportContext) -> str:
    """Return a hash of the answers and claims, independent of packaging, and of the data they were scored against."""
    answers = {f"{p.task.name}/{p.split}": [bench.fingerprint(p), p.sound, answer_lines(p) if p.sound else b""] for p in submission.pairs}
    missing = sorted(f"{place.task.name}/{place.split}" for place, _ in submission.unread)
    claims = sorted((list(key), value) for key, value in submission.description.stated.items()) if submission.description else []
    return digest_of("submission", suite.name, suite.version, answers, missing, claims)
