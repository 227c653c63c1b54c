"""Where a stream stands: transaction and number of an event, and the word by which a reader resumes."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as BadBase64
from dataclasses import dataclass

TOKEN = re.compile(r"[A-Za-z0-9_-]{1,96}")
_TOLD = re.compile(r"1\.([0-9]{1,20})\.([0-9]{1,19})\.([0-9]{1,12})")
LARGEST_TRANSACTION = 2**64 - 1
LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """An event's place in the order of delivery. Number 0 is before every event of its transaction."""

    transaction: int
    id: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """A place, and when everything up to it had been delivered, in seconds since 1970."""

    place: Place
    at: int

    def __str__(self) -> str:
        told = f"1.{self.place.transaction}.{self.place.id}.{self.at}"
        return urlsafe_b64encode(told.encode()).decode().rstrip("=")


def read_token(text: str) -> Token:
    """What a reader was given; ValueError for anything else."""
    if not TOKEN.fullmatch(text):
        raise ValueError("is no token of a stream")
    try:
        told = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except (BadBase64, UnicodeDecodeError) as error:
        raise ValueError("is no token of a stream") from error
    found = _TOLD.fullmatch(told)
    if found is None:
        raise ValueError("is no token of a stream")
    transaction, number, at = map(int, found.groups())
    if transaction > LARGEST_TRANSACTION or number > LARGEST_ID:
        raise ValueError("is no token of a stream")
    return Token(Place(transaction, number), at)
