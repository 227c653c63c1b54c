"""An event that got another day: «the launch moved to June 10» in the place of «our launch is on May 3»."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from memory.llm.offline.change_cues import ChangeCues, change_cues
from memory.llm.offline.event_cues import EventCues, event_cues
from memory.llm.offline.gists import Known, plain_text
from memory.llm.offline.lexicon import language_of
from memory.llm.offline.words import ALL_CALENDAR_WORDS, content_words, is_value, stem, tokens, values

YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Event:
    """What a sentence says of the day of one event."""

    thing: frozenset[str]
    """Stems of all that names it: «launch in Spain» is no «launch»."""
    owner: frozenset[str]
    """Whose it is; nobody's for «the launch»."""
    day: frozenset[str]
    earlier_day: frozenset[str]
    """The day that the sentence itself says it had before."""
    is_day: bool
    """A day of the calendar and not only an hour."""
    is_moved: bool
    """The sentence says that the day is another one than before."""
    is_whole: bool
    """The sentence says nothing else that would be lost with it."""


def moved_event(claim: Known, known: Iterable[Known]) -> Known | None:
    """The known claim whose event has the claim's day now; None where none or several fit.

    Two appointments are as alike as one that was moved: only words of moving («postponed to», «is now on»,
    «instead») replace a day, only one that has not passed, and only that of the one event that can be meant.
    """
    new = event_of(claim.text)
    if new is None or not new.is_moved:
        return None
    fitting = [
        (old.day, other)
        for other in known
        if (old := event_of(other.text)) is not None and _may_move(claim, new, other, old)
    ]
    if len({day for day, _ in fitting}) != 1:
        return None
    return min((other for _, other in fitting), key=lambda other: other.text)


@lru_cache(maxsize=8_192)
def event_of(text: str) -> Event | None:
    """The event that a sentence gives a day or an hour."""
    plain = plain_text(text)
    language = language_of(plain)
    cues = event_cues(language)
    if cues is None:
        return None
    for patterns, is_moved in ((cues.moved, True), (cues.planned, False)):
        for pattern in patterns:
            match = pattern.match(plain)
            if match and (event := _event(match, cues, change_cues(language), is_moved=is_moved)):
                return event
    return None


def _event(match: re.Match[str], cues: EventCues, changes: ChangeCues, *, is_moved: bool) -> Event | None:
    groups = match.groupdict(default="")
    said = changes.tail.sub("", groups["day"]).strip(" ,")
    rest = groups["day"][len(said) :]
    words = tokens(said)
    named = {part for word in tokens(groups["thing"]) for part in word.split("-")} - cues.dull
    if not named or not _is_time(words, changes.time_words | cues.days):
        return None
    owner = groups.get("owner", "")
    return Event(
        thing=frozenset(stem(cues.forms.get(word, word)) for word in named),
        owner=_whose(groups.get("who", "") if owner.lower() in {"", *cues.pronouns} else owner, cues),
        day=values(said),
        earlier_day=values(groups.get("old", "")),
        is_day=bool(ALL_CALENDAR_WORDS & set(words)) or YEAR.search(said) is not None,
        is_moved=is_moved or cues.marks.search(match.string) is not None,
        is_whole=not (content_words(rest) - {stem(word) for word in changes.dull}) and not values(rest),
    )


def _is_time(words: list[str], small: frozenset[str]) -> bool:
    return any(map(is_value, words)) and all(is_value(word) or word in small for word in words)


def _whose(who: str, cues: EventCues) -> frozenset[str]:
    """Stems of an owner; whoever shares it with them is left out."""
    return frozenset(stem(word) for word in tokens(who) if word not in cues.group)


def _may_move(claim: Known, new: Event, other: Known, old: Event) -> bool:
    if new.thing != old.thing or new.is_day != old.is_day or new.day == old.day or not old.is_whole:
        return False
    if new.earlier_day and not new.earlier_day <= old.day:
        return False
    speaker = frozenset(stem(word) for word in tokens(claim.speaker))
    return _may_be_owned_alike(new, old, speaker) and _is_ahead(claim, other)


def _may_be_owned_alike(new: Event, old: Event, speaker: frozenset[str]) -> bool:
    """«the launch» of whoever says «our launch» or «my sister's launch», and the other way round of «our»."""
    if new.owner == old.owner:
        return True
    if not speaker:
        return False
    return speaker <= old.owner if not new.owner else not old.owner and new.owner == speaker


def _is_ahead(claim: Known, other: Known) -> bool:
    """The claim was said last, and the other's day had not passed by then."""
    if claim.said_on is None:
        return True
    is_older = other.said_on is not None and claim.said_on < other.said_on
    return not is_older and (other.happened_until is None or other.happened_until >= claim.said_on)
