"""What one run of compaction takes in: the turns of one session, and what stands for those before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models.functions import Coalesce, Length

from memory.cascade.compaction_asking import digest_question
from memory.cascade.compaction_contract import DigestAction
from memory.cascade.designs import Design
from memory.cascade.rules.folds import Fold, FoldTurn, choose_fold
from memory.cascade.stage import Question
from memory.ingest.tool_calls import read_tool_calls
from memory.models import Digest, Entity, Message, Session

TURNS_LOOKED_AT = 5_000
"""A session with more turns outside its summary is folded by what these hold."""
NO_WORDS = "the session ended without a word"
NO_PLACE = "its older turns belong to calls of tools that are still going on"
TOO_FEW = "it has no turns beside the newest ones"


@dataclass(frozen=True, slots=True)
class CompactionBatch:
    """The turns that one summary or brief takes in; without questions there is nothing to write."""

    session: Session
    action: DigestAction
    before: Digest | None
    """The summary as it stands."""
    turns: tuple[Message, ...] = ()
    until: int = 0
    """The first ordinal that the new version does not cover."""
    groups: int = 0
    has_more: bool = False
    nothing_reason: str = ""
    questions: tuple[Question[str], ...] = ()

    @property
    def size(self) -> int:
        """Groups of turns that a split could separate."""
        return max(1, self.groups)

    @property
    def input_ids(self) -> Mapping[str, Sequence[UUID]]:
        """For the run."""
        return {
            "sessions": [self.session.pk],
            "messages": [turn.pk for turn in self.turns],
            "digests": [self.before.pk] if self.before else [],
        }


def next_session(entity: Entity) -> Session | None:
    """The session that has waited longest, with the entity at hand."""
    waiting = Session.objects.for_entity(entity).pending()
    found = waiting.order_by(Coalesce("fold_asked_at", "ended_at"), "pk").first()
    if found is not None:
        found.entity = entity
    return found


def read_batch(
    entity: Entity, session: Session, design: Design, *, most_groups: int | None = None
) -> CompactionBatch:
    """What is to be done for a session: a fold, its brief, or nothing with the reason.

    An ended session that is too long for one brief is folded first, to its end.
    """
    before = _summary_of(session)
    light = _unfolded(session)
    is_ended = session.ended_at is not None
    fold = _choose(session, light, design, most_groups)
    is_brief = is_ended and not fold.has_more and len(light) < TURNS_LOOKED_AT
    if not light and not (is_brief and before):
        return CompactionBatch(session, _action(is_brief), before, nothing_reason=_nothing(is_ended, light))
    if light and not fold.turns:
        return CompactionBatch(session, "summary", before, nothing_reason=_nothing(is_ended, light))
    chosen = [row["pk"] for row in light[: fold.turns]]
    turns = Message.objects.for_entity(entity).filter(pk__in=chosen).select_related("session")
    batch = CompactionBatch(
        session,
        _action(is_brief),
        before,
        turns=tuple(turns.order_by("ordinal")),
        until=session.next_ordinal if is_brief else light[fold.turns - 1]["ordinal"] + 1,
        groups=fold.groups,
        has_more=fold.has_more,
    )
    question = digest_question(entity, session, batch.action, batch.turns, batch.before, design)
    return replace(batch, questions=(question,))


def _action(is_brief: bool) -> DigestAction:
    return "brief" if is_brief else "summary"


def _nothing(is_ended: bool, light: Sequence[object]) -> str:
    if is_ended:
        return NO_WORDS
    return NO_PLACE if len(light) > settings.MEMSEEK.sessions.turns_kept else TOO_FEW


def _summary_of(session: Session) -> Digest | None:
    return Digest.objects.heads().filter(session=session, kind=Digest.Kind.SUMMARY).first()


def _unfolded(session: Session) -> list[dict[str, Any]]:
    """What decides where to cut, of the turns that the summary does not cover."""
    rows = Message.objects.filter(
        workspace_id=session.workspace_id, session=session, ordinal__gte=session.folded_until
    )
    sized = rows.annotate(characters=Length("text") + Length("attachment_text"))
    columns = ("pk", "ordinal", "parent_id", "role", "tool_calls", "tool_call_id", "characters")
    return list(sized.order_by("ordinal").values(*columns)[:TURNS_LOOKED_AT])


def _choose(session: Session, light: Sequence[Mapping[str, Any]], design: Design, groups: int | None) -> Fold:
    limits, is_ended = design.limits, session.ended_at is not None
    return choose_fold(
        [_fold_turn(row, limits.turn_characters) for row in light],
        kept=0 if is_ended else settings.MEMSEEK.sessions.turns_kept,
        most_turns=limits.fold_turns,
        most_characters=limits.fold_characters,
        most_groups=groups,
        is_sealed=is_ended,
    )


def _fold_turn(row: Mapping[str, Any], turn_characters: int) -> FoldTurn:
    calls = read_tool_calls(row["tool_calls"])
    asked = sum(len(call.name) + len(call.arguments) for call in calls)
    return FoldTurn(
        id=row["pk"],
        parent=row["parent_id"],
        calls=tuple(call.id for call in calls),
        result_of=row["tool_call_id"] if row["role"] == Message.Role.TOOL else "",
        is_person=row["role"] == Message.Role.USER,
        characters=min(row["characters"] + asked, turn_characters),
    )
