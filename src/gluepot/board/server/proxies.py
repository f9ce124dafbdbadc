"""Trusted proxies: forwarding headers are honoured from these alone.

GLUEPOT_PROXIES lists their addresses or networks (`127.0.0.1,10.0.0.0/8`); `unix` stands for peers on a Unix socket.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from gluepot.errors import WrongUse

SETTING = "GLUEPOT_PROXIES"
UNIX = "unix"
MOST_HOPS = 20
"""Maximum addresses read from one header."""


@dataclass(frozen=True)
class TrustedProxies:
    """Proxies whose forwarding headers are trusted."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    unix: bool = False

    def __bool__(self) -> bool:
        return bool(self.networks) or self.unix

    def trust(self, address: str) -> bool:
        """Whether an address is a trusted proxy; peers on a Unix socket have an empty address."""
        found = read_address(address)
        if found is None:
            return self.unix and not address
        return any(found in network for network in self.networks)

    def visitor(self, peer: str, forwarded: str) -> str:
        """Return the client's address: the last one in X-Forwarded-For that is not a trusted proxy, each reported by the next hop.

        >>> ours = read_proxies("127.0.0.1, 10.0.0.0/8")
        >>> ours.visitor("127.0.0.1", "6.6.6.6, 192.0.2.7, 10.0.0.3")
        '192.0.2.7'
        >>> ours.visitor("198.51.100.9", "192.0.2.7")  # a stranger's word
        '198.51.100.9'
        """
        seen = peer
        for hop in reversed(forwarded.split(",")[-MOST_HOPS:]):
            found = read_address(hop) if self.trust(seen) else None
            if found is None:
                break
            seen = str(found)
        return seen


def read_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address as proxies write it, with or without a port; IPv4-mapped IPv6 becomes IPv4, and an invalid address None.

    >>> read_address("[::ffff:192.0.2.7]:443"), read_address("192.0.2.7:80"), read_address("unknown")
    (IPv4Address('192.0.2.7'), IPv4Address('192.0.2.7'), None)
    """
    plain = text.strip().partition("%")[0]
    if plain.startswith("["):
        plain = plain[1:].partition("]")[0]
    elif plain.count(":") == 1:
        plain = plain.partition(":")[0]
    try:
        found = ip_address(plain)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def read_proxies(text: str) -> TrustedProxies:
    """Parse the proxies listed in a setting."""
    words = [word for word in map(str.strip, text.split(",")) if word]
    return TrustedProxies(tuple(_networks(word for word in words if word != UNIX)), UNIX in words)


def _networks(words: Iterable[str]) -> Iterable[IPv4Network | IPv6Network]:
    for word in words:
        try:
            yield ip_network(word)
        except ValueError as error:
            hint = "Name the addresses or networks of your proxies: 127.0.0.1,10.0.0.0/8; or unix for a socket of this machine."
            raise WrongUse(f"{SETTING}: {word[:60]!r} is no address ({error}). {hint}") from error


PROXIES = read_proxies(os.environ.get(SETTING, ""))
"""Trusted proxies of this board."""
