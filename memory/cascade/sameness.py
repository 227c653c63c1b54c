"""Whether two texts say the same in other words, and whether some words alone say what a text says."""

from __future__ import annotations

from collections.abc import Sequence

from memory.cascade.rules.grounding import ungrounded
from memory.recall.terms import terms_of

SAME_CLAIM = 0.6
"""Two claims with so much of their words in common say the same."""
SAID_AGAIN = 0.75
"""Words that hold so much of a claim, and every name and number of it, say it."""


def likeness(one: str, other: str) -> float:
    """How many of their words two texts share, from 0 to 1 (Jaccard)."""
    left, right = set(terms_of(one)), set(terms_of(other))
    return len(left & right) / len(left | right) if left and right else 0.0


def rewords(text: str, other: str) -> bool:
    """Whether a text says what another one says and names nothing that the other does not."""
    if text == other:
        return True
    return likeness(text, other) >= SAME_CLAIM and not ungrounded(text, [other])


def states(text: str, words: Sequence[str], names: Sequence[str] = (), *, least: float = SAID_AGAIN) -> bool:
    """Whether some words say a text by themselves; `names` are those of who spoke."""
    wanted = set(terms_of(text))
    held = {term for said in (*words, *names) for term in terms_of(said)}
    if not words or not wanted or len(wanted & held) < least * len(wanted):
        return False
    return not ungrounded(text, words, extra=names)


def adds(text: str, words: Sequence[str], other: str) -> bool:
    """Whether a text takes something from some words that another text does not hold."""
    held = {term for said in words for term in terms_of(said)}
    return bool((set(terms_of(text)) - set(terms_of(other))) & held)
