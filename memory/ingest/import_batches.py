"""One batch of an import: made to fit its entity, stored in one transaction, counted in the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from memory.ingest.entities import ensure_entity, find_entity
from memory.ingest.import_report import ImportReport
from memory.ingest.importers.records import BadRow, ReadClaim, ReadMessage
from memory.ingest.importers.times import from_iso
from memory.ingest.incoming import IncomingMessage, read_messages
from memory.ingest.instants import in_utc
from memory.ingest.messages import append_messages
from memory.ingest.outside_claims import OutsideClaim, claim_problems, known_references, record_outside_claims
from memory.ingest.payload import content_hashes
from memory.ingest.problems import IngestConflict, IngestError, Problem
from memory.ingest.redaction import redact
from memory.ingest.redaction_messages import redacted_messages
from memory.ingest.session_rows import name_sessions
from memory.ingest.storable import text_problem
from memory.ingest.tombstones import buried
from memory.models import Entity, Message, Workspace

Readable = tuple[ReadMessage, IncomingMessage]


@dataclass(slots=True)
class Target:
    """The entity that an import goes to, and what it adds to rows that leave it open."""

    workspace: Workspace
    entity_name: str
    time_zone: str
    """The zone of the entity, or the one that it will be made with."""
    speaker: str
    """The name of the user in rows that name nobody."""
    sessions: set[str] = field(default_factory=set)
    """The sessions met so far."""
    titles: dict[str, str] = field(default_factory=dict)
    """What the file calls them; given once all of it was read."""
    erased_sessions: set[str] = field(default_factory=set)
    """Those of which the file holds an erased message: its title may tell of that."""

    @classmethod
    def find(cls, workspace: Workspace, entity_name: str, time_zone: str, speaker: str) -> Target:
        """The entity that is there keeps its zone."""
        entity = find_entity(workspace=workspace, name=entity_name)
        zone = entity.time_zone if entity else time_zone or "UTC"
        return cls(workspace, entity_name, zone, speaker)

    def entity(self) -> Entity | None:
        """The entity, if it is there."""
        return find_entity(workspace=self.workspace, name=self.entity_name)

    def ensured(self) -> Entity:
        """The entity, made if it is missing."""
        return ensure_entity(workspace=self.workspace, name=self.entity_name, time_zone=self.time_zone)

    def in_zone(self, time: datetime, report: ImportReport) -> datetime:
        """A time with the entity's zone where it has none; the report says that it was so."""
        if time.tzinfo is not None:
            return time
        report.contents.zone = self.time_zone
        return time.replace(tzinfo=ZoneInfo(self.time_zone))


def take_messages(target: Target, rows: Sequence[ReadMessage], report: ImportReport) -> None:
    """Store up to a hundred messages, or in a dry run find out how many would be new."""
    batch = list(_readable(target, rows, report))
    new, erased = _missing(target, batch, report) if report.is_dry_run else _store(target, batch, report)
    report.messages += len(batch)
    report.new += new
    report.erased += erased
    report.already_there += len(batch) - new - erased
    for _, message in batch:
        report.contents.add(message)
    _note_sessions(target, batch, report)


def _readable(target: Target, rows: Iterable[ReadMessage], report: ImportReport) -> Iterator[Readable]:
    for row in rows:
        try:
            words, redacted = redacted_messages(read_messages([_fitted(row.message, target, report)]))
            report.contents.redacted.update(redacted)
            yield row, words[0]
        except IngestError as error:
            _note_bad(row, error, report)


def _fitted(message: Mapping[str, Any], target: Target, report: ImportReport) -> dict[str, Any]:
    """The message with the user's name and the entity's zone where it has neither."""
    fields = dict(message)
    if target.speaker and fields.get("role") == "user" and not fields.get("speaker"):
        fields["speaker"] = target.speaker
    time = fields.get("occurred_at")
    time = from_iso(time) if isinstance(time, str) else time
    fields["occurred_at"] = target.in_zone(time, report) if isinstance(time, datetime) else time
    return fields


def _store(target: Target, batch: list[Readable], report: ImportReport) -> tuple[int, int]:
    """Append the batch without what is refused; how many messages were new, and how many erased before."""
    entity = target.ensured()
    while batch:
        try:
            messages = [message for _, message in batch]
            appended = append_messages(entity=entity, messages=messages, wake=False)
            target.erased_sessions |= {messages[index].session for index in appended.erased}
            return appended.new_count, len(appended.erased)
        except IngestError as error:
            _drop_refused(batch, error, report)
    return 0, 0


