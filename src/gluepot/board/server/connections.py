"""Connection limits: a client that is slow or opens too many connections loses its own connections and delays nobody else.

waitress polls all connections in one loop and processes complete requests in threads, so that a half-open one costs a file descriptor
and no thread. On its own it stops accepting connections at a limit, and every received byte resets its timeout; this module fixes both.
"""

import fcntl
import resource
import socket
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_network
from time import monotonic
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from gluepot.board.server.middleware.requests import REQUEST as REQUEST
from gluepot.board.server.middleware.requests import BoundedRequest
from gluepot.board.server.proxies import PROXIES

MOST, EACH = 500, 100
"""Maximum connections in total, and per address except trusted proxies; beyond that the one that has waited longest is closed."""
PACE, LEAST = 60.0, 2**16
"""Seconds, and the bytes of a long response that the client must take within them. A full send buffer accepts more only when a part is
free again, of up to 400 kB on Linux: shorter intervals would cut off clients that read slowly but steadily."""
LINGER = 5.0
"""Seconds for which a refused body is read and discarded, so that the client gets to read the response."""
HEADER = 2**15
"""Maximum bytes of a request header."""
KEPT = 2**18
"""Bytes of a response buffered in memory; longer responses are buffered in a file."""


class Connection(HTTPChannel):
    """A client connection with time limits on requests and responses."""

    parser_class = BoundedRequest
    close_when_flushed: bool
    sent = 0
    dropping: float | None = None
    """Time since which received data is discarded; None if it is not."""
    paced: tuple[float, int] | None = None
    """Start of the current interval of a long response, and the bytes taken before it."""

    def __init__(self, server: "Listener", *rest: Any, **more: Any) -> None:
        self.since = monotonic()
        super().__init__(server, *rest, **more)
        self.proxied = PROXIES.trust(self.addr[0])
        """Whether the peer is a trusted proxy, which forwards requests of many clients."""
        self.visitor = visitor(self.addr[0])
        server.connections.admit(self)

    def begin(self) -> None:
        """Handle the arrival of a complete request."""
        self.since = monotonic()
        if self.requests[0].unwanted:
            self.dropping = self.since
        if PROXIES.trust(self.addr[0]):
            self.server.connections.reassign(self, PROXIES.visitor(self.addr[0], self.requests[0].headers.get("X_FORWARDED_FOR", "")))

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close=do_close)
        self.sent += sent
        return sent

    def readable(self) -> bool:
        return self.dropping is not None or bool(super().readable())

    def handle_read(self) -> None:
        if self.dropping is None:
            super().handle_read()
            return
        try:
            ended = not self.socket.recv(KEPT)
        except BlockingIOError:
            return
        except OSError:
            self.handle_close()
            return
        if ended and (self.requests or self.close_when_flushed):
            self.dropping = None  # the client has sent everything; the response is still due
        elif ended:
            self.handle_close()

    def handle_write(self) -> None:
        if self.dropping is None:
            super().handle_write()
            return
        self._flush_exception(self._flush_some_if_lockable)
        if self.will_close:
            self.handle_close()
        elif self.close_when_flushed and not self.total_outbufs_len:  # closing outright would discard the response while data still arrives
            self.close_when_flushed = False
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)

    def is_late(self, now: float) -> bool:
        """Whether the time limit of the request, or of an interval of the response, has passed."""
        if self.dropping is not None and not self.total_outbufs_len:
            return now - self.dropping > LINGER
        if self.total_outbufs_len:
            return self._is_behind(now)
        self.paced = None
        if self.requests:
            self.since = now
        if self.request is not None and self.request.body_rcv is not None:
            return bool(self.request.is_behind(now - self.since))
        return now - self.since > REQUEST

    def _is_behind(self, now: float) -> bool:
        self.since = now
        if self.paced is None:
            self.paced = now, self._taken()
        began, before = self.paced
        if now - began < PACE:
            return False
        self.paced = now, self._taken()
        return self.paced[1] - before < LEAST

    def _taken(self) -> int:
        """Return the bytes delivered: those sent, less those still in the kernel's send buffer of some megabytes."""
        try:
            waiting = int.from_bytes(fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
        except OSError:
            waiting = 0
        return self.sent - waiting

    def del_channel(self, *given: Any) -> None:
        super().del_channel(*given)
        self.server.connections.forget(self)


class Connections:
    """All open connections, by client address."""

    def __init__(self, most: int = MOST, each: int = EACH) -> None:
        self.most, self.each = most, each
        self.of: dict[str, set[Connection]] = {}
        self.count = 0
        self.new: list[Connection] = []
        self.next_look = 0.0

    def admit(self, channel: Connection) -> None:
        self.of.setdefault(channel.visitor, set()).add(channel)
        self.count += 1
        self.new.append(channel)

    def reassign(self, channel: Connection, address: str) -> None:
        """Count a proxy's connection as its client's, once the request identifies the client."""
        self.forget(channel)
        channel.visitor, channel.proxied = visitor(address), PROXIES.trust(address)
        self.admit(channel)

    def forget(self, channel: Connection) -> None:
        theirs = self.of.get(channel.visitor, set())
        if channel in theirs:
            theirs.remove(channel)
            self.count -= 1
            if not theirs:
                del self.of[channel.visitor]

    def tidy(self) -> None:
        """Close connections over the limits and, once a second, late ones; never called while the loop iterates over its map."""
        for channel in self.new:
            while not channel.proxied and len(theirs := self.of.get(channel.visitor, set())) > self.each:
                if not self._close_one(theirs, channel):
                    break
            while self.count > self.most and self._close_one(max(self.of.values(), key=len), channel):
                pass
        self.new.clear()
        now = monotonic()
        if now >= self.next_look:
            self.next_look = now + 1
            for channel in [one for theirs in self.of.values() for one in theirs]:
                if channel.is_late(now):
                    channel.handle_close()

    def _close_one(self, theirs: set[Connection], newest: Connection) -> bool:
        """Close the connection waiting longest for its request, else for its response to be taken, else the newest; return success."""
        waiting = [one for one in theirs if not one.requests and one is not newest]
        victim = min(waiting, key=lambda one: (one.total_outbufs_len > 0, one.since), default=newest)
        if victim not in self.of.get(victim.visitor, set()):
            return False
        victim.handle_close()
        return True


class Listener(TcpWSGIServer):
    """A listening socket that never stops accepting connections."""

    channel_class = Connection

    def __init__(self, connections: Connections, *given: Any, **more: Any) -> None:
        self.connections = connections
        super().__init__(*given, **more)

    def readable(self) -> bool:
        return bool(self.accepting)

    def add_task(self, task: Connection) -> None:
        task.begin()
        super().add_task(task)


class Site:
    """A WSGI server on every address of a host, at one port."""

    def __init__(self, application: Callable[..., Any], host: str, port: int, threads: int, listener: type[Listener] = Listener) -> None:
        settings = Adjustments(
            host=host,
            port=port,
            threads=threads,
            ident="gluepot",
            max_request_header_size=HEADER,
            max_request_body_size=1,
            outbuf_overflow=KEPT,
            log_socket_errors=False,
            clear_untrusted_proxy_headers=not PROXIES,  # with proxies, it depends on the peer (ClientAddressMiddleware)
        )
        self.map: dict[int, Any] = {}
        self.connections = Connections(most=min(MOST, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100) // 2))
        self.threads = ThreadedTaskDispatcher()
        self.port = port
        try:
            for family, kind, protocol, (name, _, *rest) in settings.listen:
                known = family, kind, protocol, (name, self.port, *rest)
                opened = listener(self.connections, application, self.map, dispatcher=self.threads, adj=settings, sockinfo=known)
                self.port = int(opened.effective_port)
        except OSError:
            wasyncore.close_all(self.map)
            raise
        self.threads.set_thread_count(threads)

    def run(self) -> None:
        """Serve until interrupted."""
        try:
            while self.map:
                wasyncore.loop(timeout=1, use_poll=True, map=self.map, count=1)
                self.connections.tidy()
        except (SystemExit, KeyboardInterrupt):
            self.threads.shutdown()

    def close(self) -> None:
        wasyncore.close_all(self.map)


def visitor(address: str) -> str:
    """Return the unit for counting clients: an IPv4 address, or the /64 network that an IPv6 household has.

    >>> visitor("192.0.2.7"), visitor("2001:db8:1:2:aaaa::1")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    plain = address.partition("%")[0]
    return str(ip_network(f"{plain}/64", strict=False)) if ":" in plain else plain
