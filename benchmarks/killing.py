"""Workers killed at random during scoring: is every submission scored exactly once, and how long does the slowest one take?

python -m benchmarks.killing [SUBMISSIONS] [KILLS]
"""

import io
import os
import signal
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

import msgspec

SUITE = "pocket"
WORKERS = 3
AHEAD = 6
"""Number of submissions queued or being scored at any time, as long as there are more to send."""
PAUSE = 2.0
"""Mean seconds between two kills."""
LIMIT = 60.0
GIVEN_UP = 600.0


@dataclass
class Outcome:
    """Result of the test."""

    scored: int = 0
    twice: int = 0
    """Number of submissions with more than one score, or more than one such entry in the audit log."""
    others: dict[str, str] = field(default_factory=dict)
    """State of submissions without a score."""
    kills: int = 0
    hit: int = 0
    """Number of submissions that were being processed when a worker was killed."""
    longest_after_kill: float = 0.0
    """Maximum seconds from a kill to the score of a submission being processed then."""
    longest: float = 0.0
    """Maximum seconds from upload to score."""
    seconds: float = 0.0


def variants(count: int) -> Iterator[bytes]:
    """Yield distinct valid submissions."""
    from gluepot.board.submitting.intake.sample import sample_zip
    from gluepot.tasks.declarations import load_suite

    whole = sample_zip(load_suite(SUITE))
    rng = Random(1)
    for _ in range(count):
        packed = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                rows = [msgspec.json.decode(line) for line in old.read(name).splitlines()]
                if isinstance(rows[0]["prediction"], str):
                    labels = sorted({row["prediction"] for row in rows})
                    for row in rows:
                        row["prediction"] = rng.choice(labels)
                new.writestr(name, msgspec.json.Encoder().encode_lines(rows))
        yield packed.getvalue()


class Sending:
    """Sends submissions through the same intake as the site, ten per team."""

    def __init__(self, folder: Path, count: int) -> None:
        from gluepot.tasks.declarations import load_suite

        self.suite, self.folder, self.left = load_suite(SUITE), folder, variants(count)
        self.sent = 0

    def send(self) -> bool:
        from gluepot.board.accounts.models import Member
        from gluepot.board.submitting.intake.acceptance import Sender, accept, check

        data = next(self.left, None)
        if data is None:
            return False
        path = self.folder / f"variant-{self.sent}.zip"
        path.write_bytes(data)
        email = f"team{self.sent // 10}@killing.example"
        member = Member.objects.filter(email=email).first() or Member.objects.create_user(email)
        upload = accept(check(self.suite, path), Sender(member, member.teams.get()), f"variant {self.sent}", path.name)
        assert upload.name == f"variant {self.sent}", "the same answers as an earlier one"
        self.sent += 1
        return True


def play(board: Path, place: Path, submissions: int, kills: int, pause: float = PAUSE, workers: int = WORKERS) -> Outcome:
    """Send submissions and kill workers until all are processed; `board` is open in this process."""
    from django.utils import timezone

    from gluepot.board.server.workers import Workers
    from gluepot.board.submitting.models import Upload

    rng, played, began = Random(2), Outcome(), monotonic()
    sending, hits = Sending(place, submissions), dict[str, datetime]()
    crew, due, more = Workers(board, workers), monotonic() + 3, True
    try:
        while True:
            waiting = Upload.objects.filter(state__in=["queued", "scoring"])
            while more and waiting.count() < AHEAD:
                more = sending.send()
            if not waiting.exists() or monotonic() - began > GIVEN_UP:
                break
            if played.kills < kills and monotonic() > due and waiting.filter(state="scoring").exists():
                hits |= dict.fromkeys(_at_work(), timezone.now())
                _kill_one(crew, rng)
                played.kills += 1
                due = monotonic() + rng.expovariate(1 / pause)
            sleep(0.02)
    finally:
        crew.close()
    played.seconds = monotonic() - began
    return _sum_up(played, hits)


def _at_work() -> list[str]:
    """Return the keys of the submissions that workers have taken from the queue."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT args ->> 'key' FROM procrastinate_jobs WHERE status = 'doing' AND args ? 'key'")
        return [key for (key,) in cursor.fetchall()]


def _kill_one(crew: Any, rng: Random) -> None:
    alive = sorted(process.pid for process in list(crew.processes))
    if alive:
        os.kill(rng.choice(alive), signal.SIGKILL)


def _sum_up(played: Outcome, hits: dict[str, datetime]) -> Outcome:
    from gluepot.board.moderation.models import AuditEvent
    from gluepot.board.submitting.models import Upload

    for upload in Upload.objects.filter(name__startswith="variant "):
        if upload.state != "scored" or upload.scored is None or upload.queued is None:
            played.others[upload.name] = f"{upload.state} {upload.reason}"
            continue
        played.scored += 1
        lines = AuditEvent.objects.filter(action="scored", subject=str(upload.key)).count()
        played.twice += upload.revisions.count() != 1 or lines != 1 or upload.transitions.filter(state="scored").count() != 1
        played.longest = max(played.longest, (upload.scored - upload.queued).total_seconds())
        if str(upload.key) in hits:
            played.hit += 1
            played.longest_after_kill = max(played.longest_after_kill, (upload.scored - hits[str(upload.key)]).total_seconds())
    return played


def main(submissions: int = 200, kills: int = 100) -> int:
    with TemporaryDirectory(prefix="gluepot-killing-", ignore_cleanup_errors=True) as folder:
        from gluepot.board.server.database import close_database
        from gluepot.board.server.setup import open_board

        board = open_board(Path(folder) / "board")
        played = play(board, Path(folder), submissions, kills)
        close_database()
    print(f"{played.scored} of {submissions} scored, {played.twice} of them twice, in {played.seconds:.0f} s; {played.kills} kills")
    print(
        f"{played.hit} were at a worker when one was killed; the longest of them had its score {played.longest_after_kill:.1f} s after it"
    )
    print(f"the longest wait from upload to score: {played.longest:.1f} s")
    for name, state in played.others.items():
        print(f"{name}: {state}")
    return 0 if played.scored == submissions and not played.twice and played.longest_after_kill < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
