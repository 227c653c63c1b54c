"""Notes of a session, and how much each matters where not all of them fit."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from memory.llm.offline.date_rules import MONTHS
from memory.llm.offline.durable import PROPER_NAME
from memory.llm.offline.lexicon import cues_of, language_of

Section = Literal["before", "wanted", "decided", "rules", "told", "promised", "results", "open"]
ASSISTANT = "The assistant"
LABELS: Mapping[Section, str] = {
    "before": "Before",
    "wanted": "Wanted",
    "decided": "Decided",
    "rules": "Rules",
    "told": "Told",
    "promised": "Promised",
    "results": "Results",
    "open": "Open",
}
WORTH: Mapping[Section, int] = {
    "before": 70,
    "wanted": 70,
    "decided": 90,
    "rules": 85,
    "told": 52,
    "promised": 60,
    "results": 48,
    "open": 70,
}
"""How much a note of a section matters before one looks at its words."""
ANSWERED, MENTIONED, ANECDOTE = 44, 40, 36
"""A question with its answer, what the assistant said of itself, an event without name, figure or day."""
OF_AGREEMENT, OF_FIGURE, OF_NAME = 22, 10, 6
"""What a day or an amount, another figure, and a name add."""
OWN_WORDS = re.compile(r" \(\d{4}-\d\d-\d\d\)|\bThe (?:user|assistant)\b")
"""What a digest adds to what was said: the day of a quotation, and a speaker without a name."""
AMOUNT = re.compile(
    r"[$€£¥]\s?\d|\d\s?(?:[$€£¥%]|(?:percent|euros?|dollars?|pounds?|francs?|kroner|yuan|eur|usd|gbp|chf|nok|sek)\b)",
    re.IGNORECASE,
)
DAY = re.compile(
    rf"\b(?:{'|'.join(MONTHS)}) \d|\b\d{{1,2}}\.? (?:{'|'.join(MONTHS)})\b|\b\d{{4}}-\d\d-\d\d\b"
)
FIGURE = re.compile(r"\d")
ASKED = re.compile(r' asked: "')


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a digest."""

    section: Section
    text: str

    @property
    def is_asked(self) -> bool:
        """Whether it holds a question or a request in somebody's own words."""
        return ASKED.search(self.text) is not None


def concreteness(text: str) -> int:
    """What a text gains by a day, an amount, another figure or a name in it; 0 without any."""
    if names_day_or_amount(text):
        return OF_AGREEMENT
    return OF_FIGURE if FIGURE.search(text) else OF_NAME if PROPER_NAME.search(text) else 0


def names_day_or_amount(text: str) -> bool:
    """Whether a text holds what people agree on: a day, or a sum of money."""
    return AMOUNT.search(text) is not None or DAY.search(text) is not None


def worth_of(note: Note, days: Collection[date] = ()) -> int:
    """How much a note matters by its section and its words alone, so that it is the same in a later fold.

    A day of the session itself (`days`) is no date that anybody agreed on.
    """
    added = concreteness(_without_days(note.text, days))
    if note.section == "wanted" and note.is_asked:
        return ANSWERED + added
    if note.section == "told" and note.text.startswith(f"{ASSISTANT}: "):
        return MENTIONED + added
    cues = cues_of(language_of(note.text))
    is_anecdote = note.section == "told" and not added and cues.has("past", note.text)
    return ANECDOTE if is_anecdote else WORTH[note.section] + added


def _without_days(text: str, days: Collection[date]) -> str:
    text = OWN_WORDS.sub("", text)
    for day in days:
        text = text.replace(f"{MONTHS[day.month - 1]} {day.day}, {day.year}", "")
    return text
