"""The web server: pages and files in one process, until it is interrupted."""

from collections.abc import Callable, Sequence
from threading import Lock, Thread
from typing import Any

from django.core.wsgi import get_wsgi_application

from gluepot.board.server.connections import Site
from gluepot.board.server.database import keep_database
from gluepot.board.server.outages import is_outage
from gluepot.board.server.postgres.roles import SITE
from gluepot.board.server.setup import open_board
from gluepot.errors import GluepotError, WrongUse

THREADS = 4
_making = Lock()
_made: Any = None


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
    """The WSGI application, for other servers than ours: `gunicorn gluepot.board.server.serving:application`."""
    return _application()(environ, start)


def _application() -> Any:
    """Made once a process, on a board whose database is kept running."""
    global _made
    with _making:
        if _made is None:
            open_board(role=SITE, migrate=False)
            keep_database()
            _made = get_wsgi_application()
    return _made


def serve(host: str, ports: Sequence[int], told: Callable[[str], None]) -> None:
    """Serve at the first port that is free, until interrupted; the address is told once it is open."""
    server = _open(host, ports)
    _application()
    shown = f"[{host}]" if ":" in host else "localhost" if host in ("127.0.0.1", "0.0.0.0") else host  # noqa: S104  compared, not bound
    told(f"http://{shown}:{server.port}/")
    Thread(target=_warm, daemon=True).start()
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def _open(host: str, ports: Sequence[int]) -> Site:
    for port in ports:
        try:
            return Site(application, host, port, THREADS)
        except ValueError as error:  # as waitress tells of names that nobody knows
            raise WrongUse(f"--host {host}: no address of this machine. 127.0.0.1 is for this machine only, 0.0.0.0 for all.") from error
        except OSError as error:
            reason = f"port {port} of {host} cannot be opened: {error.strerror or error}. Choose another with --port."
    raise GluepotError(reason)


def _warm() -> None:
    """Load every suite's numbers before the first visitor asks for them."""
    from django.db import Error, connection

    from gluepot.board.views.home import home

    try:
        home()
    except Error as error:
        if not is_outage(error):
            raise
    finally:
        connection.close()
