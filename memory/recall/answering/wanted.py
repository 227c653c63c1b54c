"""What may answer a question: words that state something, and the time, name or number that it wants."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

Wanted = Literal["", "anything", "time", "name", "number", "duration", "place"]

_SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[.!?؟][\"'”’»)\]])\s+|(?<=[。！？])|\n+")
_AFTER_MARK = " !\"'”’»)]…"
_CUT = "…"

_OPENING = (
    r"(?:^|[,:;.!?¿]\s*|\b(?:and|or|but|so|know|me|remember|says?|until|since|by|to|from|for|with|in|at|of|on|"
    r"und|y|et)\s+)"
)
_WHEN = (
    "when(?! (?:did|was|were|has|have|had)\\b)|(?:what|which) (?:day|date|month|year|time)|wann|cuándo|quand"
)
_WHO = "who|whom|whose|wer|wen|wem|wessen|quién|quiénes|qui"
_HOW_LONG = "how long|wie lange|cuánto tiempo|combien de temps"
_HOW_MANY = "how (?:many|much|old|often|far)|wie ?viele?|wie (?:alt|oft)|cuánt[oa]s?|combien"
_WHERE = "where|wo|woher|wohin|dónde|où"
_OTHER = "what|which|why|how|welche[mnrs]?|wie|warum|qué|cuál|cuáles|cómo|quelles?|quels?|comment|pourquoi"


def _asking(words: str, unspaced: str) -> re.Pattern[str]:
    return re.compile(rf"{_OPENING}(?:{words})\b|{unspaced}", re.IGNORECASE)


_KINDS: tuple[tuple[Wanted, re.Pattern[str]], ...] = (
    ("duration", _asking(_HOW_LONG, "多久|多长时间")),
    ("number", _asking(_HOW_MANY, "多少|几[个次岁天]")),
    ("time", _asking(_WHEN, "什么时候|何时|几点|几号|哪天")),
    ("name", _asking(_WHO, "谁")),
    ("place", _asking(_WHERE, "哪里|哪儿")),
    ("anything", _asking(_OTHER, "什么|哪|怎么|为什么")),
)
_TIME = re.compile(
    r"\d|[年月日周]|明天|今天|昨天|"
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b|"
    r"(?i:\b(?:today|tonight|tomorrow|yesterday|noon|midnight|mornings?|evenings?|weekends?|daily|weekly|monthly|"
    r"(?:next|last|every|this) (?:day|night|week|month|year|spring|summer|autumn|fall|winter))\b)"
)
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千]|(?i:\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|"
    r"forty|fifty|hundred|thousand|million|once|twice|none|nobody|no|half|dozen)\b)"
)
_DURATION = re.compile(
    r"(?i:\b(?:seconds?|minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|years?|decades?|since|until|forever)\b)"
    r"|\d ?(?:ms|s|h|min)\b|[秒分时天周月年]"
)
_PLACE = re.compile(
    r"(?i:\b(?:in|at|to|from|near|on|under|beside|behind|by|über|bei|aus|nach|en|à|chez|de)\b) \S"
    r"|[在到]|\S/\S"
)
_CAPITAL = re.compile(r"(?<=[\w,;:] )[^\W\d_a-zà-ÿ][\w-]+")
_WORD = re.compile(r"[^\W\d_]+")


def statements_of(text: str) -> str:
    """A text without the sentences that only ask, with an ellipsis where one stood; empty where all do.

    A question is no evidence for what it asks.
    """
    kept = [
        "" if _asks(sentence) else sentence.strip()
        for sentence in _SENTENCE_END.split(text)
        if sentence and sentence.strip()
    ]
    if all(kept):
        return text
    if not any(kept):
        return ""
    joined = " ".join(sentence or _CUT for sentence in kept)
    return re.sub(rf"{_CUT}(?: {_CUT})+", _CUT, joined)


def wanted_by(question: str) -> Wanted:
    """What kind of words would answer; empty where yes or no would.

    Empty for «when did …» too: the day of a turn may tell it.
    """
    return next((kind for kind, pattern in _KINDS if pattern.search(question)), "")


def gives(wanted: Wanted, text: str, *, asked: Collection[str], names: Collection[str]) -> bool:
    """Whether a text holds words of the wanted kind; `asked` are the question's own words in lower case.

    Any text does where no kind is wanted. `names` are words of known names in lower case.
    """
    if wanted == "time":
        return _TIME.search(text) is not None
    if wanted == "number":
        return _NUMBER.search(text) is not None
    if wanted == "duration":
        return _DURATION.search(text) is not None
    if wanted == "place":
        return _PLACE.search(text) is not None
    if wanted != "name":
        return True
    capital = {word.casefold() for word in _CAPITAL.findall(text) if not _TIME.fullmatch(word)}
    known = {word for word in _WORD.findall(text.casefold()) if word in names}
    return bool((capital | known) - set(asked))


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_AFTER_MARK).endswith(("?", "？", "؟"))
