"""Words that everybody uses, as far as the program knows any: they point to nobody and to no matter.

They are the stop words of all languages and the words of the tables by which search and the offline model
read. Conditions of health and names of places are not among them: whoever asks for these to be gone means
them wherever they stand.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from memory.indexing.analyser import fold
from memory.indexing.analyser_languages import LANGUAGES, script_of, stems, stop_words

SPOKEN = ("de", "en", "es", "fr")
"""The languages with stems that the tables hold."""
PRIVATE_FILES = frozenset({"countries.toml", "portrait.toml"})
PRIVATE_AREAS = frozenset({"body"})
PRIVATE_KEYS = frozenset({"health"})

_MEMORY = Path(__file__).parents[2]
_CUES = _MEMORY / "llm" / "offline" / "cues"
_TABLES = (_MEMORY / "recall" / "kindred_words.toml", _MEMORY / "stewardship" / "forgetting_words.toml")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CLASS_IN_PATTERN = re.compile(r"\\[a-zA-Z]")
_PARTS = re.compile(r"[\W_]+")


def is_everyday(word: str, languages: Sequence[str]) -> bool:
    """Whether a folded word, or what its stem has in common with one, is known; of a compound, each part.

    A text may be in a language that its entity hardly speaks: those of the tables always count.
    """
    return all(_is_known(part, tuple(sorted({*languages, *SPOKEN}))) for part in _PARTS.split(word))


@lru_cache(maxsize=16_384)
def _is_known(word: str, languages: tuple[str, ...]) -> bool:
    known = _known(languages)
    return len(word) < 2 or word in known or not known.isdisjoint(stems(word, languages, script_of(word)))


@lru_cache(maxsize=16)
def _known(languages: tuple[str, ...]) -> frozenset[str]:
    words = everyday_words()
    return words.union(*(stems(word, languages, script_of(word)) for word in words))


@cache
def everyday_words() -> frozenset[str]:
    """The folded words, without their stems."""
    common = stop_words(LANGUAGES)
    files = [file for file in (*_TABLES, *_CUES.glob("*.toml")) if file.name not in PRIVATE_FILES]
    found: set[str] = set()
    private: set[str] = set()
    for file in files:
        for text, is_private in _texts(tomllib.loads(file.read_text(encoding="utf-8"))):
            (private if is_private else found).update(_words(text))
    return common | (found - private)


def _texts(value: Any, *, is_private: bool = False) -> Iterator[tuple[str, bool]]:
    """Each text of a table but those of private matters, and whether it is private itself."""
    if isinstance(value, str):
        yield value, is_private
    elif isinstance(value, dict):
        if value.get("area") not in PRIVATE_AREAS:
            for key, item in value.items():
                yield from _texts(item, is_private=is_private or key in PRIVATE_KEYS)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, is_private=is_private)


def _words(text: str) -> Iterator[str]:
    """Tables hold patterns beside words: classes such as `\\w` are no letters of a word."""
    return map(fold, _WORD.findall(_CLASS_IN_PATTERN.sub(" ", text)))
