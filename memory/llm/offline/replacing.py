"""Whether a claim stands in the place of a known one: another value, date or state of the same matter."""

from __future__ import annotations

from functools import lru_cache

from memory.llm.offline.change_cues import change_cues
from memory.llm.offline.differing import differs_in_one_place
from memory.llm.offline.gists import Known, gist_of, is_event, read
from memory.llm.offline.replaced import has_rival_tool, shares_use, tells_replaced
from memory.llm.offline.slots import COMMON, Filling, fillings_of
from memory.llm.offline.states import has_other_state
from memory.llm.offline.words import stem


def has_new_value(claim: Known, other: Known) -> bool:
    """Whether the claim tells what holds now instead of the other one."""
    if _is_of_earlier_time(claim, other) or _is_over(other):
        return False
    if tells_replaced(claim, other):
        return True
    if gist_of(claim).is_additional or _is_over(claim):
        return False
    return (
        _fills_same_place(claim, other)
        or has_rival_tool(claim, other)
        or has_other_state(claim, other)
        or differs_in_one_place(claim, other)
    )


def share_place(claim: Known, other: Known) -> bool:
    """Whether both speak of a place that one value fills at a time, or of tools for one use."""
    mine, theirs = ({filling.slot.name for filling in fillings_of(known)} for known in (claim, other))
    return bool(mine & theirs) or shares_use(claim, other)


def ends(claim: Known, other: Known) -> bool:
    """Whether the claim says that what the other tells is over: «quit the job», «used to live in …»."""
    if _is_of_earlier_time(claim, other):
        return False
    return _empties_place(claim, other) or _stops(claim, other)


def _empties_place(claim: Known, other: Known) -> bool:
    return any(
        new.is_ended and not old.is_ended and new.is_same_place(old) and (not new.value or new.covers(old))
        for new in fillings_of(claim)
        for old in fillings_of(other)
    )


def _stops(claim: Known, other: Known) -> bool:
    """«gave up coffee» of who drinks coffee every morning: the known claim says one verb beside, no more."""
    gist, known = gist_of(claim), gist_of(other)
    habit = {stem(word) for word in known.changes.habit}
    return not is_event(other) and any(
        bool(ended) and ended <= known.content and len(known.content - ended - habit) <= 1
        for ended in _ended_objects(gist.text, gist.language)
    )


@lru_cache(maxsize=8_192)
def _ended_objects(text: str, language: str) -> tuple[frozenset[str], ...]:
    changes = change_cues(language)
    habit = {stem(word) for word in changes.habit}
    found = (pattern.search(text) for pattern in changes.endings)
    return tuple(read(match.group("old")).content - habit for match in found if match)


def _fills_same_place(claim: Known, other: Known) -> bool:
    is_marked = gist_of(claim).is_changed
    return any(
        _takes_place(new, old, is_marked=is_marked)
        for new in fillings_of(claim)
        for old in fillings_of(other)
    )


def _takes_place(new: Filling, old: Filling, *, is_marked: bool) -> bool:
    """Another value, or the same one again after it had ended."""
    if new.is_ended or new.sort == COMMON or not new.is_same_place(old):
        return False
    if old.is_ended:
        return bool(old.value) and new.covers(old)
    return not new.covers(old) and (is_marked or not new.slot.needs_mark)


def _is_over(known: Known) -> bool:
    """A state told as past, or of a period with an end behind us."""
    gist = gist_of(known)
    first, last = known.happened_from, known.happened_until
    has_passed = first is not None and last is not None and known.said_on is not None and last < known.said_on
    return gist.is_bounded or (has_passed and first != last and not gist.is_changed)


def _is_of_earlier_time(claim: Known, other: Known) -> bool:
    """The claim tells what happened before the other was said, so that it cannot have changed it."""
    until = claim.happened_until
    return until is not None and other.said_on is not None and until < other.said_on and is_event(claim)
