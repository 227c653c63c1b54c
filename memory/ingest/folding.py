"""When the oldest turns of a session are to be folded into its summary, and who is told."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction

from memory.cascade.work import mark_due
from memory.models import Session, Step


def asks_for_fold(session: Session, *, added: int) -> bool:
    """Whether a session that has just grown by so many messages is to be folded, and nobody has asked yet.

    Asked when the number of turns outside the summary passes the limit, and again with every so many turns
    more: a fold that found no place to cut is not tried again at each turn.
    """
    sizes = settings.MEMSEEK.sessions
    if not session.takes_turns or session.fold_asked_at is not None:
        return False
    beyond = session.next_ordinal - session.folded_until - sizes.fold_after_turns
    stride = max(1, sizes.fold_after_turns - sizes.turns_kept)
    before = beyond - added
    return beyond > 0 and (before <= 0 or beyond // stride > before // stride)


def wake_compaction_on_commit(session: Session) -> None:
    """Have compaction look at the session's entity once the transaction commits.

    After it, since a fold takes its work row before the session, and whoever appends holds the session
    already. Should the process die in between, the sweep finds what was asked.
    """
    transaction.on_commit(partial(_mark, session.workspace_id, session.entity_id))


def _mark(workspace_id: UUID, entity_id: UUID) -> None:
    with transaction.atomic():
        mark_due(workspace_id=workspace_id, entity_id=entity_id, step=Step.COMPACTION)
