"""Connections with limits: who is slow, or opens too many, loses connections of their own, and nobody else waits.

waitress waits for all connections in one loop and answers whole requests in threads, so that a half-open one costs a file descriptor and
no thread. What it lacks is here: it stops accepting at a limit, and every byte that drips in puts its time-out off.
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
"""Connections in all, and of one address, but for trusted proxies; beyond that the one that waits longest is closed."""
PACE, LEAST = 60.0, 2**16
"""Seconds, and the bytes of a long answer that must be taken in them. A full buffer asks for more only when a part is free again, of up to
400 kB on Linux: shorter stretches would cut off who reads slowly and steadily."""
LINGER = 5.0
"""Seconds in which an unwanted body is read and dropped, so that its sender comes to read the answer."""
HEADER = 2**15
"""Bytes of a request."""
KEPT = 2**18
"""Bytes of an answer that wait in memory; longer ones wait in a file."""


class Connection(HTTPChannel):
    """One connection."""

    parser_class = BoundedRequest
    close_when_flushed: bool
    sent = 0
    dropping: float | None = None
    """Since when what comes in is dropped."""
    paced: tuple[float, int] | None = None
    """When the last stretch of a long answer began, and the bytes that were taken before."""

    def __init__(self, server: "Listener", *rest: Any, **more: Any) -> None:
        self.since = monotonic()
        super().__init__(server, *rest, **more)
        self.proxied = PROXIES.trust(self.addr[0])
        """Whether it comes from a proxy of ours, which speaks for many."""
        self.visitor = visitor(self.addr[0])
        server.connections.admit(self)

    def begin(self) -> None:
        """A request is complete, and will be answered."""
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
            self.dropping = None  # all of it has come; the answer is still to be given
        elif ended:
            self.handle_close()

    def handle_write(self) -> None:
        if self.dropping is None:
            super().handle_write()
            return
        self._flush_exception(self._flush_some_if_lockable)
        if self.will_close:
            self.handle_close()
        elif self.close_when_flushed and not self.total_outbufs_len:  # a plain close would take the answer back while more comes in
            self.close_when_flushed = False
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)

    def is_late(self, now: float) -> bool:
        """Whether its time is up, for the request, or for the stretch of an answer."""
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
        """Bytes that have arrived: what was sent, less what still waits in the system's buffer of some megabytes."""
        try:
            waiting = int.from_bytes(fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
        except OSError:
            waiting = 0
        return self.sent - waiting

    def del_channel(self, *given: Any) -> None:
        super().del_channel(*given)
        self.server.connections.forget(self)


class Connections:
    """All that are open, by address."""

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
        """A proxy's connection counts as its visitor's once it is known whose request it brings."""
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
        """Close what is too much and, once a second, what is late; never while the loop goes through its list."""
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
        """The one that waits longest for its request to come, then for its answer to be taken; else the newest, if it is still there."""
        waiting = [one for one in theirs if not one.requests and one is not newest]
        victim = min(waiting, key=lambda one: (one.total_outbufs_len > 0, one.since), default=newest)
        if victim not in self.of.get(victim.visitor, set()):
            return False
        victim.handle_close()
        return True


class Listener(TcpWSGIServer):
    """A socket at which connections come in; it never stops accepting them."""

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
    """An application at every address of a host, at one port."""

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
            clear_untrusted_proxy_headers=not PROXIES,  # else it depends on who says it (Visitors)
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
        """Answer until interrupted."""
        try:
            while self.map:
                wasyncore.loop(timeout=1, use_poll=True, map=self.map, count=1)
                self.connections.tidy()
        except (SystemExit, KeyboardInterrupt):
            self.threads.shutdown()

    def close(self) -> None:
        wasyncore.close_all(self.map)


def visitor(address: str) -> str:
    """Who is counted as one: an address of IPv4, or the network of IPv6 that one household has.

    >>> visitor("192.0.2.7"), visitor("2001:db8:1:2:aaaa::1")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    plain = address.partition("%")[0]
    return str(ip_network(f"{plain}/64", strict=False)) if ":" in plain else plain
