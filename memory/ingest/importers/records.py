"""What the readers yield."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PLACE_SHOWN = 120


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message found in a file. `entity` names whose memory it is for, empty when the file does not say.

    `place` tells a person where it stands; `fraction` is how much of the file has been read, from 0 to 1.
    """

    entity: str
    place: str
    fraction: float
    message: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadRow:
    """Something in a file that cannot be read as a message."""

    place: str
    problem: str


class UnreadableFileError(Exception):
    """The file as a whole is not in the format."""
