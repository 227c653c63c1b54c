"""A claim beside what memory holds: new, the same again, a changed value, or the opposite.

A false merge hides what somebody said, a missed one leaves two lines beside each other: in doubt both stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from memory.llm.offline.gists import Gist, Known, are_apart_in_time, content_tokens, gist_of, is_event
from memory.llm.offline.replacing import ends, has_new_value, share_place
from memory.llm.offline.rescheduling import moved_event
from memory.llm.offline.words import content_words, likeness, stem

__all__ = ["Known", "Match", "best_match", "compare"]

SAME_CLAIM, OPPOSITE, SAME_LIKING = 0.85, 0.75, 0.75
ORDERING = re.compile(r"\b(?:over|than|from|to|before|after|instead|als|que|statt)\b", re.IGNORECASE)
Verdict = Literal["same", "value", "contradiction"]


@dataclass(frozen=True, slots=True)
class Match:
    """The known claim that a new one repeats or replaces."""

    known: Known
    verdict: Verdict
    strength: float


def best_match(claim: Known, known: Collection[Known]) -> Match | None:
    """The strongest match; ties go to the text that sorts first, whatever the order of offering."""
    found = [match for other in known if (match := compare(claim, other)) is not None]
    best = min(found, key=lambda match: (-match.strength, match.known.text), default=None)
    return best or _moved(claim, known)


def _moved(claim: Known, known: Collection[Known]) -> Match | None:
    """The event that has another day now, whoever is said to be its owner."""
    if claim.kind == "instruction":
        return None
    gist = gist_of(claim)
    certain = [
        other
        for other in known
        if other.kind != "instruction"
        and other.scope == claim.scope
        and not _is_uncertain(gist, gist_of(other))
    ]
    event = moved_event(claim, certain)
    return Match(event, "value", 0.0) if event else None


def compare(claim: Known, other: Known) -> Match | None:
    """How a claim stands to a known one; None when they are different matters.

    Likeness is the shared part (Jaccard) of the stems of both texts without dates, figures, function words.
    """
    if not _comparable(claim, other):
        return None
    new, old = gist_of(claim), gist_of(other)
    alike = likeness(new.content, old.content)
    if not alike and new.words != old.words and not share_place(claim, other):
        return None
    if _repeats(claim, other, new, old) or _is_history(claim, other):
        return Match(other, "same", 2.0 + alike)
    if _is_uncertain(new, old):
        return None
    if _is_opposite(claim, other, new, old):
        return Match(other, "contradiction", 1.0 + alike)
    if ends(claim, other):
        return Match(other, "contradiction" if new.is_negated else "value", 0.5 + alike)
    return Match(other, "value", alike) if has_new_value(claim, other) else None


def _comparable(claim: Known, other: Known) -> bool:
    rules = (claim.kind == "instruction", other.kind == "instruction")
    if rules[0] != rules[1] or claim.scope != other.scope:
        return False
    if all(rules):
        return True
    subjects = (claim.subject, other.subject)
    is_about_thing = any(not subject or subject[:1].islower() for subject in subjects)
    return is_about_thing or claim.subject.casefold() == other.subject.casefold()


def _is_uncertain(new: Gist, old: Gist) -> bool:
    """A guess or a condition does not replace what is certain."""
    return (new.is_hedged and not old.is_hedged) or new.condition != old.condition


def _repeats(claim: Known, other: Known, new: Gist, old: Gist) -> bool:
    if new.words == old.words:
        return True
    same_time = claim.happened_from == other.happened_from and claim.happened_until == other.happened_until
    if not same_time or new.values != old.values or new.is_negated != old.is_negated:
        return False
    if new.names != old.names or new.is_hedged != old.is_hedged or new.condition != old.condition:
        return False
    return _same_content(new, old)


def _same_content(new: Gist, old: Gist) -> bool:
    """The same words in the same order, or a few more on one side."""
    if new.is_ended != old.is_ended or not new.content or not old.content:
        return False
    if new.content == old.content:
        return new.ordered == old.ordered or not (ORDERING.search(new.text) or len(new.names) > 1)
    is_wider = new.content < old.content or old.content < new.content
    return is_wider and likeness(new.content, old.content) >= SAME_CLAIM


def _is_history(claim: Known, other: Known) -> bool:
    """Older words that the known claim replaced already; said later, they would bring the old value back."""
    is_older = claim.said_on is not None and other.said_on is not None and claim.said_on < other.said_on
    return is_older and any(
        gist_of(claim).words == gist_of(_told(other, text)).words for text in other.supersedes
    )


def _told(known: Known, text: str) -> Known:
    return Known("", text, known.kind, known.subject, known.topic)


def _is_opposite(claim: Known, other: Known, new: Gist, old: Gist) -> bool:
    """The same thing liked and disliked, a preference reversed, or a statement and its negation."""
    if are_apart_in_time(claim, other):
        return False
    if _is_reversed(new, old):
        return True
    if {_liking(new), _liking(old)} == {1, -1}:
        return new.values == old.values and likeness(_liked(new), _liked(old)) >= SAME_LIKING
    if new.is_negated == old.is_negated or (is_event(claim) and is_event(other)):
        return False
    return _denies(new, old)


def _denies(new: Gist, old: Gist) -> bool:
    """Equal but for the negation; what «no longer» holds may have been told with more words."""
    if new.is_ended and new.content and new.content <= old.content and new.values <= old.values:
        return True
    if new.values != old.values or new.names != old.names:
        return False
    return likeness(new.content, old.content) >= OPPOSITE


def _is_reversed(new: Gist, old: Gist) -> bool:
    """«prefers A over B» and «prefers B over A»."""
    mine, theirs = _preferred(new), _preferred(old)
    return mine is not None and theirs is not None and mine != theirs and mine == theirs[::-1]


def _preferred(gist: Gist) -> tuple[frozenset[str], frozenset[str]] | None:
    for pattern in gist.changes.preferences:
        match = pattern.search(gist.text)
        if match:
            return content_words(match.group("first")), content_words(match.group("second"))
    return None


def _liking(gist: Gist) -> int:
    if gist.says("dislike"):
        return -1
    return 1 if gist.says("like") else 0


def _liked(gist: Gist) -> frozenset[str]:
    """What is liked or not: the content words without the verb of liking."""
    bare = gist.cues.without("like", gist.cues.without("dislike", gist.text))
    liked = frozenset(stem(word) for word in content_tokens(bare, gist.language))
    # Chinese pairs of characters are cut anew without the verb.
    return liked if gist.language == "zh" else liked & gist.content
