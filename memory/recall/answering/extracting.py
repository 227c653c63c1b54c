"""An answer without a model: the lines of memory that speak of the question, quoted with their source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.recall.answering.coverage import Question, Word
from memory.recall.answering.evidence import Item
from memory.recall.answering.wanted import statements_of
from memory.recall.context.excerpts import excerpt

MORE_THAN = 0.5
"""Only where a text covers more of the question than this does memory speak of the matter at all.

Measured on a conversation of LoCoMo without vectors: 0.57 of 100 of its own questions pass, and 0.13 of 100
of another conversation with the names exchanged. Without kin and light words it was 0.49 and 0.12."""
NEAR_BEST = 0.2
NEAR_SPREADS = 3.0
"""A text of which the meaning is so much nearer than usual is quoted beside: the answer to a question often
stands in a turn that shares few of its words (measured: the right turn is among the quotes of 0.42 of the
questions instead of 0.30)."""
MOST_QUOTES = 3
QUOTE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Quote:
    """A text that speaks of the question, with the words of it that it covers."""

    item: Item
    text: str
    covered: frozenset[Word]
    share: float


def find_quotes(question: Question, items: Sequence[Item]) -> tuple[Quote, ...]:
    """The quotes that answer best: first those that hold what is wanted, then in the order of the search.

    The one that covers most is always there. Empty when nothing found speaks of what is asked, however high
    it scored; what only asks, or repeats the question, does not.
    """
    found = (_quote(question, item) for item in items)
    quotes = [quote for quote in found if quote is not None]
    best = max(quotes, key=lambda quote: quote.share, default=None)
    if best is None or best.share <= MORE_THAN:
        return ()
    chosen = [quote for quote in _each_text_once(quotes) if _answers(quote, best)]
    chosen.sort(key=lambda quote: not question.is_met_by(quote.text))
    if best in chosen[:MOST_QUOTES]:
        return tuple(chosen[:MOST_QUOTES])
    return (*chosen[: MOST_QUOTES - 1], best)


def _each_text_once(quotes: Sequence[Quote]) -> list[Quote]:
    return list({quote.text.casefold(): quote for quote in reversed(quotes)}.values())[::-1]


def _answers(quote: Quote, best: Quote) -> bool:
    covers = quote.share > MORE_THAN and quote.share >= best.share - NEAR_BEST
    return covers or quote.item.nearness >= NEAR_SPREADS


def _quote(question: Question, item: Item) -> Quote | None:
    """What an item states with what it covers; None where it states nothing beside the question."""
    stated = statements_of(item.text)
    if not stated or (question.wanted and question.is_repeated_by(_told(question, stated, item))):
        return None
    own = question.covered_by(f"{stated}\n{item.about}")
    teller = "" if _is_of_another(question, item) else item.speaker
    covered = own | question.covered_by(f"{teller}\n{item.date_words}")
    share = question.share(covered)
    if share < 1 and own.isdisjoint(question.telling):
        # Only who said it and when were asked for as well: the matter is another one.
        share = 0.0
    text = excerpt(stated, lambda text: len(question.covered_by(text)), longest=QUOTE_CHARACTERS)
    return Quote(item, text, covered, share)


def _is_of_another(question: Question, item: Item) -> bool:
    """Whether a claim is about a person whom the question does not name: who told it is not meant then."""
    about = frozenset(item.about.casefold().split())
    is_person = item.kind == "atom" and bool(about) and about <= question.names
    return is_person and about.isdisjoint(word.text.casefold() for word in question.words)


def _told(question: Question, stated: str, item: Item) -> str:
    """«I approved it» answers who did by its speaker."""
    return f"{stated}\n{item.speaker}" if question.wanted == "name" else stated
