"""States of one thing, of which it is in one at a time: unapproved and approved, under way and finished."""

from __future__ import annotations

from functools import lru_cache

from memory.llm.offline.change_cues import change_cues
from memory.llm.offline.gists import Gist, Known, are_apart_in_time, gist_of
from memory.llm.offline.words import likeness, stem, tokens

SAME_THING = 0.6
Group = tuple[frozenset[str], ...]


def has_other_state(claim: Known, other: Known) -> bool:
    """«is still unapproved» and «is approved» of the same thing; dated starts and ends both stand."""
    new, old = gist_of(claim), gist_of(other)
    if new.language != old.language or are_apart_in_time(claim, other):
        return False
    told = zip(
        new.changes.states, _states(new.text, new.language), _states(old.text, old.language), strict=True
    )
    return any(
        mine is not None and theirs is not None and mine != theirs and _is_same_thing(new, old, group)
        for group, mine, theirs in told
    )


@lru_cache(maxsize=8_192)
def _states(text: str, language: str) -> tuple[int | None, ...]:
    """Which state of each group a text tells: the longest way of saying it counts."""
    spaced = text if language == "zh" else f" {' '.join(tokens(text))} "
    return tuple(_state(spaced, group, language) for group in change_cues(language).states)


def _state(text: str, group: Group, language: str) -> int | None:
    found = [
        (len(said), -number)
        for number, ways in enumerate(group)
        for said in ways
        if (said if language == "zh" else f" {said} ") in text
    ]
    return -max(found)[1] if found else None


def _is_same_thing(new: Gist, old: Gist, group: Group) -> bool:
    told = {stem(word) for ways in group for said in ways for word in said.split()}
    left, right = new.content - told, old.content - told
    is_alike = likeness(left, right) >= SAME_THING and new.names == old.names
    return bool(left) and (left == right or is_alike)
