"""One matter of an entity: the claims that compete about it, and how one more enters among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memory.cascade.chain_places import holds_from, said_last, see_again, settle, write_places
from memory.claims.chains import enter, forget_empty_chains, new_chain, outside_receipt, wake_what_follows
from memory.claims.observation import MessageEvidence, Observation, OutsideEvidence
from memory.claims.values import meaning_of, topic_of, words_of
from memory.models import Atom, Authority, Entity, Evidence
from memory.models.base import new_id
from memory.recall.terms import terms_of

PRIORITY = 50
TICK = timedelta(microseconds=1)
SUBJECT_SHOWN = 128
TOPIC_SHOWN = 120
REPEATED = ("status", "superseded_by", "occurred_at", "last_seen_at", "valid_from", "valid_until")
"""What a repeat may change."""


@dataclass(frozen=True, slots=True)
class Statement:
    """An observation as its chain takes it."""

    observation: Observation
    text: str
    value: Any
    live_source: str
    authority: Authority
    said_at: datetime
    is_dated: bool
    """Whether the observation itself says when: else each sending would be said later than the one before."""

    @property
    def is_ahead(self) -> bool:
        """Whether it tells of what does not hold yet when it is said."""
        return _is_ahead(self.observation.valid_from, self.said_at)

    @property
    def holds_from(self) -> datetime:
        """Since when its words count."""
        return max(self.said_at, self.observation.valid_from or self.said_at)


class Matter:
    """The claims of one subject and predicate, or of one value where many hold; the entity is locked.

    A claim and its repeats by the same authority are one atom, as long as nothing else came to hold between
    them; what holds and what only will are two. Others who say the same have atoms of their own, so that each
    keeps its time; these give way to what holds and contest nothing.
    """

    def __init__(self, entity: Entity, statement: Statement, *, is_many: bool) -> None:
        self._entity = entity
        self._statement = statement
        self._is_many = is_many
        self._members = self._read()
        held = next((row for row in self._members if row.status == Atom.Status.LIVE), None)
        self.held_before = held.text if held is not None else None
        self._stored = {row.pk: _state(row) for row in self._members}
        self.made: Atom | None = None
        self.status_before = ""
        """Of the claim that was said again."""

    @property
    def head(self) -> Atom | None:
        """The claim that holds, if one does."""
        rows = [*self._members, self.made] if self.made is not None else self._members
        return next((row for row in rows if row.status == Atom.Status.LIVE), None)

    def agreeing(self, atom: Atom) -> Atom | None:
        """The claim that holds, if it is by somebody of more authority who says the same."""
        head = self.head
        if head is None or head.text != atom.text or atom.status == Atom.Status.CONTESTED:
            return None
        return head if head.authority > atom.authority else None

    def enter(self) -> Atom:
        """Write the statement; returns the claim that says it."""
        resent = self._resent()
        if resent is not None:
            self.status_before = resent.status
            return resent
        self._end_references()
        same = self._said_before()
        if same is not None:
            self.status_before = same.status
            self._repeat(same)
            return same
        return self._make()

    def _read(self) -> list[Atom]:
        """All members of the chains that become this matter's."""
        rows = Atom.objects.for_entity(self._entity).with_rulings().defer("terms")
        observation = self._statement.observation
        of_subject = Q(
            predicate=observation.predicate,
            subject_kind=observation.subject.kind,
            subject_id=observation.subject.identifier,
        )
        same_words = Q(text=self._statement.text, status=Atom.Status.LIVE)
        chains = self._chains(list(rows.filter(of_subject | same_words)))
        members = list(rows.filter(chain__in=chains).order_by("seq")) if chains else []
        for member in members:
            member.entity = self._entity
        return members

    def _chains(self, found: Sequence[Atom]) -> set[UUID]:
        if not self._is_many:
            return {atom.chain_id for atom in found}
        agreeing = [atom for atom in found if self._agrees(atom)]
        live = {atom.chain_id for atom in agreeing if atom.status == Atom.Status.LIVE}
        # A value that gave way to another, when one alone held, is not taken out of its history.
        mixed = {atom.chain_id for atom in found if not self._agrees(atom)}
        return live or {atom.chain_id for atom in agreeing} - mixed

    def _agrees(self, atom: Atom) -> bool:
        statement = self._statement
        if atom.text == statement.text:
            return True
        if not atom.predicate or atom.live_source or statement.live_source:
            return False
        return meaning_of(atom.value) == meaning_of(statement.value)

    def _own(self) -> list[Atom]:
        """What the same authority said of the matter."""
        return [row for row in self._members if row.authority == self._statement.authority]

    def _claims_alike(self) -> list[Atom]:
        """Its claims that say the same; other atoms in the same words are no claims."""
        return [row for row in self._own() if row.predicate and self._agrees(row)]

    def _resent(self) -> Atom | None:
        """The claim that this very observation made or repeated before: nothing is to be written."""
        alike = [row for row in self._claims_alike() if self._is_of_one_time(row)]
        if self._statement.is_dated:
            alike = [row for row in alike if _has_said(row, self._statement.said_at)]
        else:
            newest = max(self._own(), key=lambda row: (said_last(row), row.seq), default=None)
            alike = [row for row in alike if row is newest]
        return next((row for row in alike if not self._missing(row)), None)

    def _said_before(self) -> Atom | None:
        """The claim that is said again, unless something else by its authority came to hold in between."""
        standing = [row for row in self._own() if row.status != Atom.Status.RETRACTED]
        others = [row for row in standing if not self._agrees(row)]
        alike = (row for row in self._claims_alike() if row in standing and self._is_of_one_time(row))
        return next((row for row in alike if not self._is_cut_off(row, others)), None)

    def _is_of_one_time(self, row: Atom) -> bool:
        """Whether both tell of what holds, or both of what will from the same time on."""
        statement = self._statement
        if statement.is_ahead:
            return row.valid_from == statement.observation.valid_from
        return not _is_ahead(row.valid_from, max(said_last(row), statement.said_at))

    def _is_cut_off(self, row: Atom, others: Iterable[Atom]) -> bool:
        began = self._statement.holds_from
        times = [time for other in others for time in (_held_first(other), holds_from(other))]
        earlier = any(began < time < _held_first(row) for time in times)
        return earlier or any(holds_from(row) < time <= began for time in times)

    def _end_references(self) -> None:
        """Where a value is kept from now on, nothing is fetched any more: the policy has changed."""
        ends = min(self._statement.said_at, timezone.now())
        for row in self._members:
            if row.live_source and not self._statement.live_source and row.status == Atom.Status.LIVE:
                row.valid_until = ends if row.valid_from is None else max(ends, row.valid_from + TICK)

    def _repeat(self, row: Atom) -> None:
        before = self._stored
        stood = [state[:-1] for state in before.values()]
        self._take_validity(row)
        see_again(row, authority=self._statement.authority, said_at=self._statement.said_at)
        row.occurred_at = min(_said_first(row), self._statement.said_at)
        settle(self._members)
        changed = [member for member in self._members if _state(member) != before[member.pk]]
        write_places(changed, (), fields=REPEATED)
        self._give_receipts(row, Evidence.Role.REPEAT)
        if stood != [_state(member)[:-1] for member in self._members]:
            wake_what_follows(self._entity)

    def _take_validity(self, row: Atom) -> None:
        """Who says it later knows better how long it holds; said after its end, it holds again."""
        observation, said_at = self._statement.observation, self._statement.said_at
        if said_at < said_last(row):
            return
        if row.status == Atom.Status.SUPERSEDED and row.superseded_by_id is None:
            # It ended by itself, or what had replaced it was erased: said again it is weighed anew.
            row.status = Atom.Status.CONTESTED
        begins, ends = observation.valid_from, observation.valid_until
        if begins is not None or ends is not None:
            if row.valid_from is not None and ends is not None and row.valid_from >= ends:
                row.valid_from = None
            row.valid_from, row.valid_until = begins or row.valid_from, ends
        elif row.valid_until is not None and row.valid_until <= said_at:
            row.valid_until = None

    def _make(self) -> Atom:
        chains = {row.chain_id for row in self._members}
        chain = min(chains, default=None) or new_chain(self._entity)
        atom = self.made = self._new(chain)
        enter(atom, self._members)
        forget_empty_chains(self._entity, chains - {chain})
        self._give_receipts(atom, Evidence.Role.SOURCE)
        agreeing = self.agreeing(atom)
        if agreeing is not None:
            self._give_receipts(agreeing, Evidence.Role.REPEAT)
        wake_what_follows(self._entity)
        return atom

    def _new(self, chain: UUID) -> Atom:
        statement, observation = self._statement, self._statement.observation
        subject, topic = observation.subject, topic_of(observation.predicate)
        names = f"{statement.text} {topic} {words_of(observation.predicate)} {words_of(subject.identifier)}"
        return Atom(
            id=new_id(),
            workspace_id=self._entity.workspace_id,
            entity=self._entity,
            chain_id=chain,
            text=statement.text,
            kind=Atom.Kind.EPISODIC,
            priority=PRIORITY,
            topic=topic[:TOPIC_SHOWN],
            subject=subject.identifier[:SUBJECT_SHOWN],
            subject_kind=subject.kind,
            subject_id=subject.identifier,
            predicate=observation.predicate,
            value=statement.value,
            live_source=statement.live_source,
            valid_from=observation.valid_from,
            valid_until=observation.valid_until,
            authority=statement.authority,
            decision=Atom.Decision.MERGE if self._members else Atom.Decision.STORE,
            merge_reason=Atom.MergeReason.VALUE if self._members else "",
            occurred_at=statement.said_at,
            last_seen_at=statement.said_at,
            created_at=timezone.now(),
            terms=terms_of(names),
        )

    def _missing(self, row: Atom) -> list[OutsideEvidence | MessageEvidence]:
        """Evidence that the claim has no receipt for."""
        receipts = Evidence.objects.filter(of_atom=row)
        known = set(receipts.values_list("message_id", "outside_kind", "outside_reference"))
        return [
            item for item in dict.fromkeys(self._statement.observation.evidence) if _key(item) not in known
        ]

    def _give_receipts(self, row: Atom, role: str) -> None:
        Evidence.objects.bulk_create(_receipt(row, item, role) for item in self._missing(row))


