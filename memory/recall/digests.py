"""Sessions of turn loops as they stand, and what they come to: summaries and briefs with their evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from memory.models import Digest, Evidence, Message, Session

CompactionState = Literal["idle", "waiting", "parked", "done"]


@dataclass(frozen=True, slots=True)
class SessionState:
    """How far a session has come. Summary and brief are empty until there is one."""

    turns: int
    summary: str
    brief: str
    compaction: CompactionState
    """`waiting` for a fold or a brief, `parked` after failures, `done` once its end was worked on."""


@dataclass(frozen=True, slots=True)
class DigestRecord:
    """One version of a summary or brief; it covers the messages of its evidence."""

    id: UUID
    kind: str
    number: int
    text: str
    until_ordinal: int
    is_head: bool
    run: UUID | None
    created_at: datetime
    evidence: tuple[UUID, ...]


def session_state(session: Session) -> SessionState:
    """Read in two statements, whatever the number of turns."""
    heads = Digest.objects.heads().filter(workspace_id=session.workspace_id, session=session)
    texts: Mapping[str, str] = dict(heads.values_list("kind", "text"))
    turns = Message.objects.filter(workspace_id=session.workspace_id, session=session).count()
    return SessionState(
        turns=turns,
        summary=texts.get(Digest.Kind.SUMMARY, ""),
        brief=texts.get(Digest.Kind.BRIEF, ""),
        compaction=compaction_state(session),
    )


def compaction_state(session: Session) -> CompactionState:
    """Whether the session waits for compaction."""
    if session.consumed_by_id is not None:
        return "done"
    if session.parked_at is not None:
        return "parked"
    is_asked = session.ended_at is not None or session.fold_asked_at is not None
    return "waiting" if session.takes_turns and is_asked else "idle"


def list_digests(session: Session, *, with_history: bool = False) -> tuple[DigestRecord, ...]:
    """The brief and the summary of a session, with the versions before where asked for; two statements."""
    rows = Digest.objects.filter(workspace_id=session.workspace_id, session=session)
    found = list((rows if with_history else rows.heads()).order_by("kind", "-number"))
    covered = _covered(found)
    return tuple(
        DigestRecord(
            id=row.pk,
            kind=row.kind,
            number=row.number,
            text=row.text,
            until_ordinal=row.until_ordinal,
            is_head=row.is_head,
            run=row.run_id,
            created_at=row.created_at,
            evidence=tuple(covered.get(row.pk, ())),
        )
        for row in found
    )


def _covered(digests: Sequence[Digest]) -> dict[UUID, list[UUID]]:
    rows = Evidence.objects.filter(of_digest__in=digests, message__isnull=False).order_by("id")
    covered: dict[UUID, list[UUID]] = {}
    for digest_id, message_id in rows.values_list("of_digest_id", "message_id"):
        if digest_id and message_id:
            covered.setdefault(digest_id, []).append(message_id)
    return covered
