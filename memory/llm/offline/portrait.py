"""Cues of a portrait: interests, professions, and conditions to reckon with (English)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from memory.llm.offline.lexicon import CUES_FOLDER

WHO = r"(?P<who>The user|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)"


@dataclass(frozen=True, slots=True)
class Interest:
    """One pursuit or concern: its ways of saying, the one to show first."""

    forms: tuple[str, ...]
    words: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Portrait:
    """Compiled patterns; `profession` and `condition` read a whole claim without its full stop."""

    interests: tuple[Interest, ...]
    single: frozenset[str]
    """Forms of which there is one, named with «the»."""
    profession: re.Pattern[str]
    condition: re.Pattern[str]


@cache
def portrait_cues() -> Portrait:
    """Read once from the cue file."""
    raw = tomllib.loads((CUES_FOLDER / "portrait.toml").read_text(encoding="utf-8"))
    trades = "|".join(raw["professions"])
    return Portrait(
        interests=tuple(_interest(forms) for forms in raw["interests"]),
        single=frozenset(raw["single"]),
        profession=re.compile(rf"{WHO} is (?:now |also )?(?:an?|the) (?:[\w-]+ ){{0,3}}(?:{trades})\b.*"),
        condition=re.compile(rf"{WHO} (?:{'|'.join(raw['conditions'])})"),
    )


def _interest(forms: list[str]) -> Interest:
    either = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return Interest(tuple(forms), re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE))
