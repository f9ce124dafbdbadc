"""The web server: database, pages and files in one process, until Ctrl-C."""

from collections.abc import Callable
from typing import Any

from django.core.wsgi import get_wsgi_application

from gluepot.board.place import open_board
from gluepot.errors import GluepotError

THREADS = 4


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
    """The WSGI application, for other servers than ours: `gunicorn gluepot.board.serving:application`."""
    global _made
    if _made is None:
        open_board(migrate=False)
        _made = get_wsgi_application()
    return _made(environ, start)


_made: Any = None


def serve(host: str, port: int, told: Callable[[str], None]) -> None:
    """Serve until interrupted; the address is told once the socket is open."""
    from waitress import create_server

    try:
        server = create_server(application, host=host, port=port, threads=THREADS, ident="gluepot")
    except OSError as error:
        raise GluepotError(f"port {port} of {host} cannot be opened: {error.strerror or error}. Choose another with --port.") from error
    shown = f"[{host}]" if ":" in host else "localhost" if host in ("127.0.0.1", "0.0.0.0") else host
    told(f"http://{shown}:{server.effective_port}/")
    try:
        server.run()
    finally:
        server.close()
