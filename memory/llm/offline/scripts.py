"""Which texts the rules can read at all: English, German, Spanish, French and Chinese."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from memory.llm.offline.lexicon import is_other_language

LEFT_UNREAD = (
    "It is written in a language or script that the offline model does not read; it stays with the message."
)
LEAST_LETTERS = 3


def is_unread(sentence: str) -> bool:
    """Whether a sentence is in a script or, as far as common words tell, a language that has no rules here.

    Japanese and Korean count so too.
    """
    letters = [_script(sign) for sign in sentence if sign.isalpha()]
    others = sum(script == "other" for script in letters)
    if len(letters) < LEAST_LETTERS:
        return False
    return others * 2 > len(letters) or "kana" in letters or is_other_language(sentence)


@lru_cache(maxsize=4096)
def _script(sign: str) -> str:
    name = unicodedata.name(sign, "")
    if name.startswith(("LATIN", "CJK UNIFIED", "FULLWIDTH LATIN", "MODIFIER")):
        return "read"
    return "kana" if name.startswith(("HIRAGANA", "KATAKANA")) else "other"
