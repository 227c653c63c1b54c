"""Two claims that are one sentence but for figures, a date, or one of two opposite words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.llm.offline.gists import Gist, Known, are_apart_in_time, gist_of, is_event
from memory.llm.offline.words import is_value

OWNED = re.compile(r"^(?:the|our|my)\b|^\S+'s\b", re.IGNORECASE)
WEEKLY = re.compile(r"\w+days$")
IDENTIFIER = re.compile(r"[a-z]+\d[\w.]*$")


@dataclass(frozen=True, slots=True)
class Difference:
    """The words before the first difference, and what stands from it to the last one in both."""

    before: tuple[str, ...]
    new: tuple[str, ...]
    old: tuple[str, ...]


def differs_in_one_place(claim: Known, other: Known) -> bool:
    """Whether the claim repeats the other but for one place that holds one value at a time."""
    new, old = gist_of(claim), gist_of(other)
    found = _difference(new, old)
    if new.is_negated != old.is_negated or not found.new or not found.old or _are_two_things(found):
        return False
    if _are_opposites(found, new):
        return _is_choice(claim, new) and _is_choice(other, old)
    if not (_is_value(found.new, new) and _is_value(found.old, old)) or is_event(claim) or is_event(other):
        return False
    return new.is_changed or (_is_of_one_thing(found, new) and _may_change(claim, other, found))


def _difference(new: Gist, old: Gist) -> Difference:
    first, second = new.words, old.words
    shortest = min(len(first), len(second))
    start = next((at for at in range(shortest) if first[at] != second[at]), shortest)
    left = shortest - start
    end = next((at for at in range(left) if first[-1 - at] != second[-1 - at]), left)
    return Difference(first[:start], first[start : len(first) - end], second[start : len(second) - end])


def _are_two_things(found: Difference) -> bool:
    """«v1 on Monday» and «v2 on Thursday»: the first of two differences names another thing."""
    mine, theirs = ({word for word in words if IDENTIFIER.match(word)} for words in (found.new, found.old))
    return bool(mine and theirs) and mine != theirs and len(found.new) > 1


def _is_value(words: tuple[str, ...], gist: Gist) -> bool:
    """Only figures and dates, with at least one among the small words beside them."""
    beside = gist.changes.time_words
    return any(is_value(word) for word in words) and all(is_value(word) or word in beside for word in words)


def _are_opposites(found: Difference, gist: Gist) -> bool:
    mine, theirs = set(found.new), set(found.old)
    return any(
        (mine <= left and theirs <= right) or (mine <= right and theirs <= left)
        for left, right in gist.changes.opposites
    )


def _is_choice(known: Known, gist: Gist) -> bool:
    """A rule or a preference; who merely likes short films may like long ones too."""
    return known.kind == "instruction" or gist.changes.choice.search(gist.text) is not None


def _is_of_one_thing(found: Difference, gist: Gist) -> bool:
    """Not of one among several («has a dentist appointment on …») nor of a numbered one («room 12 is …»)."""
    if gist.changes.indefinite & set(found.before[1:]) or len(found.before) < 2 - (gist.language == "zh"):
        return False
    signs = gist.changes.verb_signs
    return not signs or any(word in signs or word.endswith("s") for word in found.before)


def _may_change(claim: Known, other: Known, found: Difference) -> bool:
    """Deadlines, rules, ages and amounts have one value; somebody may be at two places on two days."""
    if are_apart_in_time(claim, other):
        return claim.subject[:1].islower() or OWNED.match(claim.text) is not None
    return not any(WEEKLY.match(word) for word in (*found.new, *found.old))
