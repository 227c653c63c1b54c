"""The whole of an erase, found from what was chosen: what rests on it, then what repeats its words."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from memory import queries
from memory.indexing.hashing import term_hash
from memory.indexing.languages import known_languages
from memory.models import Atom, Entity, Layer, LayerCount, Message, SearchUnit, Session
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.needles import Needles, TellingNeedles, strings_in, terms_in
from memory.stewardship.erasing.parts import in_parts
from memory.stewardship.erasing.scopes import Chosen, Scope, choose
from memory.stewardship.erasing.spreading import note_empty_sessions, spread
from memory.stewardship.erasing.sweeping import note_approved, note_log_entries, note_mentions, sweep
from memory.stewardship.erasing.telling import telling_among

WRITTEN = ("speaker", "text", "attachment_text")
"""What search finds a message by."""
BESIDE = ("tool_calls", "metadata")
NAMING = ("title", "external_id")
CLAIMING = ("text", "subject_id", "value")
SECONDS = 600
UNITS_OF_A_LOOK_UP = 20
"""Units of messages that are read through in the time of one look-up by key (about 0.6 ms)."""
_OF_DATE = re.compile(r"\d{1,4}|\d{4}-\d\d(?:-\d\d)?")


def affected_by(entity: Entity, scope: Scope) -> Affected:
    """Everything that an erase of this scope would touch, read as things stand; not for whole entities."""
    chosen = choose(entity, scope)
    affected = Affected(messages=set(chosen.messages), atoms=set(chosen.atoms), sessions=set(chosen.sessions))
    note_empty_sessions(entity, affected)
    spread(entity, affected)
    languages = known_languages(entity)
    terms = distinctive(entity, chosen, affected, languages)
    erased = _erased_texts(entity, chosen, affected) if terms else ()
    affected.needles = Needles(terms, languages)
    affected.telling = TellingNeedles(telling_among(terms, erased, languages))
    sweep(entity, affected, spares_people=scope.kind == "retention")
    spread(entity, affected)
    note_mentions(entity, affected)
    note_log_entries(entity, affected)
    note_approved(entity, affected)
    return affected


def _erased_texts(entity: Entity, chosen: Chosen, affected: Affected) -> Iterator[str]:
    yield from _texts(Message.objects.for_entity(entity), affected.messages, (*WRITTEN, *BESIDE))
    yield from _texts(Session.objects.for_entity(entity), affected.sessions, NAMING)
    yield from _texts(Atom.objects.for_entity(entity), set(chosen.atoms), CLAIMING)


def distinctive(
    entity: Entity, chosen: Chosen, affected: Affected, languages: Sequence[str]
) -> frozenset[str]:
    """The terms of the erased words that no surviving message of the entity holds.

    Surviving messages are asked through the search index, by key; those that are not in it, or whose unit
    holds a neighbour that goes, are read.
    """
    rows = Message.objects.for_entity(entity)
    written = terms_in(_texts(rows, affected.messages, WRITTEN), languages)
    beside = terms_in(_texts(rows, affected.messages, BESIDE), languages)
    sessions = Session.objects.for_entity(entity)
    titles = terms_in(_texts(sessions, affected.sessions, NAMING), languages)
    atoms = Atom.objects.for_entity(entity)
    claimed = terms_in(_texts(atoms, set(chosen.atoms), CLAIMING), languages)
    terms = written | beside | titles | claimed
    held = _held_in_index(entity, terms, affected.messages)
    terms -= held - _of_dates(held, languages)
    if dated := terms & held:
        # A unit holds the day on which it was said as well: whether the words do, they alone tell.
        terms -= dated & terms_in(_texts(rows, _others(rows, affected.messages), WRITTEN), languages)
    unread = _not_in_index(entity, affected.messages)
    terms -= terms_in(_texts(rows, unread, WRITTEN), languages) if terms else set()
    if terms & (beside | claimed):
        terms -= terms_in(_survivors_beside(entity, affected.messages), languages)
    if only_titles := terms & titles - written - beside - claimed:
        others = _texts(sessions, _others(sessions, affected.sessions), NAMING)
        terms -= only_titles & terms_in(others, languages)
    if only_claimed := terms & claimed - written - beside:
        terms -= only_claimed & terms_in(_independent_claims(entity, affected.atoms), languages)
    return frozenset(terms)


def _of_dates(terms: set[str], languages: Sequence[str]) -> set[str]:
    """Terms that may come from a day alone: names of months and weekdays, and short numbers."""
    names = terms_in([*calendar.month_name, *calendar.month_abbr, *calendar.day_name], languages)
    return {term for term in terms if term in names or _OF_DATE.fullmatch(term)}


def _texts(rows: Any, ids: Iterable[UUID], columns: Sequence[str]) -> Iterable[str]:
    for part in in_parts(sorted(ids)):
        for values in rows.filter(pk__in=part).order_by().values_list(*columns).iterator():
            for value in values:
                yield from strings_in(value, keys=False)


def _held_in_index(entity: Entity, terms: set[str], gone: set[UUID]) -> set[str]:
    """Terms under which the unit of a surviving message is found that holds no word of an erased one."""
    hashed = {term_hash(entity.pk.bytes, term): term for term in terms}
    excluded = gone | successors_of(entity, gone)
    by_unit = len(terms) * UNITS_OF_A_LOOK_UP > _count_of_units(entity)
    held: set[str] = set()
    for part in [sorted(hashed)] if by_unit else in_parts(sorted(hashed), 1_000):
        found = queries.rows_within(
            SECONDS * 1_000,
            "erase_held_terms_by_unit" if by_unit else "erase_held_terms",
            # A plan that reads all units is never the better one where each term is one look-up.
            settings_of_server=None if by_unit else {"enable_seqscan": "off"},
            workspace=entity.workspace_id,
            entity=entity.pk,
            terms=queries.array(part),
            excluded=queries.array(excluded),
        )
        held.update(hashed[term] for (term,) in found or ())
    return held


def _count_of_units(entity: Entity) -> int:
    counts = LayerCount.objects.filter(entity=entity, layer=Layer.MESSAGE)
    return counts.values_list("units", flat=True).first() or 0


def successors_of(entity: Entity, gone: set[UUID]) -> set[UUID]:
    """Surviving messages whose unit holds a neighbour that goes: the turn right after each."""
    rows = queries.rows(
        "erase_successors", workspace=entity.workspace_id, entity=entity.pk, messages=queries.array(gone)
    )
    return {row for (row,) in rows} - gone


def _not_in_index(entity: Entity, gone: set[UUID]) -> set[UUID]:
    units = SearchUnit.objects.for_entity(entity).filter(layer=Layer.MESSAGE)
    everything = set(Message.objects.for_entity(entity).order_by().values_list("pk", flat=True))
    indexed = set(units.order_by().values_list("message_id", flat=True))
    return (everything - indexed - gone) | successors_of(entity, gone)


def _survivors_beside(entity: Entity, gone: set[UUID]) -> Iterable[str]:
    """What surviving messages hold beside their words, where they hold any."""
    rows = Message.objects.for_entity(entity).exclude(tool_calls=[], metadata={})
    for pk, *values in rows.order_by().values_list("pk", *BESIDE).iterator():
        if pk not in gone:
            yield from strings_in(values, keys=False)


def _others(rows: Any, gone: set[UUID]) -> set[UUID]:
    return set(rows.order_by().values_list("pk", flat=True)) - gone


def _independent_claims(entity: Entity, gone: set[UUID]) -> Iterable[str]:
    """What other claims from outside say: forgetting one claim takes no other that shares a word with it."""
    rows = Atom.objects.for_entity(entity).filter(evidence__outside_kind__isnull=False)
    claims = set(rows.order_by().values_list("pk", flat=True)) - gone
    yield from _texts(Atom.objects.for_entity(entity), claims, CLAIMING)
