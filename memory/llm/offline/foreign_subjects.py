"""Whom a German, Spanish, French or Chinese clause is about: the speaker, a relative, somebody named."""

from __future__ import annotations

import re

from memory.llm.offline.change_cues import change_cues
from memory.llm.offline.lexicon import Cues
from memory.llm.offline.wording import possessive

NAMED = re.compile(r"^(?P<name>[A-ZÀ-Ý][\w-]+(?: [A-ZÀ-Ý][\w-]+)?) (?P<verb>[\w']+)")


def foreign_subject(clause: str, speaker: str, cues: Cues) -> str:
    """A relative's fact is the relative's, in the word for the relative as it was said; empty for a thing."""
    relative = _relative(cues.language).match(clause)
    if relative:
        return relative.group("name") or f"{possessive(speaker)} {relative.group('who')}"
    named = NAMED.match(clause)
    if named and cues.has("third_person", named.group("verb")) and _is_name(named.group("name"), cues):
        return named.group("name")
    return speaker if cues.has("first_person", clause) else ""


def _relative(language: str) -> re.Pattern[str]:
    changes = change_cues(language)
    if language == "zh":
        return re.compile(f"^{changes.own}(?P<who>{changes.kin.pattern})(?P<name>(?!))?")
    name = r"(?:,? (?P<name>(?-i:[A-ZÀ-Ý])\w+))?"
    return re.compile(rf"^(?:{changes.own})\s+(?P<who>{changes.kin.pattern}){name}\b", re.IGNORECASE)


def _is_name(word: str, cues: Cues) -> bool:
    return not any(part in cues.function_words for part in word.lower().split())
