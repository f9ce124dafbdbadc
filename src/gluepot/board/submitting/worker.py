"""The worker process: runs jobs, sends heartbeats, and recovers the jobs of dead workers."""

import asyncio
import os
import resource
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Thread
from time import monotonic

from asgiref.sync import sync_to_async
from django.db import Error, OperationalError, close_old_connections, connection
from django.utils import timezone
from procrastinate import App
from procrastinate.contrib.django import procrastinate_app
from procrastinate.exceptions import ConnectorException, ProcrastinateException

from gluepot.board.submitting.models import FactSheet, Upload, WorkerSeen
from gluepot.board.submitting.programs.settings import longest_seconds
from gluepot.board.submitting.publication.publishing import reveal_due
from gluepot.board.submitting.scoring.private_scores import fail_upload
from gluepot.board.submitting.states import State
from gluepot.board.submitting.tasks import PROGRAMS, QUEUES, defer_scoring

BEAT, SILENT = 3.0, 15.0
"""Seconds between heartbeats, and without one after which a worker counts as dead."""
LOOK = 3.0
"""Seconds between checks for abandoned work."""
LOST = timedelta(seconds=20)
"""Time after which a submission without a job is queued again."""
MEMORY = int(os.environ.get("GLUEPOT_WORKER_MEMORY", "0") or 0) or 8 * 2**30
due: dict[str, float] = {}
"""Deadlines of the running jobs, by submission key."""


def work(queues: Sequence[str] = QUEUES, *, until_closed: bool = False) -> None:
    """Run jobs until terminated; with `until_closed`, also until stdin is closed because the parent process is gone."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if until_closed:
        Thread(target=_end_with_parent, daemon=True).start()
    try:
        asyncio.run(_work(queues))
    except ConnectorException as error:  # the queue's exception for an unavailable database
        raise OperationalError(str(error.__cause__ or error)) from error


def _end_with_parent() -> None:
    while os.read(0, 1):  # not sys.stdin, whose lock must be free when the process ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)


async def _work(queues: Sequence[str]) -> None:
    shared = procrastinate_app.current_app
    app = shared.with_connector(shared.connector.get_worker_connector())  # type: ignore[attr-defined]
    async with app.open_async():
        keeper = asyncio.create_task(_keep(app))
        try:
            await _take_jobs(app, [name for name in queues if name != PROGRAMS], runs_programs=PROGRAMS in queues)
        finally:
            keeper.cancel()


async def _take_jobs(app: App, queues: list[str], *, runs_programs: bool) -> None:
    """Run jobs from these queues and, concurrently, submitted programs, which take long and must not delay scores."""
    lanes = [asyncio.create_task(_take_from(app, queues))] if queues else []
    if runs_programs:
        lanes.append(asyncio.create_task(_take_from(app, [PROGRAMS], install_signal_handlers=not lanes)))
    done, _ = await asyncio.wait(lanes, return_when=asyncio.FIRST_COMPLETED)
    if due:  # running jobs end with this process and are recovered by another worker
        os._exit(0)
    for lane in lanes:
        lane.cancel()
    for lane in done:
        lane.result()


async def _take_from(app: App, queues: list[str], *, install_signal_handlers: bool = True) -> None:
    await app.run_worker_async(
        queues=queues,
        name=f"{socket.gethostname()}-{os.getpid()}",
        update_heartbeat_interval=BEAT,
        stalled_worker_timeout=60 * SILENT,  # pruning earlier would hide which jobs a dead worker left
        fetch_job_polling_interval=2.0,
        shutdown_graceful_timeout=20,
        delete_jobs="successful",
        install_signal_handlers=install_signal_handlers,
    )


async def _keep(app: App) -> None:
    while True:
        try:
            await take_up_stalled(app)
            await sync_to_async(sweep, thread_sensitive=False)()
        except (ConnectorException, Error):  # the database is unavailable; whatever runs it reports that
            await asyncio.sleep(LOOK)
        if late := [key for key, end in due.items() if monotonic() > end]:
            await sync_to_async(give_up, thread_sensitive=False)(late)
            os._exit(1)
        await asyncio.sleep(LOOK)


def give_up(keys: list[str]) -> None:
    """Fail overdue submissions, which notifies their teams; database errors are ignored."""
    with suppress(Error):
        for key in keys:
            fail_upload(key, f"its scoring took longer than {longest_seconds(key) / 60:.0f} minutes; the board's keepers were told.")


async def take_up_stalled(app: App) -> None:
    """Return the jobs of dead workers to the queue."""
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=SILENT):
        with suppress(ProcrastinateException):  # another worker was faster
            await app.job_manager.retry_job(job, retry_at=datetime.now(UTC))


def sweep() -> None:
    """Record this worker's heartbeat, queue submissions that lost their jobs, and end anonymity that is due."""
    close_old_connections()
    now = timezone.now()
    WorkerSeen.objects.update_or_create(name=f"{socket.gethostname()}-{os.getpid()}", defaults={"at": now})
    WorkerSeen.objects.filter(at__lt=now - timedelta(days=1)).delete()
    requeue_lost(now)
    reveal_due()


def requeue_lost(now: datetime) -> int:
    """Defer a job for every submission that waits without one; return their number."""
    from gluepot.board.submitting.tasks import publish

    found = 0
    waiting = Upload.objects.filter(state__in=[State.QUEUED, State.SCORING], queued__lt=now - LOST)
    for upload in waiting:
        if not _has_job("key", str(upload.key)):
            with suppress(ProcrastinateException):
                defer_scoring(upload)
                found += 1
    approved = FactSheet.objects.filter(state=FactSheet.State.APPROVED, upload__state=State.PUBLISHING, decided__lt=now - LOST)
    for number in approved.values_list("pk", flat=True):
        if not _has_job("sheet", str(number)):
            with suppress(ProcrastinateException):
                publish.configure(queueing_lock=f"publish-{number}").defer(sheet=number)
                found += 1
    return found


def _has_job(argument: str, value: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM procrastinate_jobs WHERE status IN ('todo', 'doing') AND args ->> %s = %s LIMIT 1", [argument, value])
        return cursor.fetchone() is not None
