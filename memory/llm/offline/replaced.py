"""Claims that name what they replace: «X instead of Y», «switched from Y to X», «back to X»."""

from __future__ import annotations

import re
from functools import lru_cache

from memory.llm.offline.change_cues import change_cues
from memory.llm.offline.gists import Gist, Known, gist_of, is_event, read
from memory.llm.offline.slots import fillings_of
from memory.llm.offline.words import content_words, stem, tokens, values

SAME_MATTER = 0.6
"""Share of the claim's other words that the known claim must hold."""


def tells_replaced(claim: Known, other: Known) -> bool:
    """Whether the claim itself names the old value and the other claim holds it, about the same matter."""
    gist, known = gist_of(claim), gist_of(other)
    if is_event(other) and not _replaced(known.text, known.language):
        return False
    if any(_replaces(claim, other, old) for old in _replaced(gist.text, gist.language)):
        return True
    return any(_returns(new, known) for new in _returned(gist.text, gist.language))


def has_rival_tool(claim: Known, other: Known) -> bool:
    """«switched to Chrome» of somebody who uses Firefox."""
    return gist_of(claim).is_changed and any(
        use == old_use and name != old_name
        for name, use in _tools_of(claim)
        for old_name, old_use in _tools_of(other)
    )


def shares_use(claim: Known, other: Known) -> bool:
    """Whether both name tools that serve one use."""
    uses = {use for _, use in _tools_of(claim)}
    return bool(uses) and any(use in uses for _, use in _tools_of(other))


@lru_cache(maxsize=8_192)
def _replaced(text: str, language: str) -> tuple[str, ...]:
    """Old values that a text tells beside the new ones."""
    changes = change_cues(language)
    found = (pattern.search(text) for pattern in changes.replacements)
    return tuple(changes.tail.sub("", match.group("old")) for match in found if match)


@lru_cache(maxsize=8_192)
def _returned(text: str, language: str) -> tuple[str, ...]:
    """What somebody went back to."""
    changes = change_cues(language)
    found = (pattern.search(text) for pattern in changes.returns)
    return tuple(changes.tail.sub("", match.group("new")) for match in found if match)


def _replaces(claim: Known, other: Known, old: str) -> bool:
    gist, known = gist_of(claim), gist_of(other)
    gone, gone_values = content_words(old), values(old)
    if not (gone or gone_values) or not (gone <= known.content and gone_values <= known.values):
        return False
    if claim.subject.casefold() == other.subject.casefold() and _holds(other, known, old, gone):
        return True
    turning = {stem(word) for word in gist.changes.turning}
    rest = gist.content - gone - turning
    return bool(rest) and len(rest & known.content) / len(rest) >= SAME_MATTER


def _holds(other: Known, known: Gist, old: str, gone: frozenset[str]) -> bool:
    """The old value is what the known claim is about: a tool in use, a home."""
    fills = any(gone <= {stem(word) for word in filling.value} for filling in fillings_of(other))
    return _uses(known, old) or (bool(gone) and fills)


def _uses(known: Gist, thing: str) -> bool:
    """«uses vim», «switched to vim»: a thing in use, not one among things liked or met."""
    used = rf"\b(?:{known.changes.using}|switched (?:back )?to|to)\s+(?:the |a )?{re.escape(thing.strip())}\b"
    return re.search(used, known.text, re.IGNORECASE) is not None


def _returns(new: str, known: Gist) -> bool:
    """«back to vim» after «switched from vim to Zed»."""
    thing = content_words(new)
    return bool(thing) and any(thing == content_words(old) for old in _replaced(known.text, known.language))


def _tools_of(known: Known) -> tuple[tuple[str, str], ...]:
    gist = gist_of(known)
    return _tools(gist.text, gist.language)


@lru_cache(maxsize=8_192)
def _tools(text: str, language: str) -> tuple[tuple[str, str], ...]:
    """Tools in use, each with what it serves."""
    gist, words = read(text), set(tokens(text))
    return tuple(
        (name, use)
        for name, use in change_cues(language).rivals.items()
        if name.split()[-1] in words and _uses(gist, name)
    )
