"""Writing a digest: the next version with its evidence, and the session as far as it is folded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID

from django.conf import settings

from memory.cascade.asking import AnswerError
from memory.cascade.compaction_reading import CompactionBatch
from memory.cascade.stage import StaleInputsError, Verdict, Written
from memory.cascade.work import Claim
from memory.models import Digest, Evidence, Message, Session

SUPERSEDED_KEPT = 10
"""Earlier versions of a summary that stay: each names all the messages that it covers."""
EVIDENCE_AT_ONCE = 1_000


def write_digest(claim: Claim, batch: CompactionBatch, verdicts: Sequence[Verdict[str]]) -> Written:
    """Write what was taken and move the session on.

    Raises StaleInputsError when the session, its turns or its summary are not as they were read, and
    AnswerError when the model gave no text that may stand.
    """
    session = _locked(claim, batch)
    written = Written(nothing_reason=batch.nothing_reason)
    text = next((text for verdict in verdicts for text in verdict.taken), None)
    if text is None and batch.questions and not _may_be_nothing(batch, verdicts):
        raise AnswerError("no_digest", "No text of the answer may stand.", _told(verdicts))
    if text is not None:
        covered = _covered(claim, batch)
        digest = _write_version(claim, batch, text, covered)
        written.add(f"{digest.kind}s" if digest.kind == Digest.Kind.BRIEF else "summaries", digest.pk)
        _thin_out(batch, digest)
    _move_on(claim, batch, session)
    return written


def _locked(claim: Claim, batch: CompactionBatch) -> Session:
    rows = Session.objects.for_entity(claim.entity).filter(pk=batch.session.pk)
    session = rows.select_for_update(no_key=True).first()
    if session is None or session.consumed_by_id is not None:
        raise StaleInputsError("the session is gone, or has its brief")
    if session.folded_until != batch.session.folded_until:
        raise StaleInputsError("the session was folded meanwhile")
    if batch.action == "brief" and session.next_ordinal != batch.session.next_ordinal:
        raise StaleInputsError("the session has grown")
    return session


def _may_be_nothing(batch: CompactionBatch, verdicts: Sequence[Verdict[str]]) -> bool:
    """A session may leave no brief if the model says why; older turns never vanish without a summary."""
    return batch.action == "brief" and all(verdict.nothing_reason for verdict in verdicts)


def _told(verdicts: Sequence[Verdict[str]]) -> str:
    return json.dumps([entry for verdict in verdicts for entry in verdict.decisions], default=str)


def _covered(claim: Claim, batch: CompactionBatch) -> list[UUID]:
    """The messages that the text stands for: those under the summary before, then the turns taken in."""
    before: list[UUID] = []
    if batch.before is not None:
        if not Digest.objects.heads().filter(pk=batch.before.pk).exists():
            raise StaleInputsError("the summary has changed")
        rows = Evidence.objects.filter(entity=claim.entity, of_digest=batch.before).order_by("id")
        before = [pk for pk in rows.values_list("message_id", flat=True) if pk]
    turns = [turn.pk for turn in batch.turns]
    if Message.objects.for_entity(claim.entity).filter(pk__in=turns).count() != len(turns):
        raise StaleInputsError("a turn is gone")
    return list(dict.fromkeys([*before, *turns]))


def _write_version(claim: Claim, batch: CompactionBatch, text: str, covered: Sequence[UUID]) -> Digest:
    entity = claim.entity
    heads = Digest.objects.heads().filter(session=batch.session, kind=batch.action)
    number = heads.values_list("number", flat=True).first() or 0
    heads.update(is_head=False)
    digest = Digest.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        session=batch.session,
        kind=batch.action,
        number=number + 1,
        text=text,
        until_ordinal=batch.until,
        run=claim.run,
    )
    Evidence.objects.bulk_create(
        (
            Evidence(
                workspace_id=entity.workspace_id,
                entity=entity,
                of_digest=digest,
                message_id=message_id,
                run=claim.run,
            )
            for message_id in covered
        ),
        batch_size=EVIDENCE_AT_ONCE,
    )
    return digest


def _thin_out(batch: CompactionBatch, newest: Digest) -> None:
    """Keep a bounded history, so that the evidence of a session does not grow with its square."""
    Digest.objects.filter(
        session=batch.session, kind=newest.kind, number__lt=newest.number - SUPERSEDED_KEPT
    ).delete()


def _move_on(claim: Claim, batch: CompactionBatch, session: Session) -> None:
    changed: dict[str, object] = {}
    if batch.action == "brief":
        changed |= {"consumed_by": claim.run, "fold_asked_at": None}
    elif batch.turns:
        changed["folded_until"] = batch.until
    if batch.action == "summary" and not _is_long(batch, session):
        changed["fold_asked_at"] = None
    Session.objects.for_entity(claim.entity).filter(pk=session.pk).update(**changed)


def _is_long(batch: CompactionBatch, session: Session) -> bool:
    """Whether the fold goes on: what was asked is not done, or the session has grown long meanwhile."""
    unfolded = session.next_ordinal - batch.until
    return batch.has_more or (bool(batch.turns) and unfolded > settings.MEMSEEK.sessions.fold_after_turns)
