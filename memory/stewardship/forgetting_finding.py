"""Which claims and raw words a request to forget means: found by recall, then weighed word by word.

Recall always answers with its best; here only what really speaks of the matter counts: it may be erased.
Claims that no longer hold are looked through too: recall never shows them, and just they are meant by «old».
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import CharField, Value

from memory.indexing.analyser import analyse, query_terms
from memory.indexing.analyser_languages import detect_languages, stop_words
from memory.indexing.languages import known_languages
from memory.models import Atom, Entity, Layer, Message
from memory.recall.arms import Filters
from memory.recall.lookup import find_candidates, matter_terms
from memory.recall.search import Request, search
from memory.recall.terms import fold

LOOKED_AT = 200
DEAD_LOOKED_AT = 2_000
LEAST_SHARE = 0.5
"""So much of the matter's weight has to stand in what is meant..."""
NEAR_THE_BEST = 0.75
"""... and so much of what the best has of it."""
PART_SHARE = 0.5
"""What the worth of a form counts that is only a part of a word, as «locker» of «locker17»."""
KINDRED_SHARE = 0.5
"""What a word counts that only belongs to the same matter, as «lives» to «address»."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What a matter means in a memory."""

    atoms: tuple[Atom, ...]
    """In the order of their making, whether they hold or not."""
    messages: tuple[Message, ...]
    """Words that no live claim covers."""


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of the matter."""

    forms: Mapping[str, float]
    """What it is found by, the most telling form 1: a part of it is not the word."""
    kindred: frozenset[str]

    def held_by(self, text: frozenset[str], kindred: frozenset[str] = frozenset()) -> float:
        """How surely a text holds it, 0 to 1; in words of the same matter less."""
        found = max((worth for form, worth in self.forms.items() if form in text), default=0.0)
        found = found if found >= NEAR_THE_BEST else found * PART_SHARE
        return max(found, 0.0 if self.kindred.isdisjoint(kindred) else KINDRED_SHARE)


def find_meant(entity: Entity, matter: str) -> Meant:
    """The claims and raw words that speak of the matter, and every claim of the same chains."""
    languages = tuple(dict.fromkeys([*known_languages(entity), *detect_languages([matter])]))
    words = _words(matter, languages)
    if not words:
        return Meant((), ())
    atoms, messages = _candidates(entity, matter)
    texts: dict[UUID, str] = {atom.pk: _told(atom) for atom in atoms.values()}
    texts |= {message.pk: f"{message.text} {message.attachment_text}" for message in messages.values()}
    forms = {pk: frozenset(analyse(text, languages=languages)) for pk, text in texts.items()}
    weights = _weights(words, forms)
    direct = _standing_out({pk: _share(words, weights, found) for pk, found in forms.items()})
    near = {
        pk
        for pk, atom in atoms.items()
        if _share(words, weights, forms[pk], frozenset(atom.terms)) >= LEAST_SHARE
    }
    chosen = direct | _of_the_matter(near - direct, atoms, direct)
    chains = {atom.chain_id for atom in atoms.values() if atom.pk in chosen}
    return Meant(
        tuple(Atom.objects.for_entity(entity).filter(chain__in=chains).order_by("seq")),
        tuple(message for message in messages.values() if message.pk in chosen),
    )


def _words(matter: str, languages: Sequence[str]) -> list[_Word]:
    """The words that can tell anything apart; a matter of common words alone means nothing."""
    common = stop_words(languages)
    told = dict.fromkeys(word for word in matter.split() if fold(word).strip(".,'’") not in common)
    found = [(query_terms(word, languages=languages), matter_terms(word)) for word in told]
    return [
        _Word({form: worth / max(forms.values()) for form, worth in forms.items()}, kindred)
        for forms, kindred in found
        if forms
    ]


def _candidates(entity: Entity, matter: str) -> tuple[dict[UUID, Atom], dict[UUID, Message]]:
    """Claims of any state and raw messages that recall, or the words of the matter, lead to."""
    filters = Filters(layers=(Layer.MESSAGE, Layer.ATOM))
    hits = search(entity, Request(matter, limit=LOOKED_AT, filters=filters)).hits
    rows = Atom.objects.for_entity(entity)
    live = find_candidates(entity=entity, texts=[matter], each=LOOKED_AT, total=LOOKED_AT)
    found = rows.filter(pk__in=[hit.id for hit in hits if hit.layer == "atom"])
    terms = Value(sorted(matter_terms(matter)), output_field=ArrayField(CharField(max_length=64)))
    dead = rows.dead().filter(terms__overlap=terms).order_by("-seq")[:DEAD_LOOKED_AT]
    said = Message.objects.for_entity(entity).select_related("session")
    raw = said.filter(pk__in=[hit.id for hit in hits if hit.layer == "message"])
    return (
        {atom.pk: atom for atom in (*live, *found, *dead)},
        {message.pk: message for message in raw.order_by("seq")},
    )


def _told(atom: Atom) -> str:
    """What a claim says, and under which headings."""
    return " ".join((atom.text, atom.topic, atom.predicate.replace(".", " ").replace("_", " ")))


def _weights(words: Sequence[_Word], forms: Mapping[UUID, frozenset[str]]) -> list[float]:
    """What each word counts: one that stands in few of the texts says more."""
    standing = Counter(
        place
        for found in forms.values()
        for place, word in enumerate(words)
        if word.held_by(found) >= NEAR_THE_BEST
    )
    return [math.log(1 + (len(forms) + 1) / (standing[place] + 1)) for place in range(len(words))]


def _share(
    words: Sequence[_Word],
    weights: Sequence[float],
    forms: frozenset[str],
    kindred: frozenset[str] = frozenset(),
) -> float:
    """How much of the matter a text holds, by weight; in words of the same matter it counts for less."""
    held = (weight * word.held_by(forms, kindred) for word, weight in zip(words, weights, strict=True))
    return sum(held) / sum(weights)


def _standing_out(shares: Mapping[UUID, float]) -> set[UUID]:
    least = max(LEAST_SHARE, NEAR_THE_BEST * max(shares.values(), default=0.0))
    return {pk for pk, share in shares.items() if share >= least}


def _of_the_matter(near: set[UUID], atoms: Mapping[UUID, Atom], direct: Iterable[UUID]) -> set[UUID]:
    """Claims in other words: under the topic of those in the same words, or where there are none of these."""
    same_words = [atoms[pk] for pk in direct if pk in atoms]
    topics = {atom.topic for atom in same_words} - {""}
    return {pk for pk in near if atoms[pk].topic in topics or not same_words}
