"""What an examination says: one fact, how bad it is, and how to mend it."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is; the command fails when one is broken."""

    FINE = "fine"
    NOTE = "note"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """One fact about one topic. `mend` says what to do; it is empty where nothing has to be done."""

    level: Level
    topic: str
    text: str
    mend: str = ""


def fine(topic: str, text: str) -> Finding:
    """As it should be."""
    return Finding(Level.FINE, topic, text)


def note(topic: str, text: str, mend: str = "") -> Finding:
    """Worth knowing, nothing is broken."""
    return Finding(Level.NOTE, topic, text, mend)


def broken(topic: str, text: str, mend: str) -> Finding:
    """Does not work until somebody mends it."""
    return Finding(Level.BROKEN, topic, text, mend)
