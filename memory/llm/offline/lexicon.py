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
    states: tuple[tuple[str, str], ...]
    frames: tuple[re.Pattern[str], ...]

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
    past: frozenset[str]
    adverbs: frozenset[str]
    copulas: frozenset[str]


@dataclass(frozen=True, slots=True)
class Matter:
    """A theme people talk about: `name` may hold `{person}`."""

    name: str
    is_shared: bool
    words: re.Pattern[str]
    weight: int = 1
    """How much one of its words counts beside words of broader themes."""


@dataclass(frozen=True, slots=True)
class Matters:
    """Nouns that open a matter, nouns that belong to one, and the themes."""

    strong_head: re.Pattern[str]
    weak_head: re.Pattern[str]
    heads: frozenset[str]
    plain_modifiers: frozenset[str]
    themes: tuple[Matter, ...]


@cache
def cues_of(language: str) -> Cues:
    """Compiled cues of one of LANGUAGES."""
    raw = _read(f"{language}.toml")
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
        states=tuple((first, second) for first, second in values["states"]),
        frames=tuple(re.compile(frame, re.IGNORECASE) for frame in values.get("frames", [])),
    )


@cache
def english_verbs() -> Verbs:
    """Verb forms for the third person and for finding clauses."""
    raw = _read("verbs_en.toml")
    return Verbs(**{name: frozenset(raw[name].split()) for name in ("base", "past", "adverbs", "copulas")})


@cache
def matters() -> Matters:
    """Heads and themes for naming topics (English nouns)."""
    raw = _read("matters.toml")
    return Matters(
        strong_head=_compiled(raw["strong_heads"], True),
        weak_head=_compiled(raw["weak_heads"], True),
        heads=frozenset(raw["strong_heads"] + raw["weak_heads"]),
        plain_modifiers=frozenset(raw["plain_modifiers"]),
        themes=tuple(_matter(entry) for entry in raw["matters"]),
    )


@lru_cache(maxsize=16_384)
def language_of(text: str) -> str:
    """Most likely of LANGUAGES by script and function words; English on a tie."""
    if re.search(r"[\u4e00-\u9fff]", text):
        return "zh"
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", text.lower())
    counts = {code: sum(word in cues_of(code).function_words for word in words) for code in LANGUAGES[:-1]}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] > counts["en"] else "en"


def _matter(entry: Mapping[str, Any]) -> Matter:
    return Matter(
        entry["name"], entry.get("shared", False), _compiled(entry["words"], True), entry.get("weight", 1)
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


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((CUES_FOLDER / name).read_text(encoding="utf-8"))
