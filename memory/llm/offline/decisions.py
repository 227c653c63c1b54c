"""A claim beside what memory holds: new, the same again, a changed value, or the opposite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from memory.cascade.contract import AtomKind
from memory.llm.offline.lexicon import Cues, cues_of, language_of
from memory.llm.offline.words import content_words, likeness, stem, tokens, values

SAME_CLAIM, SAME_MATTER, OPPOSITE = 0.85, 0.7, 0.6
Verdict = Literal["same", "value", "contradiction"]


@dataclass(frozen=True, slots=True)
class Known:
    """What memory holds of one matter, or an earlier item of the same answer."""

    handle: str
    text: str
    kind: AtomKind
    subject: str
    topic: str
    scope: str = ""
    happened_from: date | None = None
    happened_until: date | None = None
    said_on: date | None = None
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """The known claim that a new one repeats or replaces."""

    known: Known
    verdict: Verdict
    strength: float


def best_match(claim: Known, known: Iterable[Known]) -> Match | None:
    """The strongest match; ties go to the text that sorts first, whatever the order of offering."""
    found = [match for other in known if (match := compare(claim, other)) is not None]
    return min(found, key=lambda match: (-match.strength, match.known.text), default=None)


def compare(claim: Known, other: Known) -> Match | None:
    """How a claim stands to a known one; None when they are different matters.

    Likeness is the shared part (Jaccard) of the stems of both texts without dates, figures, function words.
    """
    if not _comparable(claim, other):
        return None
    alike = likeness(_skeleton(claim), _skeleton(other))
    if _repeats(claim, other, alike) or _is_history(claim, other):
        return Match(other, "same", 2.0 + alike)
    if _is_opposite(claim, other, alike):
        return Match(other, "contradiction", 1.0 + alike)
    if _has_new_value(claim, other, alike):
        return Match(other, "value", alike)
    return None


def _comparable(claim: Known, other: Known) -> bool:
    rules = (claim.kind == "instruction", other.kind == "instruction")
    if rules[0] != rules[1] or claim.scope != other.scope:
        return False
    return all(rules) or claim.subject.casefold() == other.subject.casefold()


def _repeats(claim: Known, other: Known, alike: float) -> bool:
    same_time = claim.happened_from == other.happened_from and claim.happened_until == other.happened_until
    is_same = alike >= SAME_CLAIM and values(claim.text) == values(other.text) and same_time
    return (is_same and _polarity(claim.text) == _polarity(other.text)) or _same_words(claim.text, other.text)


def _is_history(claim: Known, other: Known) -> bool:
    """Older words that the known claim replaced already; said later, they would bring the old value back."""
    is_older = claim.said_on is not None and other.said_on is not None and claim.said_on < other.said_on
    return is_older and any(_same_words(claim.text, text) for text in other.supersedes)


def _same_words(first: str, second: str) -> bool:
    return tokens(first) == tokens(second)


def _is_opposite(claim: Known, other: Known, alike: float) -> bool:
    """The same thing liked and disliked, or a statement and its negation."""
    liking = {_liking(claim.text), _liking(other.text)}
    if liking == {1, -1}:
        return likeness(_liked(claim.text), _liked(other.text)) >= OPPOSITE
    if _past_event(claim) and _past_event(other):
        return False
    return alike >= OPPOSITE + 0.1 and _polarity(claim.text) != _polarity(other.text) and 0 in liking


def _has_new_value(claim: Known, other: Known, alike: float) -> bool:
    if _state_changed(claim, other) or _frame_changed(claim.text, other.text):
        return True
    if (
        _past_event(claim)
        or _past_event(other)
        or alike < SAME_MATTER
        or _polarity(claim.text) != _polarity(other.text)
    ):
        return False
    differs = values(claim.text) != values(other.text)
    return differs and bool(values(claim.text)) and bool(values(other.text))


def _past_event(known: Known) -> bool:
    """Something that happened at its time: another time is another event, not a new value."""
    cues = _cues(known.text)
    is_state = cues.has("standing", known.text) or cues.has("identity", known.text) or _is_perfect(known.text)
    return (
        known.kind == "episodic"
        and cues.has("past", known.text)
        and not cues.has("future", known.text)
        and not is_state
    )


def _is_perfect(text: str) -> bool:
    words = tokens(text)
    return ("has" in words or "have" in words) and ("for" in words or "since" in words)


def _state_changed(claim: Known, other: Known) -> bool:
    """«is still unapproved» and «is approved» of the same thing."""
    first, second = set(tokens(claim.text)), set(tokens(other.text))
    for pair in _cues(claim.text).states:
        words = [frozenset(state.split()) for state in pair]
        if any(words[a] <= first and words[1 - a] <= second and not words[1 - a] <= first for a in (0, 1)):
            dull = frozenset(stem(word) for group in words for word in group) | {"now", "current", "yet"}
            left, right = _skeleton(claim) - dull, _skeleton(other) - dull
            if bool(left) and (left == right or likeness(left, right) >= OPPOSITE):
                return True
    return False


def _frame_changed(first: str, second: str) -> bool:
    """Both fill the one place of the same frame («lives in …») with different words."""
    for frame in _cues(first).frames:
        one, two = frame.match(first.rstrip(".")), frame.match(second.rstrip("."))
        if one and two and content_words(one.group("key")) == content_words(two.group("key")):
            return _value(one.group("value")) != _value(two.group("value"))
    return False


def _value(words: str) -> list[str]:
    return [word for word in tokens(words) if word not in {"on", "now", "the", "a", "an", "at"}]


def _skeleton(known: Known) -> frozenset[str]:
    """Content words; a person's name tells nothing of the matter."""
    words = content_words(known.text)
    return words - content_words(known.subject) if known.subject[:1].isupper() else words


def _polarity(text: str) -> bool:
    return _cues(text).has("negation", text)


def _liking(text: str) -> int:
    cues = _cues(text)
    if cues.has("dislike", text):
        return -1
    return 1 if cues.has("like", text) else 0


def _liked(text: str) -> frozenset[str]:
    """What is liked or not: the content words without the verb of liking."""
    cues = _cues(text)
    bare = cues.patterns["like"].sub(" ", cues.patterns["dislike"].sub(" ", text))
    return content_words(bare) - {"any more", "more", "anymore", "stand"}


def _cues(text: str) -> Cues:
    return cues_of(language_of(text))
