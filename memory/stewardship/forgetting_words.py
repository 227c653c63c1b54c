"""What somebody wants forgotten, out of the words that ask for it. Pure rules over a table of languages."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("forgetting_words.toml")
EDGES = " \t\r\n.,;:!?\"'«»“”„‘’。，、！？；：،؟()[]"


@dataclass(frozen=True, slots=True)
class Wish:
    """A request to forget."""

    matter: str
    """What it is about, without the words that ask and those that say «old»."""
    wants_old: bool
    """Only what no longer holds is meant."""
    is_asked: bool
    """The words ask to forget; without that they only name the matter."""


@dataclass(frozen=True, slots=True)
class _Language:
    asks: re.Pattern[str]
    asks_last: re.Pattern[str]
    about: re.Pattern[str]
    closes: re.Pattern[str]
    old: re.Pattern[str]


def read_wish(words: str) -> Wish:
    """What is to be forgotten: «Please forget my old address» is «my address», where it no longer holds."""
    text = unicodedata.normalize("NFC", words).strip(EDGES)
    matter, is_asked = _without_asking(text)
    matter = _cut(matter)
    without_old = matter
    for language in _languages().values():
        without_old = language.old.sub(" ", without_old)
    wants_old = without_old != matter
    return Wish(" ".join(without_old.split()).strip(EDGES), wants_old, is_asked)


def says_old(text: str) -> bool:
    """Whether a text itself tells of something former."""
    return any(language.old.search(text) for language in _languages().values())


def _without_asking(text: str) -> tuple[str, bool]:
    """The text without the verb at its beginning, or at its end."""
    for language in _languages().values():
        if found := language.asks.match(text):
            return text[found.end() :].strip(EDGES), True
    for language in _languages().values():
        if found := language.asks_last.search(text):
            return text[: found.start()].strip(EDGES), True
    return text, False


def _cut(text: str) -> str:
    """Without what only leads to the matter or follows it, as often as it stands there."""
    for language in _languages().values():
        while (found := language.about.match(text)) and found.end():
            text = text[found.end() :].strip(EDGES)
        if found := language.closes.search(text):
            text = text[: found.start()].strip(EDGES)
    return text


@cache
def _languages() -> Mapping[str, _Language]:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: _compiled(language) for name, language in table.items()}


def _compiled(language: Mapping[str, str]) -> _Language:
    flags = re.IGNORECASE
    return _Language(
        asks=re.compile(language["asks"], flags),
        asks_last=_at_end(language.get("asks_last", "(?!)")),
        about=re.compile(language["about"], flags),
        closes=_at_end(language["closes"]),
        old=re.compile(language["old"], flags),
    )


def _at_end(pattern: str) -> re.Pattern[str]:
    """At the end of a text, as words of their own where the script has words."""
    return re.compile(rf"(?:^|(?<=[\s,])|(?<=[^\x00-\u02ff]))(?:{pattern})$", re.IGNORECASE)
