"""Cue lists as data: one file per language, compiled once, asked by name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

CUES_FOLDER = Path(__file__).with_name("cues")
LANGUAGES = ("en", "de", "es", "fr", "zh")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
WORDS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
LEAST_OTHER_WORDS = 2
NEVER_MATCHES = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Cues:
    """What one language offers: function words, openers to cut, named patterns, calendar words."""

    language: str
    function_words: frozenset[str]
    empty_words: frozenset[str]
    """Words of feeling and praise that make no claim on their own."""
    opener: re.Pattern[str]
    announcement: re.Pattern[str]
    patterns: Mapping[str, re.Pattern[str]]
    number_words: frozenset[str]
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    marks: frozenset[str]
    """Words that tell the language of a short sentence, beside the function words."""
    signs: re.Pattern[str]
    """Letters and elisions that tell the language."""

    def has(self, name: str, text: str) -> bool:
        """Whether a pattern of that name occurs; a language without the name never matches."""
        return self.patterns.get(name, NEVER_MATCHES).search(text) is not None

    def without(self, name: str, text: str) -> str:
        """The text with every match of a pattern of that name cut out."""
        return self.patterns.get(name, NEVER_MATCHES).sub("", text)


@dataclass(frozen=True, slots=True)
class Verbs:
    """English verb forms that endings do not tell."""

    base: frozenset[str]
    wider: frozenset[str]
    """Base forms that are as often nouns."""
    past: frozenset[str]
    adverbs: frozenset[str]
    copulas: frozenset[str]

    def is_base(self, word: str) -> bool:
        """Whether a word in lower case may be a base form."""
        return word in self.base or word in self.wider


@dataclass(frozen=True, slots=True)
class Matter:
    """A theme people talk about: `name` may hold `{person}`."""

    name: str
    is_shared: bool
    words: re.Pattern[str]
    terms: tuple[str, ...]
    """The words of the pattern, one by one."""
    faint: tuple[str, ...] = ()
    """Words that turn up in other talk too and count half."""
    support: tuple[str, ...] = ()
    """Words with another sense: they count half, and only beside a word of the theme's own."""
    area: str = ""
    """Themes of one area are close to each other; empty for shared ones."""


@dataclass(frozen=True, slots=True)
class Matters:
    """Nouns that open a matter, nouns that belong to one, and the themes."""

    strong_head: re.Pattern[str]
    weak_head: re.Pattern[str]
    heads: frozenset[str]
    plain_modifiers: frozenset[str]
    themes: tuple[Matter, ...]
    areas: Mapping[str, str]
    """What a scene of several themes of an area is called."""
    verbal: frozenset[str]
    """Nouns that are verbs as well."""
    technical_heads: frozenset[str]
    """Things of software; what stands right before one is its name."""
    idioms: tuple[str, ...]
    """Phrases that no theme is found in."""


@cache
def cues_of(language: str) -> Cues:
    """Compiled cues of one of LANGUAGES."""
    raw = read_cues(f"{language}.toml")
    bounded = language != "zh"
    values = raw["values"]
    return Cues(
        language=language,
        function_words=frozenset(raw["function_words"].split()),
        empty_words=frozenset(raw["empty_words"].split()),
        opener=_opener(raw["openers"], raw["joiners"], bounded),
        announcement=re.compile(f"^(?:{'|'.join(raw['announcements'])})\\s*[:：]\\s*", re.IGNORECASE),
        patterns={name: _compiled(parts, bounded) for name, parts in raw["patterns"].items()},
        number_words=frozenset(values["number_words"]),
        months=tuple(values["months"]),
        weekdays=tuple(values["weekdays"]),
        marks=frozenset(raw.get("marks", "").split()),
        signs=re.compile(raw["signs"], re.IGNORECASE) if "signs" in raw else NEVER_MATCHES,
    )


@cache
def english_verbs() -> Verbs:
    """Verb forms for the third person and for finding clauses."""
    raw = read_cues("verbs_en.toml")
    names = ("base", "wider", "past", "adverbs", "copulas")
    return Verbs(**{name: frozenset(raw[name].split()) for name in names})


@cache
def matters() -> Matters:
    """Heads and themes for naming topics (English nouns)."""
    raw = read_cues("matters.toml")
    return Matters(
        strong_head=_compiled(raw["strong_heads"], True),
        weak_head=_compiled(raw["weak_heads"], True),
        heads=frozenset(raw["strong_heads"] + raw["weak_heads"]),
        plain_modifiers=frozenset(raw["plain_modifiers"]),
        themes=tuple(_matter(entry) for entry in raw["matters"]),
        areas=raw["areas"],
        verbal=frozenset(raw["verbal"]),
        technical_heads=frozenset(raw["technical_heads"]),
        idioms=tuple(raw["idioms"]),
    )


@lru_cache(maxsize=16_384)
def language_of(text: str) -> str:
    """Most likely of LANGUAGES by script, letters and common words; English on a tie."""
    if CHINESE.search(text):
        return "zh"
    words = WORDS.findall(text.lower().replace("’", "'"))
    scores = {code: _score(cues_of(code), words, text) for code in LANGUAGES[:-1]}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > scores["en"] else "en"


def is_other_language(text: str) -> bool:
    """Whether a text in the Latin script is in a language without rules, as far as its common words tell."""
    words = WORDS.findall(text.lower().replace("’", "'"))
    counts = [len(common.intersection(words)) for common in other_languages()]
    known = max(_score(cues_of(code), words, text) for code in LANGUAGES[:-1])
    return max(counts) >= LEAST_OTHER_WORDS and max(counts) > known


@cache
def other_languages() -> tuple[frozenset[str], ...]:
    """Common words of languages that are told apart in order to be left alone."""
    return tuple(frozenset(words.split()) for words in read_cues("others.toml").values())


def _score(cues: Cues, words: list[str], text: str) -> int:
    counted = sum(word in cues.function_words or word in cues.marks for word in words)
    return counted + (cues.signs.search(text) is not None)


def _matter(entry: Mapping[str, Any]) -> Matter:
    return Matter(
        name=entry["name"],
        is_shared=entry.get("shared", False),
        words=_compiled([f"{re.escape(word)}s?" for word in entry["words"]], True),
        terms=tuple(entry["words"]),
        faint=tuple(entry.get("faint", ())),
        support=tuple(entry.get("support", ())),
        area=entry.get("area", ""),
    )


def _opener(openers: list[str], joiners: list[str], bounded: bool) -> re.Pattern[str]:
    """Openers need a pause after them (and after a name called): «No, …» is cut, «No deploys» is not."""
    pause = r"(?:\s+(?-i:[A-Z])\w+)?\s*(?:[,.!;:，。！…—–-]+\s*|$)"
    said = rf"(?:{_either(openers, bounded)}){pause}"
    joined = rf"(?:{_either(joiners, bounded)})[\s,.!;:，。！…—–-]*"
    return re.compile(f"^(?:{said}|{joined})", re.IGNORECASE)


def _compiled(parts: list[str], bounded: bool) -> re.Pattern[str]:
    return re.compile(_either(parts, bounded), re.IGNORECASE)


def _either(parts: list[str], bounded: bool) -> str:
    joined = "|".join(f"(?:{part})" for part in parts)
    return rf"(?<!\w)(?:{joined})(?!\w)" if bounded else f"(?:{joined})"


def read_cues(name: str) -> dict[str, Any]:
    """The data of one file of the cues folder."""
    return tomllib.loads((CUES_FOLDER / name).read_text(encoding="utf-8"))
