"""What the readers yield."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

PLACE_SHOWN = 120
NOTHING_SAID = "messages with nothing in them"


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message found in a file. `entity` names whose memory it is for, empty when the file does not say.

    `place` tells a person where it stands; `fraction` is how much of the file has been read, from 0 to 1.
    A time in it without a zone is meant in the zone of whoever takes it. `title` is what the file calls the
    conversation.
    """

    entity: str
    place: str
    fraction: float
    message: Mapping[str, Any]
    title: str = ""


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A statement that another memory made. `reference` is its id there, `said_at` when it last changed."""

    entity: str
    place: str
    fraction: float
    reference: str
    text: str
    kind: str
    topic: str
    subject: str
    said_at: datetime | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Things of a file that are no words of this memory, and why; counted, never stored."""

    reason: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class BadRow:
    """Something in a file that cannot be read as a message."""

    place: str
    problem: str


Found = ReadMessage | ReadClaim | LeftOut | BadRow


class UnreadableFileError(Exception):
    """The file as a whole is not in the format."""
