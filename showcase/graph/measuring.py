"""How wide a text is without drawing it: never less than it is, so that nothing leaves its box."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

NARROW = frozenset("iljtfrI.,:;'|!()[] ")
BROAD = frozenset("mwMW@%&—…")
NARROW_EM, USUAL_EM, UPPER_EM, BROAD_EM, WIDE_EM, OTHER_EM = 0.38, 0.6, 0.74, 0.98, 1.05, 0.8
"""Parts of the font's size; of Inter, and of the wider fonts that stand in for it."""
CHARACTERS_KEPT = 4_096
ELLIPSIS = "…"
JOINER = "\u200d"


def width(text: str, size: float) -> float:
    """The width of a line of text in the unit of the font's size, rather too great than too small."""
    return sum(map(_em, text)) * size


def wrap(text: str, *, room: float, size: float, lines: int) -> tuple[str, ...]:
    """A text broken into at most so many lines of so much room; what does not fit ends in an ellipsis."""
    words = text.split()
    found: list[str] = []
    while words and len(found) < lines:
        found.append(_line(words, room, size))
    if words and found:
        found[-1] = _elided(f"{found[-1]} {words[0]}", room, size)
    return tuple(found)


def elide(text: str, *, room: float, size: float) -> str:
    """A text on one line."""
    return "".join(wrap(text, room=room, size=size, lines=1))


def _line(words: list[str], room: float, size: float) -> str:
    """Take words from the list until a line is full; a word that is longer than a line is broken."""
    line = ""
    while words:
        longer = f"{line} {words[0]}".lstrip()
        if width(longer, size) <= room:
            line = longer
            words.pop(0)
        elif line:
            break
        else:
            end = _fitting(words[0], room, size)
            line, words[0] = words[0][:end], words[0][end:]
            break
    return line


def _elided(text: str, room: float, size: float) -> str:
    if width(text + ELLIPSIS, size) <= room:
        return text + ELLIPSIS
    return text[: _fitting(text, room - width(ELLIPSIS, size), size)].rstrip() + ELLIPSIS


def _fitting(text: str, room: float, size: float) -> int:
    """How many characters fit, at least one; marks and joined characters stay with what they belong to."""
    used, end = 0.0, 0
    for place, character in enumerate(text):
        used += _em(character) * size
        if used > room:
            break
        end = place + 1
    while 0 < end < len(text) and (_belongs(text[end]) or text[end - 1] == JOINER):
        end -= 1
    return max(1, end)


def _belongs(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me", "Cf")


@lru_cache(maxsize=CHARACTERS_KEPT)
def _em(character: str) -> float:
    if character.isascii():
        if character in NARROW:
            return NARROW_EM
        if character in BROAD:
            return BROAD_EM
        return UPPER_EM if character.isupper() else USUAL_EM
    if _belongs(character):
        return 0.0
    if character in BROAD or unicodedata.east_asian_width(character) in ("W", "F"):
        return WIDE_EM
    return OTHER_EM