def _drop_refused(batch: list[Readable], error: IngestError, report: ImportReport) -> None:
    refused = {problem.index for problem in error.problems}
    if None in refused:
        raise error
    for index in sorted((index for index in refused if index is not None), reverse=True):
        row, _ = batch.pop(index)
        _note_bad(row, error, report, index)


def _missing(target: Target, batch: list[Readable], report: ImportReport) -> tuple[int, int]:
    """How many of the batch are new by their keys, how many were erased; without what would be refused."""
    keys = {message.dedupe_key for _, message in batch}
    entity = target.entity()
    messages = Message.objects.for_entity(entity) if entity else Message.objects.none()
    rows = messages.filter(dedupe_key__in=keys)
    known = {key: bytes(digest) for key, digest in rows.values_list("dedupe_key", "content_hash")}
    stored = len(known)
    conflicts = [
        Problem(index, "dedupe_key", "already stands for another message")
        for index, (_, message) in enumerate(batch)
        if known.setdefault(message.dedupe_key or f"none {index}", (digests := content_hashes(message))[0])
        not in digests
    ]
    if conflicts:
        _drop_refused(batch, IngestConflict(conflicts), report)
    lost = _erased(entity, batch) if entity else 0
    return len(known) - stored - lost, lost


def _erased(entity: Entity, batch: Sequence[Readable]) -> int:
    keys = {message.dedupe_key.encode() for _, message in batch if message.dedupe_key}
    stored = Message.objects.for_entity(entity).filter(dedupe_key__in=[key.decode() for key in keys])
    keys -= {str(key).encode() for key in stored.values_list("dedupe_key", flat=True)}
    return len(buried(entity, {index: [("key", key)] for index, key in enumerate(sorted(keys))}))


def _note_sessions(target: Target, batch: Sequence[Readable], report: ImportReport) -> None:
    """Count the conversations that were not met before, and note the titles that the file has for them."""
    found: dict[str, str] = {}
    for row, message in batch:
        if message.session not in target.sessions:
            found.setdefault(message.session, row.title)
    target.sessions |= found.keys()
    report.conversations += len(found)
    target.titles |= {
        name: title for name, title in found.items() if title.strip() and not text_problem(title)
    }


def give_titles(target: Target) -> None:
    """Name the sessions that have no title as the file does, but for those that lost words by an erase."""
    titles = {name: title for name, title in target.titles.items() if name not in target.erased_sessions}
    entity = target.entity() if titles else None
    if entity is not None:
        name_sessions(entity, titles)


def take_claims(target: Target, rows: Sequence[ReadClaim], report: ImportReport) -> None:
    """Store up to a hundred claims of another memory, or in a dry run find out how many would be new."""
    claims = list(_readable_claims(target, rows, report))
    if report.is_dry_run:
        entity = target.entity()
        known = known_references(entity, claims) if entity else set()
        new = len({claim.key for claim in claims} - known)
    else:
        new = record_outside_claims(entity=target.ensured(), claims=claims) if claims else 0
    report.claims += len(claims)
    report.new += new
    report.already_there += len(claims) - new
    for claim in claims:
        report.contents.add_time(claim.said_at)


def _readable_claims(
    target: Target, rows: Sequence[ReadClaim], report: ImportReport
) -> Iterator[OutsideClaim]:
    for row in rows:
        claim = _claim(target, row, report)
        problems = claim_problems(0, claim) if isinstance(claim, OutsideClaim) else [claim]
        if problems:
            _note_bad(row, IngestError(problems), report)
        elif isinstance(claim, OutsideClaim):
            yield claim


def _claim(target: Target, row: ReadClaim, report: ImportReport) -> OutsideClaim | Problem:
    try:
        said_at = in_utc(target.in_zone(row.said_at, report)) if row.said_at else None
    except ValueError as error:
        return Problem(0, "time", str(error))
    told = redact(row.text)
    report.contents.redacted.update(told.counts)
    return OutsideClaim(
        source=report.format,
        reference=row.reference,
        text=told.text,
        kind=row.kind,
        topic=row.topic,
        subject=row.subject,
        said_at=said_at,
    )


def _note_bad(row: ReadMessage | ReadClaim, error: IngestError, report: ImportReport, index: int = 0) -> None:
    said = "; ".join(f"{p.field} {p.problem}" for p in error.problems if p.index == index)
    report.add_bad(BadRow(row.place, said))
