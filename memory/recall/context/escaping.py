"""Stored text made harmless before it is shown to a model: one line, and nothing in it that cannot be seen.

What was remembered may have been said by anybody. It can neither close the fence around it nor look like a
heading, a handle or a line of its own, since it never begins a line.
"""

from __future__ import annotations

import re
import unicodedata

from memory.ingest.recalled import NAME, strip_recalled

__all__ = ["one_line", "own_words"]

# Spaces, and every control character: line breaks of all kinds are among them.
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TAG_OPENING = re.compile(rf"<(?=\W*{NAME})", re.IGNORECASE)
_JOINERS = frozenset("\u200c\u200d\u200e\u200f")
"""Needed by emoji and by scripts that join or run from the right; hidden between ASCII letters."""
_HIDING = re.compile(r"[\U000e0100-\U000e01ef\u115f\u1160\u3164\uffa0]")
"""Characters that show nothing although Unicode counts them as letters or marks."""


def one_line(text: str) -> str:
    """A stored text in one line, recalled marks and invisible characters made visible."""
    plain = _BREAKS.sub(" ", text).strip()
    return _seen(_TAG_OPENING.sub("&lt;", plain))


def own_words(text: str) -> str:
    """The words of the one who asks now: line breaks stay, recalled blocks are not theirs."""
    lines = (_BREAKS.sub(" ", line).rstrip() for line in strip_recalled(text).splitlines())
    return _seen(_TAG_OPENING.sub("&lt;", "\n".join(lines).strip()))


def _seen(text: str) -> str:
    """Show characters without width and those that turn the direction as their code: `[U+202E]`."""
    if text.isascii():
        return text
    return "".join(
        f"[U+{ord(character):04X}]" if _is_hidden(text, place) else character
        for place, character in enumerate(text)
    )


def _is_hidden(text: str, place: int) -> bool:
    character = text[place]
    if character in _JOINERS:
        return not any(_is_beyond_ascii(text, near) for near in (place - 1, place + 1))
    if character == "\n" or character.isascii():
        return False
    return unicodedata.category(character) in {"Cf", "Cc", "Co", "Cs"} or bool(_HIDING.match(character))


def _is_beyond_ascii(text: str, place: int) -> bool:
    """There is a visible character there that is not ASCII."""
    if not 0 <= place < len(text) or text[place].isascii():
        return False
    return text[place] not in _JOINERS and unicodedata.category(text[place]) != "Cf"
