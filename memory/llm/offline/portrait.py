"""Cues of a portrait: professions, and conditions to reckon with (English)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from memory.llm.offline.lexicon import CUES_FOLDER

WHO = r"(?P<who>The user|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)"


@dataclass(frozen=True, slots=True)
class Portrait:
    """Compiled patterns; `profession` and `condition` read a whole claim without its full stop."""

    profession: re.Pattern[str]
    condition: re.Pattern[str]


@cache
def portrait_cues() -> Portrait:
    """Read once from the cue file."""
    raw = tomllib.loads((CUES_FOLDER / "portrait.toml").read_text(encoding="utf-8"))
    trades = "|".join(raw["professions"])
    return Portrait(
        profession=re.compile(rf"{WHO} is (?:now |also )?(?:an?|the) (?:[\w-]+ ){{0,3}}(?:{trades})\b.*"),
        condition=re.compile(rf"{WHO} (?:{'|'.join(raw['conditions'])})"),
    )
