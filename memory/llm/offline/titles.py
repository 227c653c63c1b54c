"""Scene titles that a person would give."""

from __future__ import annotations

from memory.cascade.contract import TITLE_LIMIT

SMALL_WORDS = frozenset({"and", "or", "of", "for", "the", "a", "an", "in", "on", "to", "with", "at", "by"})


def title_of(topic: str) -> str:
    """«billing API migration» is «Billing API Migration»; a person's theme keeps its lower case."""
    words = topic.split()
    if not words:
        return "Notes"
    if "'s " in topic or words[0] in {"working", "about"}:
        return f"{topic[:1].upper()}{topic[1:]}"[:TITLE_LIMIT]
    return " ".join(_titled(word, index) for index, word in enumerate(words))[:TITLE_LIMIT]


def _titled(word: str, index: int) -> str:
    if any(letter.isupper() for letter in word) or (index and word in SMALL_WORDS):
        return word
    return word.upper() if word in {"ui", "ux", "api"} else word[:1].upper() + word[1:]
