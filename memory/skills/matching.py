"""Which reviewed procedures are for a request: words against triggers, without a model and without vectors.

A procedure names what it is for in its title and its lines "use it when". Two shares are measured, each from
0 to 1 and weighted as a query of search is (an inflected form counts four fifths of the word itself):

* of the line that fits best, how much the request says: a short trigger inside a long request. The title
  counts as such a line only where the request says nearly all of it, for a title is a name, and names share
  words such as "service" with anything;
* of the request, how much title and lines together say: a short request for a long trigger.

The greater one is the score, and `FLOOR` is what it has to reach. A line "do not use it when" rules the
procedure out where the request says at least `RULED_OUT` of the words by which that line differs from the
others: of "deploys to production" and "deploys to staging" the word "staging" alone tells them apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.indexing.analyser import query_terms
from memory.indexing.analyser_words import PIECE_MARK

FLOOR = 0.4
NAMED = 0.75
RULED_OUT = 0.3

Verdict = Literal["fits", "below floor", "ruled out"]


@dataclass(frozen=True, slots=True)
class Triggers:
    """What says whether a procedure is for a request."""

    title: str
    when: tuple[str, ...]
    when_not: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a procedure fits a request, and what follows from it."""

    score: float
    verdict: Verdict


class Request:
    """The words of a request, to be held against any number of procedures."""

    def __init__(self, text: str, languages: Sequence[str]) -> None:
        self._languages = languages
        self._terms = _weights(text, languages)

    def fit(self, triggers: Triggers) -> Fit:
        """Score and verdict for one procedure; a request without words fits none."""
        title, *lines = (self._weights(text) for text in (triggers.title, *triggers.when))
        named = _share(title, self._terms)
        together = {term for text in (title, *lines) for term in text}
        shares = [_share(text, self._terms) for text in lines] + ([named] if named >= NAMED else [])
        score = max((*shares, _share(self._terms, together)))
        if score < FLOOR:
            return Fit(score, "below floor")
        return Fit(score, "ruled out" if self._is_ruled_out(triggers.when_not, together) else "fits")

    def _is_ruled_out(self, when_not: Sequence[str], together: Collection[str]) -> bool:
        for text in when_not:
            own = {term: weight for term, weight in self._weights(text).items() if term not in together}
            if _share(own, self._terms) >= RULED_OUT:
                return True
        return False

    def _weights(self, text: str) -> Mapping[str, float]:
        return _weights(text, self._languages)


def _weights(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """The words of a text with their forms; pieces of words are for finding, not for judging."""
    found = query_terms(text, languages=languages)
    return {term: weight for term, weight in found.items() if not term.startswith(PIECE_MARK)}


def _share(text: Mapping[str, float], others: Collection[str]) -> float:
    """How much of a text the others hold; nothing of a text without words."""
    whole = sum(text.values())
    return sum(weight for term, weight in text.items() if term in others) / whole if whole else 0.0
