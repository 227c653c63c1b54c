"""One claim: what it rests on, the matter it belongs to, and what rests on it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from django.utils.formats import date_format

from memory.models import Atom, Correction, Evidence, Line
from memory.recall.ladder import message_record
from memory.recall.short_ids import short_id
from showcase.access import Place, Scope
from showcase.cards import DAY, SLOTS, message_card
from showcase.links import anchor, persona_url, record_url, trace_url
from showcase.parts import Card, Fact
from showcase.records import atom_rows
from showcase.records.signing import Notes, notes_of, run_fact

DECISIONS = {
    Atom.Decision.STORE: "stored as new",
    Atom.Decision.MERGE: "merged with what stood",
}
REASONS = {
    Atom.MergeReason.VALUE: "its value changed",
    Atom.MergeReason.CONTRADICTION: "it contradicts what stood",
}
STATES = {
    Atom.Status.LIVE: "holds now",
    Atom.Status.SUPERSEDED: "superseded",
    Atom.Status.CONTESTED: "contested",
    Atom.Status.RETRACTED: "retracted",
}


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One claim of a matter."""

    id: UUID
    text: str
    status: str
    said: str
    url: str
    at: datetime
    authority: str
    came: str
    """How it came in: «merged with what stood: its value changed»."""
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a person changed about a claim."""

    words: str
    reason: str
    url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AtomPage:
    """A claim with everything around it."""

    row: Atom
    facts: tuple[Fact, ...]
    reason: str
    """Why the run decided as it did, where it said so."""
    below: tuple[Card, ...]
    outside: tuple[Fact, ...]
    rulings: tuple[Ruling, ...]
    chain: tuple[ChainStep, ...]
    lines: tuple[Card, ...]
    traits: tuple[Card, ...]
    edge: str

    @property
    def status(self) -> str:
        """Its state in words."""
        return STATES[Atom.Status(self.row.status)]

    @property
    def is_live(self) -> bool:
        """Whether it holds now."""
        return self.row.status == Atom.Status.LIVE


def atom_page(scope: Scope, id: UUID) -> AtomPage:
    """The page of a claim; Http404. At most seven statements."""
    atom, chain = atom_rows.chain_of(scope.entity, id)
    below = atom_rows.receipts_below(scope.entity, id)
    lines = [row.of_line for row in atom_rows.receipts_above(scope.entity, id) if row.of_line]
    ids = [line.pk for line in lines]
    places = atom_rows.standing_in(scope.entity, ids) if ids else {}
    traits = atom_rows.traits_above(scope.entity, ids) if ids else ()
    notes = notes_of(scope.entity, [atom.run_id])
    return AtomPage(
        row=atom,
        facts=tuple(fact for fact in _facts(scope, atom) if fact.value or fact.at),
        reason=_reason(notes, atom),
        below=tuple(_said(scope, row) for row in below if row.message),
        outside=tuple(map(_outside, (row for row in below if row.outside_kind))),
        rulings=tuple(_ruling(scope, row) for row in atom_rows.rulings_on(scope.entity, id)),
        chain=tuple(_step(scope, row, shown=id) for row in chain),
        lines=tuple(_line(scope, line, places.get(line.pk)) for line in lines),
        traits=tuple({card.id: card for card in (_trait(scope, row) for row in traits)}.values()),
        edge=_edge(atom),
    )


def _reason(notes: Notes, atom: Atom) -> str:
    """What its run said of it, where that is more than the kind of merge."""
    found = (
        str(note.get("reason") or "")
        for noted in notes.values()
        for note in noted
        if note.get("outcome") == atom.decision and str(atom.pk) in note.get("atoms", ())
    )
    reason = next(found, "")
    return "" if reason in Atom.MergeReason.values else reason


def _facts(scope: Scope, atom: Atom) -> tuple[Fact, ...]:
    return (
        Fact("kind", atom.kind),
        Fact("priority", str(atom.priority)),
        Fact("topic", atom.topic),
        Fact("about", atom.subject),
        Fact("holds when", atom.scope or ("always" if atom.kind == Atom.Kind.INSTRUCTION else "")),
        Fact("on the word of", atom.get_authority_display()),
        Fact("claims", _claim(atom)),
        Fact("decision", _came(atom)),
        Fact("happens", _span(atom.happened_from, atom.happened_until)),
        Fact("said first", at=_local(scope, atom.occurred_at)),
        Fact("said last", at=_local(scope, atom.last_seen_at)),
        Fact("holds from", at=_local(scope, atom.valid_from)),
        Fact("holds until", at=_local(scope, atom.valid_until)),
        Fact("made", at=_local(scope, atom.created_at)),
        run_fact(scope, "made by", atom.run_id),
        Fact("chain", short_id(atom.chain_id)),
    )


def _claim(atom: Atom) -> str:
    if not atom.predicate:
        return ""
    value = f"asked of {atom.live_source}" if atom.live_source else json.dumps(atom.value, ensure_ascii=False)
    return f"{atom.subject_kind} {atom.subject_id}: {atom.predicate} = {value}"


def _came(atom: Atom) -> str:
    reason = REASONS[Atom.MergeReason(atom.merge_reason)] if atom.merge_reason else ""
    decision = DECISIONS[Atom.Decision(atom.decision)]
    return f"{decision}: {reason}" if reason else decision


def _span(start: date | None, end: date | None) -> str:
    return " to ".join(dict.fromkeys(date_format(day, DAY) for day in (start, end) if day is not None))


def _local(scope: Scope, at: datetime | None) -> datetime | None:
    return at and at.astimezone(scope.entity.zone)


def _said(scope: Scope, row: Evidence) -> Card:
    assert row.message is not None  # noqa: S101  # the caller has looked
    card = message_card(scope, message_record(row.message, scope.entity))
    more = [Fact("session", row.message.session.external_id)]
    if row.role == Evidence.Role.REPEAT:
        more.append(Fact("repeats it"))
    return replace(card, facts=(*card.facts, *more))


def _outside(row: Evidence) -> Fact:
    authority = str(row.get_outside_authority_display())
    return Fact(str(row.outside_kind).replace("_", " "), f"{row.outside_reference} (as {authority})")


def _ruling(scope: Scope, row: Correction) -> Ruling:
    who = str(row.by or row.user or row.key or "") if scope.place is Place.LIVE else ""
    return Ruling(
        words=f"{row.get_kind_display().replace('_', ' ')} by {who or 'a person'}".capitalize(),
        reason=row.reason,
        url=trace_url(scope, row.pk),
        at=row.created_at.astimezone(scope.entity.zone),
    )


def _step(scope: Scope, row: Atom, *, shown: UUID) -> ChainStep:
    at = row.occurred_at or row.created_at
    return ChainStep(
        id=row.pk,
        text=row.text,
        status=row.status,
        said=STATES[Atom.Status(row.status)],
        url=record_url(scope, "atom", row.pk),
        at=at.astimezone(scope.entity.zone),
        authority=row.get_authority_display(),
        came=_came(row),
        is_shown=row.pk == shown,
    )


def _line(scope: Scope, line: Line, title: str | None) -> Card:
    """A line where it stands now; one that is in no current version leads to its trace."""
    scene = f"{record_url(scope, 'scene', line.scene_id)}#{anchor('line', line.pk)}"
    return Card(
        kind="line",
        id=line.pk,
        text=line.text,
        title=title or line.get_section_display(),
        url=scene if title else trace_url(scope, line.pk),
        facts=(Fact("section", line.get_section_display()),) if title else (),
        state="" if title else ("erased" if line.erased_at else "in no current version"),
    )


def _trait(scope: Scope, row: Evidence) -> Card:
    version = row.of_trait_version
    assert version is not None  # noqa: S101  # the statement asks for it
    return Card(
        kind="trait",
        id=version.trait_id,
        text=version.text,
        title=SLOTS[version.trait.slot],
        url=f"{persona_url(scope)}#{anchor('trait', version.trait_id)}",
        facts=(Fact("wording", str(version.number)),),
        state="" if version.is_head else "earlier wording",
    )


def _edge(atom: Atom) -> str:
    """What the graph holds of it: subject, predicate, and another node or a value."""
    edge = getattr(atom, "edge", None)
    if edge is None:
        return ""
    end = str(edge.object) if edge.object else str(edge.value)
    return f"{edge.subject} — {edge.predicate.replace('_', ' ')} → {end}"
