"""How each language says that something changed or ended: data of `cues/changes_*.toml`, compiled once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory.llm.offline.lexicon import read_cues

WHO = r"(?P<who>[^,;:]{1,60}?)"
WHO_CHINESE = r"(?P<who>[^，,；：]{0,8}?)"
VALUE = r"(?P<value>[^;()，。；]+)"

Patterns = tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that one value fills at a time, with the sentences that fill it and that empty it."""

    name: str
    holds: Patterns
    ended: Patterns
    is_proper: bool
    """Only names fill it: «lives in Oslo», not «lives in a flat»."""
    is_mutual: bool
    """Whom it is about may be told with others: «Tom and Alice got married»."""
    is_time: bool
    """Only dates and times fill it."""
    needs_mark: bool
    """Two values may stand side by side unless the words tell of a change."""


@dataclass(frozen=True, slots=True)
class ChangeCues:
    """What one language offers for telling a change; words are in lower case."""

    language: str
    fillers: frozenset[str]
    """Words that change nothing of what is claimed."""
    dull: frozenset[str]
    """Words that only tell that a state began or ended."""
    habit: frozenset[str]
    turning: frozenset[str]
    indefinite: frozenset[str]
    verb_signs: frozenset[str]
    """Words that show that a sentence has come to its verb."""
    time_words: frozenset[str]
    """Small words that stand beside dates and times."""
    additive: re.Pattern[str]
    change: re.Pattern[str]
    ended: re.Pattern[str]
    bounded: re.Pattern[str]
    choice: re.Pattern[str]
    kin: re.Pattern[str]
    tail: re.Pattern[str]
    """What follows a value and is no part of it."""
    own: str
    """«my»: a pattern."""
    using: str
    """«uses»: a pattern."""
    preferences: Patterns
    replacements: Patterns
    returns: Patterns
    endings: Patterns
    opposites: tuple[tuple[frozenset[str], frozenset[str]], ...]
    states: tuple[tuple[frozenset[str], ...], ...]
    """Groups of states; a state is the set of ways to say it."""
    slots: tuple[Slot, ...]
    lead: re.Pattern[str]
    """Words that only say that what follows mends something."""
    mends: Patterns
    """Fragments that mend an earlier claim, with the groups `old` and `new`."""
    led_mends: Patterns
    """Fragments that mend only after such words."""
    withdrawals: re.Pattern[str]
    """«forget what I said about …», which the next sentence completes."""
    adding: re.Pattern[str]
    """«not only …»: words after which nothing is mended."""
    rivals: Mapping[str, str]
    """Names of tools by what they serve: who switches to one leaves the other."""


@cache
def change_cues(language: str) -> ChangeCues:
    """Compiled cues of one of LANGUAGES; FileNotFoundError for another."""
    raw = read_cues(f"changes_{language}.toml")
    is_spaced = language != "zh"
    return ChangeCues(
        language=language,
        fillers=_words(raw["fillers"]),
        dull=_words(raw["dull"]),
        habit=_words(raw["habit"]),
        turning=_words(raw["turning"]),
        indefinite=_words(raw["indefinite"]),
        verb_signs=_words(raw["verb_signs"]),
        time_words=_words(raw["time_words"]),
        additive=_any(raw["additive"], is_spaced),
        change=_any(raw["change"], is_spaced),
        ended=_any(raw["ended"], is_spaced),
        bounded=_any(raw["bounded"], is_spaced),
        choice=_any([raw["choice"]], is_spaced),
        kin=_any([raw["kin"]], is_spaced),
        tail=re.compile(raw["tail"], re.IGNORECASE),
        own=raw["own"],
        using="|".join(raw["using"]),
        preferences=_each(raw["preferences"]),
        replacements=_each(raw["replacements"]),
        returns=_each(raw["returns"]),
        endings=_each(raw["endings"]),
        opposites=tuple(_opposites(raw["opposites"])),
        states=tuple(tuple(frozenset(said.split("|")) for said in group) for group in raw["states"]),
        slots=tuple(_slot(entry, raw["adverbs"], is_spaced) for entry in raw["slots"]),
        lead=_lead(raw),
        mends=_each(f"^{pattern}$" for pattern in raw["mends"]),
        led_mends=_each(f"^{pattern}$" for pattern in raw.get("led_mends", ())),
        withdrawals=_any(raw["withdrawals"], is_spaced),
        adding=_any(raw["adding"], is_spaced),
        rivals={name: use for use, names in raw["rivals"].items() for name in names},
    )


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _each(patterns: Iterable[str]) -> Patterns:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def _lead(raw: Mapping[str, Any]) -> re.Pattern[str]:
    pause = r"\s*(?:[,.:;!…，：。！—–-]+\s*|$)"
    closed, open_ended = "|".join(raw["leads"]), "|".join(raw["open_leads"])
    return re.compile(rf"^(?:(?:{closed}){pause}|(?:{open_ended})\s+)", re.IGNORECASE)


def _slot(entry: Mapping[str, Any], adverbs: Iterable[str], is_spaced: bool) -> Slot:
    return Slot(
        name=entry["name"],
        holds=_sentences(entry["holds"], adverbs, is_spaced),
        ended=_sentences(entry.get("ended", ()), adverbs, is_spaced),
        is_proper=entry.get("is_proper", False),
        is_mutual=entry.get("is_mutual", False),
        is_time=entry.get("is_time", False),
        needs_mark=entry.get("needs_mark", False),
    )


def _sentences(patterns: Iterable[str], adverbs: Iterable[str], is_spaced: bool) -> Patterns:
    between = f"(?:(?:{'|'.join(adverbs)}){' ' if is_spaced else ''})*"
    who = WHO if is_spaced else WHO_CHINESE
    joined = (pattern.replace("{adv}", between) for pattern in patterns)
    filled = (pattern.replace("{who}", who).replace("{value}", VALUE) for pattern in joined)
    return _each(f"^{pattern}$" if is_spaced else pattern for pattern in filled)


def _opposites(listed: Iterable[list[str]]) -> Iterable[tuple[frozenset[str], frozenset[str]]]:
    """Pairs of neighbours; an empty list stands between two pairs."""
    sides = [frozenset(words) for words in listed if words]
    return zip(sides[::2], sides[1::2], strict=True)


def _any(parts: Iterable[str], is_spaced: bool) -> re.Pattern[str]:
    joined = "|".join(f"(?:{part})" for part in parts)
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)" if is_spaced else f"(?:{joined})", re.IGNORECASE)
