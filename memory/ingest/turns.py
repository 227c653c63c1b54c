"""Turns of a session that an agent has opened: stored by arrival, calls of tools with their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from memory.ingest.attempts import in_transaction
from memory.ingest.incoming import IncomingMessage, IncomingTurn, read_items, refuse_size
from memory.ingest.messages import Appended, store_messages
from memory.ingest.pairing import Pairs
from memory.ingest.placement import Known, Slot
from memory.ingest.problems import IngestError, Problem, told_of
from memory.ingest.redaction_messages import redacted_messages
from memory.ingest.session_rows import lock_session
from memory.ingest.tool_calls import read_tool_calls
from memory.models import Message, Session

PAGE_SIZE = 50
ITEMS_NAME = "turns"


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A stored turn, and how many turns name it as their parent."""

    message: Message
    children: int
    is_folded: bool
    """The session's summary covers it."""


@dataclass(frozen=True, slots=True)
class TurnsPage:
    """Turns in their order, how many there are, and the ordinal that the next page begins after."""

    total: int
    turns: tuple[ReadTurn, ...]
    next_after: int | None


def add_turns(*, session: Session, turns: Sequence[IncomingTurn]) -> Appended:
    """Store 1 to 100 turns behind those that are there, all or none, in a constant number of statements.

    A turn whose dedupe key is stored already keeps its id; without keys every turn is new. The result of a
    tool names a call of an earlier turn of the session that has none yet; a parent is an earlier turn of it.

    Raises IngestError or IngestConflict, both naming turn and field, and NoSessionError.
    """
    with told_of(ITEMS_NAME):
        refuse_size(turns, ITEMS_NAME)
        words, redacted = redacted_messages(turns)
        return replace(in_transaction(lambda: _add(session, words)), redacted=redacted)


def read_turn_items(items: Sequence[Any]) -> list[IncomingTurn]:
    """Read turns from JSON-like values, or raise IngestError with every problem of every item."""
    with told_of(ITEMS_NAME):
        return read_items(IncomingTurn, items, ITEMS_NAME)


def _add(session: Session, turns: Sequence[IncomingTurn]) -> Appended:
    locked = lock_session(session)
    messages = [turn.in_session(locked.external_id) for turn in turns]
    return store_messages(
        session.entity,
        {locked.external_id: locked},
        messages,
        may_resend=False,
        refuse=partial(_refuse, locked, messages),
    )


def _refuse(
    session: Session, messages: Sequence[IncomingMessage], known: Known, slots: Mapping[int, Slot]
) -> None:
    """Raise IngestError for new turns that do not fit what the session holds."""
    # A key that stands twice in the call is one turn.
    first = {slot.id: index for index, slot in reversed([*slots.items()]) if slot.seq is None}
    new = sorted(first.values())
    own = {slot.id for slot in known.slots if slot.session == session.external_id}
    problems = [
        Problem(index, "parent", "is no turn of this session")
        for index in new
        if (parent := messages[index].parent) is not None and parent not in own
    ]
    pairs = _pairs(session, {messages[index].tool_call_id for index in new} - {""})
    for index in new:
        problems += pairs.take(index, messages[index])
    if problems:
        raise IngestError(problems)


def _pairs(session: Session, results: set[str]) -> Pairs:
    """What is known of the calls that some new results name."""
    pairs = Pairs()
    if not results:
        return pairs
    told = Q(role=Message.Role.TOOL, tool_call_id__in=results)
    for call_id in results:
        told |= Q(role=Message.Role.ASSISTANT, tool_calls__contains=[{"id": call_id}])
    rows = Message.objects.filter(told, workspace_id=session.workspace_id, session=session)
    for calls, result in rows.order_by("ordinal").values_list("tool_calls", "tool_call_id"):
        pairs.note([call.id for call in read_tool_calls(calls)], result)
    return pairs


def read_turns(
    session: Session,
    *,
    after: int | None = None,
    limit: int = PAGE_SIZE,
    parent: UUID | None = None,
    roots_only: bool = False,
) -> TurnsPage:
    """One page of a session's turns in two statements: all of them, those under one turn, or the roots.

    ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("A page holds at least one turn.")
    turns = Message.objects.filter(workspace_id=session.workspace_id, session=session)
    if parent is not None or roots_only:
        turns = turns.filter(parent_id=parent)
    rest = turns if after is None else turns.filter(ordinal__gt=after)
    found = list(rest.annotate(child_count=_child_count()).order_by("ordinal")[: limit + 1])
    shown = found[:limit]
    return TurnsPage(
        total=turns.count(),
        turns=tuple(
            ReadTurn(row, row.child_count, row.ordinal < session.folded_until)  # type: ignore[attr-defined]
            for row in shown
        ),
        next_after=shown[-1].ordinal if len(found) > limit else None,
    )


def _child_count() -> Coalesce:
    children = Message.objects.filter(parent=OuterRef("pk")).order_by().values("parent")
    return Coalesce(Subquery(children.annotate(number=Count("pk")).values("number")), 0)
