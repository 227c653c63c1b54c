"""Places that one value fills at a time: a home, an employer, an age, the time of a meeting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.llm.offline.change_cues import ChangeCues, Slot, change_cues
from memory.llm.offline.gists import Known, plain_text
from memory.llm.offline.lexicon import cues_of, language_of, read_cues
from memory.llm.offline.words import content_words, is_value, stem, tokens

CLOCK = re.compile(r"\d:\d\d|\b\d{1,2} ?(?:[ap]\.?m\.?|uhr|h)\b|o'clock|[点點时]", re.IGNORECASE)
ARTICLE = re.compile(r"^(?:now |the |an? )+", re.IGNORECASE)
COMMON = "common"
"""A value that is no name, «the library»: it may end, but one does not replace another."""
ACRONYM = re.compile(r"\b[A-Z]{2,}$")
SHORT_PLACES = frozenset({"nyc", "la", "sf", "dc", "uk", "us", "usa", "uae", "nz"})
COUNTRIES = frozenset(read_cues("countries.toml")["names"])


@dataclass(frozen=True, slots=True)
class Filling:
    """A slot of somebody or something, filled or emptied by a sentence."""

    slot: Slot
    key: frozenset[str]
    """Whose place it is: the words before it, or what the sentence speaks of."""
    value: tuple[str, ...]
    sort: str = ""
    """Values of different sorts (a day, an hour, a country, a city) do not replace each other."""
    is_ended: bool = False

    def is_same_place(self, other: Filling) -> bool:
        """Whether both speak of one place of one person or thing, and of the same sort of value."""
        return (self.slot.name, self.key, self.sort) == (other.slot.name, other.key, other.sort)

    def covers(self, other: Filling) -> bool:
        """Whether one value is the other, told with more or fewer words."""
        mine, theirs = set(self.value), set(other.value)
        return mine <= theirs or theirs <= mine


def fillings_of(known: Known) -> tuple[Filling, ...]:
    """What a claim says about places that one value fills at a time."""
    return fillings(known.text, known.subject)


@lru_cache(maxsize=8_192)
def fillings(text: str, subject: str) -> tuple[Filling, ...]:
    """What a claim's text says about places that one value fills at a time."""
    plain = plain_text(text)
    language = language_of(plain)
    found = [
        filling
        for slot in change_cues(language).slots
        for patterns, is_ended in ((slot.ended, True), (slot.holds, False))
        if (filling := _first(plain, subject, slot, patterns, is_ended)) is not None
    ]
    ended = {filling.slot.name for filling in found if filling.is_ended}
    return tuple(filling for filling in found if filling.is_ended or filling.slot.name not in ended)


def _first(
    text: str, subject: str, slot: Slot, patterns: tuple[re.Pattern[str], ...], is_ended: bool
) -> Filling | None:
    for pattern in patterns:
        match = pattern.search(text)
        if match is not None and (filling := _filling(match, subject, slot, is_ended)) is not None:
            return filling
    return None


def _filling(match: re.Match[str], subject: str, slot: Slot, is_ended: bool) -> Filling | None:
    groups = match.groupdict()
    language = language_of(match.string)
    changes = change_cues(language)
    said = changes.tail.sub("", groups.get("value") or "").strip()
    if "key" not in groups:
        said = said.partition(",")[0]
    words = tuple(tokens(ARTICLE.sub("", said, count=1)))
    if not is_ended and not _may_fill(words, slot, changes):
        return None
    if "key" in groups:
        key: frozenset[str] | None = content_words(groups["key"]) - {stem(word) for word in changes.dull}
    else:
        key = _whose(groups.get("who") or "", subject, slot, language)
    return None if key is None else Filling(slot, key, words, _sort(said, words, slot, language), is_ended)


def _may_fill(words: tuple[str, ...], slot: Slot, changes: ChangeCues) -> bool:
    if not slot.is_time:
        return bool(words)
    return bool(words) and all(is_value(word) or word in changes.time_words for word in words)


def _whose(who: str, subject: str, slot: Slot, language: str) -> frozenset[str] | None:
    """Words of whom it is about, the subject left out; None when it is somebody of the subject's."""
    said, about = set(tokens(who)), set(tokens(subject))
    is_subject = not said or (bool(about) and about <= said)
    if slot.is_mutual and not is_subject and language == "en":
        return None
    named = frozenset(stem(word) for word in said if word not in cues_of(language).function_words)
    # Two claims of different subjects do not speak of one place because both speak of their own.
    return frozenset({f"of {subject.casefold()}"}) if is_subject else named


def _sort(said: str, words: tuple[str, ...], slot: Slot, language: str) -> str:
    if slot.is_time:
        return "hour" if CLOCK.search(said) else "day"
    if slot.is_proper and language != "zh" and not said[:1].isupper():
        return COMMON
    if slot.name == "home":
        if _is_tool(said, words, language):
            return COMMON
        return "country" if " ".join(words) in COUNTRIES else "city"
    return ""


def _is_tool(said: str, words: tuple[str, ...], language: str) -> bool:
    """«moved to Postgres», «moved to Fennel CRM»: work moves to tools, and nobody lives there."""
    is_known = " ".join(words) in change_cues(language).rivals or cues_of(language).has("technical", said)
    return is_known or (ACRONYM.search(said) is not None and words[-1] not in SHORT_PLACES)
