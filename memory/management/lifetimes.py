"""How long a key opens, as people write it: `90m`, `8h`, `30d`."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from datetime import datetime, timedelta

from django.utils import timezone

UNITS = {"m": "minutes", "h": "hours", "d": "days"}
WRITTEN = re.compile(r"([1-9][0-9]{0,5})([mhd])")
LONGEST = timedelta(days=3660)


def add_lifetime_argument(parser: ArgumentParser) -> None:
    """--lifetime; None without it."""
    parser.add_argument(
        "--lifetime",
        type=_lifetime,
        metavar="TIME",
        help="how long the key opens, such as 90m, 8h or 30d (without end)",
    )


def end_of(lifetime: timedelta | None) -> datetime | None:
    """When a key that is made now ends."""
    return None if lifetime is None else timezone.now() + lifetime


def _lifetime(text: str) -> timedelta:
    """A length of time for argparse, which tells about a ValueError."""
    written = WRITTEN.fullmatch(text)
    if written is None:
        raise ValueError(text)
    lifetime = timedelta(**{UNITS[written[2]]: int(written[1])})
    if lifetime > LONGEST:
        raise ValueError(text)
    return lifetime


_lifetime.__name__ = "length of time"
