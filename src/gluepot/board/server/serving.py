"""The web server: pages and static files in one process, until interrupted."""

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
    """WSGI application for other servers: `gunicorn gluepot.board.server.serving:application`."""
    return _application()(environ, start)


def _application() -> Any:
    """Return the application, created once per process on an open board whose database is restarted if it ends."""
    global _made
    with _making:
        if _made is None:
            open_board(role=SITE, migrate=False)
            keep_database()
            _made = get_wsgi_application()
    return _made


def serve(host: str, ports: Sequence[int], told: Callable[[str], None]) -> None:
    """Serve on the first free port until interrupted; `told` receives the URL once it is open."""
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
        except ValueError as error:  # raised by waitress for an unknown host name
            raise WrongUse(f"--host {host}: no address of this machine. 127.0.0.1 is for this machine only, 0.0.0.0 for all.") from error
        except OSError as error:
            reason = f"port {port} of {host} cannot be opened: {error.strerror or error}. Choose another with --port."
    raise GluepotError(reason)


def _warm() -> None:
    """Load every suite's scores before the first request."""
    from django.db import Error, connection

    from gluepot.board.views.home import home

    try:
        home()
    except Error as error:
        if not is_outage(error):
            raise
    finally:
        connection.close()
