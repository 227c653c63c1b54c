"""Where a claim belongs among the scenes: by topic, then by shared words; at the cap in the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from memory.cascade.contract import OfferedAtom
from memory.llm.offline.desks import Desk, person_of
from memory.llm.offline.topics import distinctive, is_undertaking, names_strong_head
from memory.llm.offline.words import content_words, likeness

ROOM_CHARACTERS = 5_200
"""Below the hard limit of a scene by more than one claim with its history."""
SAME_AREA, SAME_PERSON = 1.0, 0.5
RELATED = 0.25
SMALL_THINGS = 0.3
SIZE_WEIGHT = 2.0


def fitting_desk(atom: OfferedAtom, desks: Sequence[Desk]) -> Desk | None:
    """The desk with room that holds the claim's topic already, else the same undertaking in other words."""
    with_room = [desk for desk in desks if _has_room(desk, atom)]
    topic = atom.topic.casefold()
    fits = [desk for desk in with_room if any(topic == held.casefold() for held in desk.topics)]
    fits = fits or [desk for desk in with_room if _holds_undertaking(desk, atom.topic)]
    return min(fits, key=lambda desk: (desk.title, desk.characters), default=None)


def nearest_desk(atom: OfferedAtom, desks: Sequence[Desk]) -> Desk | None:
    """The desk with room that has most in common: of the same person, then by shared words."""
    person = person_of(atom.topic)
    words = content_words(f"{atom.topic} {atom.text}")

    def nearness(desk: Desk) -> tuple[bool, float, str]:
        is_of_kind = person in desk.people if person else not desk.people
        return is_of_kind, likeness(words, desk.words), desk.title

    return max((desk for desk in desks if _has_room(desk, atom)), key=nearness, default=None)


def closest_pair(desks: Sequence[Desk], room_for: int = 0) -> tuple[Desk, Desk] | None:
    """The two related scenes that lose least by being one, the longer first; None when none are related.

    Nearer ones lose less, and so does a shorter one that goes into another. Both together leave room for so
    many more characters.
    """
    ranked = sorted(desks, key=lambda desk: (-desk.characters, desk.title))
    pairs = [
        (kinship, first, second)
        for first, second in combinations(ranked, 2)
        if first.characters + second.characters + room_for < ROOM_CHARACTERS
        and (kinship := _kinship(first, second)) >= RELATED
    ]
    best = max(pairs, key=_gain, default=None)
    return (best[1], best[2]) if best else None


def _gain(pair: tuple[float, Desk, Desk]) -> tuple[float, str, str]:
    kinship, first, second = pair
    return kinship - SIZE_WEIGHT * second.characters / ROOM_CHARACTERS, first.title, second.title


def _kinship(first: Desk, second: Desk) -> float:
    """Shared words of their topics (Jaccard), more for the same person and for the same area of life.

    Small things are filed together before they keep a place that something larger needs.
    """
    shared = likeness(first.words, second.words)
    if first.heads and second.heads:
        return max(shared, SMALL_THINGS if _is_small_thing(first) and _is_small_thing(second) else 0.0)
    is_alike = first.people == second.people and first.is_of_manners == second.is_of_manners
    if first.heads or second.heads or not is_alike:
        return 0.0
    common = sum(min(share, second.areas.get(area, 0.0)) for area, share in first.areas.items())
    return shared + SAME_PERSON + (SAME_AREA - SAME_PERSON) * common


def _is_small_thing(desk: Desk) -> bool:
    return not desk.given_title and not any(names_strong_head(head) for head in desk.heads)


def _has_room(desk: Desk, atom: OfferedAtom) -> bool:
    return desk.characters + len(atom.text) < ROOM_CHARACTERS


def _holds_undertaking(desk: Desk, topic: str) -> bool:
    own = distinctive(topic)
    if not is_undertaking(topic) or not own:
        return False
    others = (topic for topic in (desk.given_title, *sorted(desk.topics)) if topic)
    return any(is_undertaking(other) and _is_same(topic, own, other) for other in others)


def _is_same(topic: str, own: frozenset[str], other: str) -> bool:
    """The same distinctive words, or a part of them where one of the two is no undertaking but a thing."""
    theirs = distinctive(other)
    is_thing = not (names_strong_head(topic) and names_strong_head(other))
    return bool(theirs) and (own == theirs or (is_thing and (own <= theirs or theirs <= own)))
