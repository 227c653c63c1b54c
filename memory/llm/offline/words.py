"""Words as sets: what two sentences share, with endings folded and values set apart."""

from __future__ import annotations

import re
from functools import lru_cache

from memory.llm.offline.lexicon import LANGUAGES, cues_of, language_of

WORD = re.compile(r"[^\W_]+(?:['’.:-][^\W_]+)*")
CHINESE = re.compile(r"[\u4e00-\u9fff]+")
ALL_NUMBER_WORDS = frozenset(word for code in LANGUAGES for word in cues_of(code).number_words)
ALL_CALENDAR_WORDS = frozenset(
    word for code in LANGUAGES for word in (*cues_of(code).months, *cues_of(code).weekdays)
)
ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ely", "es", "ed", "ly", "s", "e")


def tokens(text: str) -> list[str]:
    """Words of a text in lower case; a Chinese run becomes its pairs of characters."""
    found: list[str] = []
    for match in WORD.finditer(text):
        word = match.group().lower().replace("’", "'")
        found.extend(_pairs(word) if CHINESE.search(word) else [word])
    return found


def stem(word: str) -> str:
    """A word without its ending, for comparing only."""
    word = word.removesuffix("'s").removesuffix("'").replace("favour", "favor").replace("colour", "color")
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def is_value(word: str) -> bool:
    """Whether a word is a figure, a number word or a calendar word."""
    return any(letter.isdigit() for letter in word) or word in ALL_NUMBER_WORDS or word in ALL_CALENDAR_WORDS


@lru_cache(maxsize=16_384)
def content_words(text: str) -> frozenset[str]:
    """Stems of the words that carry meaning, values left out."""
    dull = cues_of(language_of(text)).function_words
    return frozenset(stem(word) for word in tokens(text) if word not in dull and not is_value(word))


def values(text: str) -> frozenset[str]:
    """Figures, number words and calendar words of a text."""
    return frozenset(word for word in tokens(text) if is_value(word))


def likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """Shared part of both sets together (Jaccard); 0 when either is empty."""
    return len(first & second) / len(first | second) if first and second else 0.0


def containment(first: frozenset[str], second: frozenset[str]) -> float:
    """Shared part of the smaller set; 0 when either is empty."""
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0


def _pairs(run: str) -> list[str]:
    return [run[index : index + 2] for index in range(max(len(run) - 1, 1))]
