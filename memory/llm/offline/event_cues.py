"""How a language tells an event's day, and that it got another one: `events` of `cues/changes_*.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from memory.llm.offline.change_cues import WHO, Patterns
from memory.llm.offline.lexicon import read_cues

THING = r"(?P<thing>\w[\w. -]{0,60}?)"
DAY = r"(?P<day>[^;()]+)"


@dataclass(frozen=True, slots=True)
class EventCues:
    """What one language offers for telling the day of an event; words are in lower case."""

    planned: Patterns
    """Sentences that give an event its day, with the groups `thing`, `day` and perhaps `owner` and `who`."""
    moved: Patterns
    """Sentences that give it another one, perhaps with the `old` one."""
    marks: re.Pattern[str]
    """Words by which a planned day is another one than before."""
    dull: frozenset[str]
    """Words beside an event's name that name nothing."""
    forms: Mapping[str, str]
    """Verbs as the event's name has them."""
    days: frozenset[str]
    """Small words that stand within a day."""
    group: frozenset[str]
    """Words of an owner that name nobody."""
    pronouns: frozenset[str]
    """«her»: whose it is, the one who moved it says."""


@cache
def event_cues(language: str) -> EventCues | None:
    """Compiled cues; None for a language that tells of events in the words of its slots only."""
    raw = read_cues(f"changes_{language}.toml")
    events = raw.get("events")
    if events is None:
        return None
    opening = f"(?:{events['openings']})?"
    between = f"(?:(?:{'|'.join(raw['adverbs'])}) )*"
    marks = {"owner": events["owner"], "moving": events["moving"], "adv": between}
    marks |= {"who": WHO, "thing": THING, "day": DAY, "unsure": events["unsure"]}
    return EventCues(
        planned=tuple(_sentence(f"{opening}{pattern}", marks) for pattern in events["planned"]),
        moved=tuple(_sentence(f"{opening}{pattern}", marks) for pattern in events["moved"]),
        marks=re.compile(rf"\b(?:{'|'.join(events['marks'])})\b", re.IGNORECASE),
        dull=frozenset(events["dull"].split()),
        forms=events["forms"],
        days=frozenset(events["days"].split()),
        group=frozenset(events["group"].split()),
        pronouns=frozenset(events["pronouns"].split()),
    )


def _sentence(pattern: str, marks: Mapping[str, str]) -> re.Pattern[str]:
    for mark, meant in marks.items():
        pattern = pattern.replace(f"{{{mark}}}", meant)
    return re.compile(f"^{pattern}$", re.IGNORECASE)
