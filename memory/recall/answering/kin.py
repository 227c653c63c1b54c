"""What else tells what a word asks for: «moved to Lisbon» where somebody lives, «Postgres» which database.

English words only, as data in `kin.toml`; a word that is not there is told by its own forms alone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).with_name("kin.toml")


@dataclass(frozen=True, slots=True)
class Kin:
    """Words that stand for one word or phrase of a question."""

    told: re.Pattern[str]
    """What says the same, the word or phrase itself not included."""
    found_by: str
    """Words to search memory by."""
    is_kind: bool = False
    """The word names a kind, and `told` finds things of that kind."""


@dataclass(frozen=True, slots=True)
class _Table:
    kin: Mapping[str, Kin]
    """By word or phrase in lower case."""
    light: frozenset[str]
    measures: frozenset[str]


def kin_of(asked: str) -> Kin | None:
    """The kin of a word or phrase in lower case."""
    return _table().kin.get(asked)


def is_light(word: str) -> bool:
    """Whether a word in lower case says little of what a question is about («use»)."""
    return word in _table().light


def is_measure(word: str, before: str) -> bool:
    """Whether a word only asks: «long» of «how long»; both in lower case."""
    return before == "how" and word in _table().measures


def joined(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where what is asked as one begins and ends: a word, or a known phrase of two; all in lower case."""
    place = 0
    while place < len(words):
        length = 2 if " ".join(words[place : place + 2]) in _table().kin and place + 1 < len(words) else 1
        yield place, place + length
        place += length


@cache
def _table() -> _Table:
    raw = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    entries = [*((entry, False) for entry in raw["told"]), *((entry, True) for entry in raw["kinds"])]
    kin = {asked: _kin(entry, is_kind=is_kind) for entry, is_kind in entries for asked in entry["asked"]}
    return _Table(kin, frozenset(raw["light"].split()), frozenset(raw["measures"].split()))


def _kin(entry: Mapping[str, Any], *, is_kind: bool) -> Kin:
    members = entry.get("members", [])
    patterns = (*entry.get("by", ()), *map(_member, members))
    told = re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
    return Kin(told, entry.get("found_by", " ".join(members)), is_kind)


def _member(name: str) -> str:
    written = re.escape(name)
    return written if name.islower() else rf"(?-i:{written})|(?:uses?|using|runs?|on|via|with) {written}"
