"""Whether a query speaks of a kind of thing or of a predicate, by the words of their names. Pure."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

from memory.indexing.analyser import analyse
from memory.recall.terms import STOP_WORDS

NAMES_KEPT = 4_096
_WORD = re.compile(r"[^\W_]+")


def names_word(name: str, words: Set[str]) -> bool:
    """Whether every word of a name is among the analysed words of a query, in whatever form."""
    forms = _forms(name)
    return bool(forms) and all(form & words for form in forms)


def share_named(predicate: str, words: Set[str]) -> float:
    """How much of what a predicate is about (`billing.plan`, `works_at`) a query names, from 0 to 1."""
    forms = _forms(predicate)
    return sum(bool(form & words) for form in forms) / max(1, len(forms))


@lru_cache(maxsize=NAMES_KEPT)
def _forms(name: str) -> tuple[frozenset[str], ...]:
    """The forms of each word of a name; words that say nothing (`at`, `has`) are left out."""
    words = (word for word in _WORD.findall(name) if word.casefold() not in STOP_WORDS)
    return tuple(frozenset(analyse(word, languages=("en",))) for word in words)
