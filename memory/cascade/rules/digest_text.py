"""The text of a digest, cut and mended at the ends of sentences."""

from __future__ import annotations

import re
from collections.abc import Callable

_BREAK = re.compile(r"(?<=[.!?…])(?=\s)|(?<=[.!?…][\"'”’»)\]])(?=\s)|(?<=[。！？])|(?<=\n)")
SHORTEST_CUT = 0.4
"""A text is cut inside a sentence only where whole ones would leave less than this part of the room."""


def parts_of(text: str) -> list[str]:
    """The sentences and lines of a text; put together they give it back."""
    return [part for part in _BREAK.split(text) if part]


def cut_to(text: str, limit: int) -> str:
    """The text within a limit of characters, cut at the end of a sentence where that leaves enough."""
    text = text.strip()
    if len(text) <= limit:
        return text
    kept = ""
    for part in parts_of(text):
        if len((kept + part).rstrip()) > limit:
            break
        kept += part
    kept = kept.strip()
    return kept if len(kept) >= limit * SHORTEST_CUT else shortened(text, limit)


def shortened(text: str, limit: int) -> str:
    """The beginning of a text up to the last whole word that fits, marked as cut."""
    text = text.strip()
    if len(text) <= limit:
        return text
    room = text[: limit - 1]
    words = room.rsplit(maxsplit=1)[0] if " " in room else room
    kept = words if len(words) >= len(room) // 2 else room
    return f"{kept.rstrip(' ,;:.')}…"


def without(text: str, is_bad: Callable[[str], bool]) -> str:
    """The text without the sentences and lines that are bad."""
    kept = "".join(part for part in parts_of(text) if not (part.strip() and is_bad(part.strip())))
    return "\n".join(line.rstrip() for line in kept.strip().splitlines() if line.strip())


def without_middle(text: str, limit: int) -> str:
    """The beginning and the end of a long text: what it is about, and what it comes to."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 3]} … {text[-tail:]}"
