"""Which rates hold for a request, and whether it is within them."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest

from memory.limiting.counters import counters
from memory.limiting.windows import Counter, Window

SIGN_INS_A_MINUTE = 20
"""Tries of an address, at all doors for people together."""
HOUR_SECONDS = 3_600
NETWORK_BITS = 64
"""Whoever has an address of the newer sort has all of its network's."""


class Kind(StrEnum):
    """What a request costs."""

    READ = "read"
    WRITE = "write"
    EXPENSIVE = "expensive"
    """Asks a model, or goes through a whole memory."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request is within all rates, told by the one that is nearest to its end."""

    window: Window

    @property
    def is_allowed(self) -> bool:
        """Whether it may go on."""
        return self.window.is_allowed

    @property
    def headers(self) -> Mapping[str, str]:
        """What a client is told of the rate; the wait of a refused request is told beside."""
        return {
            "RateLimit-Limit": str(self.window.counter.amount),
            "RateLimit-Remaining": str(self.window.remaining),
            "RateLimit-Reset": str(self.window.reset_seconds),
        }


def admit(*, key_id: UUID, address: str, kind: Kind) -> Verdict | None:
    """Count a request of a key from an address; None where no rate is set."""
    limits = settings.MEMSEEK.limits
    by_kind = {Kind.READ: limits.reads, Kind.WRITE: limits.writes, Kind.EXPENSIVE: limits.expensive}
    wanted = (Counter(f"{kind}:{key_id}", by_kind[kind]), Counter(f"from:{address}", limits.of_address))
    return _verdict([counter for counter in wanted if counter.amount])


def admit_visitor(*, address: str) -> Verdict | None:
    """Count a request without a key; None where no rate is set."""
    amount = settings.MEMSEEK.limits.of_address
    return _verdict([Counter(f"from:{address}", amount)] if amount else [])


def admit_page(*, page: str, address: str, amount: int) -> Verdict | None:
    """Count a visitor's request for a page that takes work: by its own rate, and among all of the address.

    None where addresses have no rate.
    """
    of_address = settings.MEMSEEK.limits.of_address
    if not of_address:
        return None
    own = Counter(f"{page}:{address}", min(amount, of_address))
    return _verdict([own, Counter(f"from:{address}", of_address)])


def admit_sign_in(request: HttpRequest) -> Verdict | None:
    """Count a try of a password, at whichever door; None where addresses have no rate."""
    return admit_page(page="sign-in", address=address_of(request), amount=SIGN_INS_A_MINUTE)


def admit_sandbox(*, address: str, is_new: bool) -> Verdict | None:
    """Count words of a visitor, and a memory of their own where they have none yet; None without rates.

    These rates hold everywhere: whoever lets strangers write means them to stay within limits.
    """
    allowed = settings.MEMSEEK.sandbox
    wanted = [Counter(f"sandbox:{address}", allowed.said_a_minute)]
    if is_new:
        wanted.append(Counter(f"sandbox-new:{address}", allowed.new_an_hour, HOUR_SECONDS))
    return _verdict([counter for counter in wanted if counter.amount])


def admit_failure(*, address: str) -> Verdict | None:
    """Count a key that opened nothing; None where no rate is set."""
    amount = settings.MEMSEEK.limits.failed_keys
    return _verdict([Counter(f"failed:{address}", amount)] if amount else [])


def _verdict(wanted: list[Counter]) -> Verdict | None:
    if not wanted:
        return None
    windows = counters().take(wanted)
    return Verdict(min(windows, key=lambda window: (window.is_allowed, window.remaining)))


def address_of(request: HttpRequest) -> str:
    """Where a request comes from. What proxies say is believed as far as the settings say there are any."""
    hops = settings.MEMSEEK.limits.proxies
    told = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hops else []
    given = told[-hops] if len(told) >= hops > 0 else request.META.get("REMOTE_ADDR") or ""
    return _network_of(given.strip())


def _network_of(address: str) -> str:
    try:
        found = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        # A socket has none, and a proxy may say anything: all of it together is one.
        return "unknown"
    if found.version == 4 or found.ipv4_mapped:
        return str(found if found.version == 4 else found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), NETWORK_BITS), strict=False))
