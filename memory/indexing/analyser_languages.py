"""Which languages an entity speaks, and what each brings: stop words and, for many, stems."""

from __future__ import annotations

import re
import threading
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import Stemmer

from memory.indexing.analyser_folding import HAN, HANGUL, KANA, MARKS, fold, unify

LANGUAGES_AT_MOST = 3
_SAMPLE_CHARACTERS = 200_000
_SHARE_OF_LETTERS = 0.05
"""A script with fewer of the letters is a quotation, not a language of the entity."""
_SHARE_OF_STOP_WORDS = 0.08
_STOP_WORDS_AT_LEAST = 0.5
"""Words that only one language has count whole, others as the square of how many have them tells."""

_STOP_WORD_FILE = Path(__file__).with_name("analyser_stop_words.toml")
_WORD = re.compile(rf"(?:[^\W\d_]|[{MARKS}'’])+")


class Language(NamedTuple):
    """A language's script and the name of its Snowball algorithm, empty where there is none."""

    script: str
    stemmer: str = ""


LANGUAGES: Mapping[str, Language] = {
    "en": Language("latin", "english"),
    "de": Language("latin", "german"),
    "es": Language("latin", "spanish"),
    "fr": Language("latin", "french"),
    "pt": Language("latin", "portuguese"),
    "it": Language("latin", "italian"),
    "nl": Language("latin", "dutch"),
    "sv": Language("latin", "swedish"),
    "da": Language("latin", "danish"),
    "no": Language("latin", "norwegian"),
    "fi": Language("latin", "finnish"),
    "hu": Language("latin", "hungarian"),
    "ro": Language("latin", "romanian"),
    "tr": Language("latin", "turkish"),
    "id": Language("latin", "indonesian"),
    "pl": Language("latin"),
    "cs": Language("latin"),
    "ru": Language("cyrillic", "russian"),
    "el": Language("greek", "greek"),
    "hi": Language("devanagari", "hindi"),
    "ar": Language("arabic", "arabic"),
    "fa": Language("arabic"),
    "he": Language("hebrew"),
    "zh": Language("han"),
    "ja": Language("kana"),
    "ko": Language("hangul"),
    "th": Language("thai"),
}

_OF_SCRIPT: Mapping[str, list[str]] = {
    script: [code for code, language in LANGUAGES.items() if language.script == script]
    for script in {language.script for language in LANGUAGES.values()}
}

_SCRIPTS: Mapping[str, str] = {
    "latin": "A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "cyrillic": "\u0400-\u052f",
    "hebrew": "\u05d0-\u05ea",
    "arabic": "\u0620-\u06ff\u0750-\u077f",
    "devanagari": "\u0900-\u097f",
    "thai": "\u0e01-\u0e3a",
    "kana": KANA,
    "han": HAN,
    "hangul": HANGUL,
}
_WEIGHT_OF_LETTER = {"han": 3, "kana": 2, "hangul": 2}
"""How many letters of an alphabet say as much as one character."""
_LETTERS = {script: re.compile(f"[{letters}]") for script, letters in _SCRIPTS.items()}

_local = threading.local()


def script_of(word: str) -> str:
    """The script of a word's first letter, or an empty string for one that no language here uses."""
    first = word[:1]
    if "a" <= first <= "z":
        return "latin"
    return next((script for script, letters in _LETTERS.items() if letters.match(first)), "")


def stems(word: str, languages: Sequence[str], script: str) -> list[str]:
    """What a word in lower case is cut to in those of the languages that use its script.

    Outside Latin letters a script tells enough: without a language that uses it, its most common one serves.
    A Snowball stemmer keeps state while it works, so each thread has its own.
    """
    own = _OF_SCRIPT.get(script, ())
    spoken = [code for code in own if code in languages] or (own[:1] if script != "latin" else [])
    algorithms = (LANGUAGES[code].stemmer for code in spoken)
    return [_stemmer(algorithm).stemWord(word) for algorithm in algorithms if algorithm]


def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__
    if algorithm not in stemmers:
        stemmers[algorithm] = Stemmer.Stemmer(algorithm, 0)
    return stemmers[algorithm]


@cache
def _folded_stop_words() -> Mapping[str, frozenset[str]]:
    lists = tomllib.loads(_STOP_WORD_FILE.read_text(encoding="utf-8"))
    return {code: frozenset(map(fold, words.split())) for code, words in lists.items()}


def stop_words(languages: Iterable[str]) -> frozenset[str]:
    """The folded words that are too common to find anything by in any of the languages."""
    known = _folded_stop_words()
    return frozenset().union(*(known.get(code, frozenset()) for code in languages))


def detect_languages(texts: Iterable[str]) -> tuple[str, ...]:
    """The languages of a sample of an entity's texts, most frequent first, at most three.

    Scripts tell most; among languages of one script the words that they alone use most often tell. Where
    anything is written in Latin letters `en` is among them: code, names and tools speak it everywhere. The
    same sample always gives the same answer; an empty one gives `en`.
    """
    sample = _sample(texts)
    letters = _letters_by_script(sample)
    shares = _shares_of_languages(sample, letters)
    found = sorted(shares, key=lambda code: (-shares[code], code))[:LANGUAGES_AT_MOST]
    if (letters["latin"] or not found) and "en" not in found:
        found = [*found[: LANGUAGES_AT_MOST - 1], "en"]
    return tuple(found)


def _sample(texts: Iterable[str]) -> str:
    taken: list[str] = []
    room = _SAMPLE_CHARACTERS
    for text in texts:
        taken.append(unify(text[:room]))
        room -= len(taken[-1])
        if room <= 0:
            break
    return "\n".join(taken)


def _letters_by_script(sample: str) -> dict[str, int]:
    letters = {
        script: len(pattern.findall(sample)) * _WEIGHT_OF_LETTER.get(script, 1)
        for script, pattern in _LETTERS.items()
    }
    if letters["kana"] and letters["kana"] * 10 >= letters["han"]:
        letters["kana"] += letters.pop("han")  # Japanese is written in both.
    return letters


def _shares_of_languages(sample: str, letters: Mapping[str, int]) -> dict[str, float]:
    """Each language's share of the sample's letters."""
    total = sum(letters.values())
    words = Counter(map(fold, _WORD.findall(sample)))
    shares: dict[str, float] = {}
    for script, count in letters.items():
        share = count / total if total else 0.0
        if share < _SHARE_OF_LETTERS:
            continue
        for code, part in _within_script(script, words).items():
            shares[code] = share * part
    return shares


def _within_script(script: str, words: Counter[str]) -> dict[str, float]:
    """How the texts of one script are divided among its languages, by their stop words."""
    codes = _OF_SCRIPT[script]
    if len(codes) == 1:
        return {codes[0]: 1.0}
    points = _points(codes, words)
    total = sum(points.values())
    kept = {
        code: point / total
        for code, point in points.items()
        if point >= _STOP_WORDS_AT_LEAST and point >= total * _SHARE_OF_STOP_WORDS
    }
    return kept or {codes[0]: 1.0}


def _points(codes: Sequence[str], words: Counter[str]) -> dict[str, float]:
    """Occurrences of each language's stop words, those that several languages have shared out among them.

    A single word is no evidence of a language: `OK` is also Hungarian.
    """
    lists = {code: stop_words([code]) for code in codes}
    owners = Counter(word for words_of_one in lists.values() for word in words_of_one)
    points: dict[str, float] = {}
    for code, words_of_one in lists.items():
        met = [word for word in words_of_one if len(word) > 1 and word in words]
        points[code] = sum(words[word] / owners[word] ** 2 for word in met) if len(met) > 1 else 0.0
    return points
