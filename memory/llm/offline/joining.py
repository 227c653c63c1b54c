"""Claims of one turn between people: told together where they belong together, and only what says enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from memory.llm.offline.claims import Claim
from memory.llm.offline.lexicon import cues_of
from memory.llm.offline.slots import fillings
from memory.llm.offline.words import tokens

MOST_CLAUSES, MOST_CHARACTERS = 3, 320
LEAST_WEIGHT, LEAST_WEIGHT_BESIDE = 6.8, 14
"""The main claim of a turn must say so much, each further one so much."""
OWN, TIMED, ASKED, OPINION, ADDRESSED = 2.0, 2.0, 1.0, -2.0, -1.0


def told(claims: Sequence[Claim], *, is_asked: bool) -> list[Claim]:
    """The claims of a turn, neighbours joined, without those that say too little.

    `is_asked`: the turn before asked something, so somebody wanted to know.
    """
    found = _joined(claims)
    weights = [weight_of(claim) + ASKED * is_asked for claim in found]
    main = weights.index(max(weights)) if weights else 0
    least = [LEAST_WEIGHT if place == main else LEAST_WEIGHT_BESIDE for place in range(len(found))]
    return [
        claim
        for claim, weight, enough in zip(found, weights, least, strict=True)
        if weight >= enough or _is_kept_anyway(claim)
    ]


def _is_kept_anyway(claim: Claim) -> bool:
    """Traits and what a later claim may replace matter however briefly they are said."""
    return _holds_one_value(claim) or (claim.kind == "persona" and not claim.is_opinion)


def told_at_once(claims: Sequence[Claim]) -> list[Claim]:
    """Neighbouring events of one subject as one, as when somebody greets and tells what is new."""
    found: list[Claim] = []
    for claim in claims:
        before = found[-1] if found else None
        is_one = before is not None and before.kind == claim.kind == "episodic"
        if before is not None and is_one and before.subject == claim.subject and _belongs(claim, [before]):
            found[-1] = _one([before, claim])
        else:
            found.append(claim)
    return found


def weight_of(claim: Claim) -> float:
    """How much a claim says: its words of content, more for the speaker's own life and for times."""
    cues = cues_of("en")
    words = set(tokens(claim.clause))
    dull = cues.function_words | cues.empty_words | {claim.person.lower(), f"{claim.person.lower()}'s"}
    traits = (
        (OWN, cues.has("first_person", claim.clause)),
        (TIMED, claim.happened_from is not None),
        (OPINION, claim.is_opinion),
        (ADDRESSED, cues.has("second_person", claim.clause)),
    )
    return 3 * sqrt(len(words - dull)) + sum(value for value, is_so in traits if is_so)


def _joined(claims: Sequence[Claim]) -> list[Claim]:
    """Neighbours of one time as one; what only continues goes with what it continues."""
    groups: list[list[Claim]] = []
    for claim in claims:
        if groups and _belongs(claim, groups[-1]):
            groups[-1].append(claim)
        elif not claim.is_continuation:
            groups.append([claim])
    return [_one(group) for group in groups]


def _belongs(claim: Claim, group: Sequence[Claim]) -> bool:
    length = sum(len(other.text) + 1 for other in group) + len(claim.text)
    if len(group) >= MOST_CLAUSES or length > MOST_CHARACTERS:
        return False
    if claim.is_continuation:
        return True
    if _holds_one_value(claim) or any(map(_holds_one_value, group)):
        return False
    is_dated = claim.happened_from is not None or claim.happened_until is not None
    return not is_dated or _period(claim) == _period(group[0])


def _one(group: Sequence[Claim]) -> Claim:
    first = group[0]
    if len(group) == 1:
        return first
    dated = next((claim for claim in group if claim.happened_from or claim.happened_until), first)
    return replace(
        first,
        text=" ".join(claim.text for claim in group),
        priority=max(claim.priority for claim in group),
        clause=". ".join(claim.clause.rstrip(" .!") for claim in group),
        messages=tuple(dict.fromkeys(handle for claim in group for handle in claim.messages)),
        happened_from=dated.happened_from,
        happened_until=dated.happened_until,
        is_opinion=all(claim.is_opinion for claim in group),
    )


def _period(claim: Claim) -> tuple[object, object]:
    return claim.happened_from, claim.happened_until


def _holds_one_value(claim: Claim) -> bool:
    """A statement that a later one replaces («lives in …») stays alone, so that it can be replaced."""
    return cues_of("en").has("health", claim.clause) or bool(fillings(claim.text, claim.subject))
