"""Which addresses a live source may be asked at. Pure: texts and numbers, nothing is looked up or opened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, quote, urlsplit

PORTS = {"https": 443, "http": 80}
PLACES = ("kind", "identifier", "predicate")
_PLACE = re.compile(r"\{(\w+)\}")
_NAT64 = IPv6Network("64:ff9b::/96")
_DOTS = frozenset({".", ".."})

Address = IPv4Address | IPv6Address


class LiveError(Exception):
    """No value could be had; the text says why, without anything that was sent or came."""


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts that may be asked, each `host` or `host:port`; of these, those at private addresses."""

    allowed: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be asked, taken apart."""

    url: str
    scheme: str
    host: str
    port: int
    may_be_private: bool

    @property
    def origin(self) -> tuple[str, str, int]:
        """What a credential is good for."""
        return (self.scheme, self.host, self.port)

    @property
    def host_header(self) -> str:
        """The host as a request names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def template_problem(template: str) -> str | None:
    """Why a text is no address of a source, or None when it is one."""
    unknown = set(_PLACE.findall(template)) - set(PLACES)
    if unknown:
        return f"holds {{{min(unknown)}}}; known are {', '.join(f'{{{place}}}' for place in PLACES)}"
    plain = _PLACE.sub("x", template)
    if "{" in plain or "}" in plain:
        return "holds a brace that belongs to no place"
    try:
        parts = urlsplit(template)
        before_path = f"{parts.scheme}{parts.netloc}"
        _port(parts)
    except ValueError:
        return "is no address"
    if "{" in before_path:
        return "has to name its host in full"
    if parts.scheme not in PORTS or not parts.hostname:
        return "has to begin with https:// and a host, or with http:// where private hosts are allowed"
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "holds a user, a password or a fragment; name a credential instead"
    return (
        None if template.isascii() and template.isprintable() else "holds a character that has to be encoded"
    )


def filled(template: str, places: Mapping[str, str]) -> str:
    """An address with its places filled, each one encoded part; LiveError for what would leave its part."""
    if template_problem(template):
        raise LiveError("has an address that cannot be read")
    if any(places[name] in _DOTS for name in _PLACE.findall(template)):
        raise LiveError("cannot be asked about such a name")
    return _PLACE.sub(lambda found: quote(places[found[1]], safe=""), template)


def target_of(url: str, hosts: Hosts) -> Target:
    """The address taken apart; LiveError unless its host may be asked in this way."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, (parts.hostname or "").lower(), _port(parts)
    except ValueError as error:
        raise LiveError("has an address that cannot be read") from error
    if scheme not in PORTS or not host or parts.username is not None:
        raise LiveError("has an address that cannot be read")
    names = _names(host, port, is_usual=port == PORTS[scheme])
    if not names & hosts.allowed:
        raise LiveError("lies on a host that is not allowed")
    may_be_private = bool(names & hosts.private)
    if scheme == "http" and not may_be_private:
        raise LiveError("has to be asked over https")
    return Target(url, scheme, host, port, may_be_private)


def is_reachable(address: str, *, may_be_private: bool) -> bool:
    """Whether a host may lie at this address of the network; wrapped IPv4 addresses are looked into."""
    found = _unwrapped(ip_address(address.partition("%")[0]))
    is_reserved = isinstance(found, IPv4Address) and found.is_reserved
    if found.is_multicast or found.is_unspecified or found.is_link_local or is_reserved:
        # Link-local is where clouds keep the credentials of a machine: never, whatever is allowed.
        return False
    return found.is_global or may_be_private


def _unwrapped(address: Address) -> Address:
    if isinstance(address, IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and address in _NAT64:
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    if inner is None and address.teredo is not None:
        inner = address.teredo[1]
    return inner or address


def _port(parts: SplitResult) -> int:
    return parts.port if parts.port is not None else PORTS.get(parts.scheme, 0)


def _names(host: str, port: int, *, is_usual: bool) -> frozenset[str]:
    shown = f"[{host}]" if ":" in host else host
    return frozenset({f"{shown}:{port}", *({shown} if is_usual else ())})