def _key(item: OutsideEvidence | MessageEvidence) -> tuple[UUID | None, str | None, str | None]:
    if isinstance(item, MessageEvidence):
        return (item.message, None, None)
    return (None, item.kind, item.reference)


def _receipt(row: Atom, item: OutsideEvidence | MessageEvidence, role: str) -> Evidence:
    if isinstance(item, OutsideEvidence):
        return outside_receipt(
            row, kind=item.kind, reference=item.reference, authority=item.authority, role=role
        )
    return Evidence(
        workspace_id=row.workspace_id,
        entity_id=row.entity_id,
        of_atom=row,
        message_id=item.message,
        role=role,
    )


def _said_first(row: Atom) -> datetime:
    return row.occurred_at or row.created_at


def _held_first(row: Atom) -> datetime:
    """Since when it counts at the earliest; what was said to hold later counts from then."""
    return max(_said_first(row), row.valid_from or _said_first(row))


def _is_ahead(begins: datetime | None, said_at: datetime) -> bool:
    return begins is not None and begins > said_at


def _has_said(row: Atom, moment: datetime) -> bool:
    return _said_first(row) <= moment <= said_last(row)


def _state(row: Atom) -> tuple[object, ...]:
    """What may change about a stored claim; scenes, the graph and the index follow all but the last."""
    standing = (row.status, row.superseded_by_id, row.valid_from, row.valid_until)
    return (*standing, row.occurred_at, row.last_seen_at)
