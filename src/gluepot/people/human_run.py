"""Human answers as a run of role human, accepted by `report`, `compare` and the board; the run contains the votes."""

import shutil
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec.structs import replace

from gluepot import __version__
from gluepot.data.folders import find_files, fingerprint
from gluepot.errors import WrongUse
from gluepot.files import write_atomically
from gluepot.masking import mask_words
from gluepot.models.names import ModelRecord
from gluepot.models.protocols import OWN
from gluepot.people.formats.ours import NAME as VOTES
from gluepot.people.human import HumanReport, HumanVotes
from gluepot.records import Prediction
from gluepot.runs.evaluation import save_scores, score_run
from gluepot.runs.storage.manifest import Identity, Manifest, PeopleFacts, declaration_fingerprint, package_versions, read_manifest
from gluepot.runs.storage.store import MANIFEST, RunFolder

HUMAN = "human"


def write_human_run(path: Path, report: HumanReport, human: HumanVotes) -> RunFolder | None:
    """Write the run, replacing an earlier human run; return None if no item matches a row of the task."""
    folder = RunFolder(path)
    _make_room(folder)
    votes = msgspec.json.Encoder().encode_lines(replace(vote, inputs={}) for vote in human.read.votes)
    predictions = [
        Prediction(item, answers[0][0])
        for item, answers in zip(human.items, human.consensus.answers, strict=True)
        if answers and item in human.joined.examples
    ]
    if not predictions:
        return None
    folder.write(MANIFEST, _manifest(report, human, votes))
    write_atomically(path / VOTES, votes)
    file = folder.predictions(human.task.name, human.joined.split, 0)
    file.append(predictions)
    save_scores(folder, score_run(folder, suite=human.suite))
    return folder


def _make_room(folder: RunFolder) -> None:
    """Remove an earlier human run; raise WrongUse if the folder contains anything else."""
    if folder.exists() and read_manifest(folder).people is not None:
        shutil.rmtree(folder.path)
    elif folder.path.is_dir() and any(folder.path.iterdir()):
        raise WrongUse(f"{folder.path}: the folder is not empty and holds no run of people. Choose another --out.")


def _manifest(report: HumanReport, human: HumanVotes, votes: bytes) -> Manifest:
    task, split = human.task, human.joined.split
    settings: dict[str, str | int | float | bool] = {"by": report.by, "ties": report.tie_rule}
    facts = PeopleFacts(report.items, report.votes, report.raters, report.ties, report.by, report.tie_rule)
    identity = Identity(
        suite=human.suite.name,
        version=human.suite.version,
        model=ModelRecord(HUMAN, "", {}, HUMAN),
        model_fingerprint=sha256(votes + msgspec.json.encode(settings)).hexdigest()[:16],
        split=split,
        seeds=[0],
        tasks=[task.name],
        limit=None,
        protocol=OWN,
        data={f"{task.name}/{split}": fingerprint(find_files(task, split)[1])},
        code="",
        gluepot=__version__,
        declaration=declaration_fingerprint([task]),
    )
    return Manifest(
        identity=identity,
        partial=False,
        packages=package_versions(),
        machine={},
        command=mask_words(sys.argv[1:]),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        people=facts,
    )
