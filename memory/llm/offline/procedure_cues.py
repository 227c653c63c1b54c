"""How people rule in German, Spanish, French and Chinese: the table `cues/rules.toml`, asked by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from memory.llm.offline.lexicon import language_of, read_cues
from memory.skills.contract import ProcedureSectionSlug

UNSPACED = frozenset({"zh"})
RuleCues = Mapping[str, re.Pattern[str]]


@cache
def rule_cues() -> Mapping[str, RuleCues]:
    """The patterns of each language: told, asks, fails, forbids, condition, checks, standing."""
    return {
        language: {name: _either(parts, language) for name, parts in named.items()}
        for language, named in read_cues("rules.toml").items()
    }


def foreign_section(said: str) -> ProcedureSectionSlug | None:
    """Where a rule in another language belongs; None for what is none.

    Its own language is asked first, the others too: a short sentence does not tell it for certain.
    """
    if any(cues["told"].search(said) for cues in rule_cues().values()):
        return None
    own = language_of(said)
    asked = sorted(rule_cues(), key=lambda language: language != own)
    return next((found for one in asked if (found := _section(said, rule_cues()[one]))), None)


def _section(said: str, cues: RuleCues) -> ProcedureSectionSlug | None:
    if cues["asks"].search(said) or cues["fails"].search(said):
        return "escalation"
    if cues["forbids"].search(said):
        return "when_not" if cues["condition"].search(said) else "procedure"
    if cues["checks"].search(said):
        return "validation"
    return "procedure" if cues["standing"].search(said) else None


def _either(parts: list[str], language: str) -> re.Pattern[str]:
    joined = "|".join(f"(?:{part})" for part in parts)
    bounded = joined if language in UNSPACED else rf"(?<!\w)(?:{joined})(?!\w)"
    return re.compile(bounded, re.IGNORECASE)
