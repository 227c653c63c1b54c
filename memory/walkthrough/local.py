"""The memory of an entity in this process's own database, for the commands."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.db import Error as DatabaseProblem
from django.utils import timezone

from memory.cascade.work import flush
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestError
from memory.ingest.sessions import end_session
from memory.models import Entity, Session
from memory.recall import ladder, rules, trace
from memory.recall.changes import changes_of
from memory.recall.context import ContextRequest
from memory.recall.hits import Found
from memory.recall.records import (
    AtomRecord,
    LadderStatus,
    MessageRecord,
    RulesPage,
    SceneRecord,
    TraitRecord,
)
from memory.recall.search import Request, search
from memory.recall.short_ids import NoIdError
from memory.skills.uses import ExpiredUseError
from memory.stewardship.actors import RefusedChangeError
from memory.walkthrough import forgetting, procedures
from memory.walkthrough.access import (
    Answered,
    Forgetting,
    Forgotten,
    MemoryProblemError,
    Procedures,
    Rendered,
    Said,
    Traced,
)
from memory.walkthrough.recalling import answered, rendered
from memory.walkthrough.waiting import wait_until_settled

SPEAKER = "Alice"
RESULTS_SHOWN = 10
ONLY_WORDS = (
    "LLM_FAKE=1: only the words are stored (L0). No step of the cascade runs, nothing stands above them."
)


@contextmanager
def problems_told() -> Iterator[None]:
    """Turn what the rooms and the database refuse into words for the person at the prompt."""
    try:
        yield
    except trace.AmbiguousIdError as problem:
        raise MemoryProblemError(str(problem), problem.candidates) from problem
    except (NoIdError, trace.NoRecordError, RefusedChangeError, ExpiredUseError) as problem:
        raise MemoryProblemError(str(problem)) from problem
    except IngestError as problem:
        told = "; ".join(f"{found.field} {found.problem}" for found in problem.problems)
        raise MemoryProblemError(f"Not stored: {told}.") from problem
    except DatabaseProblem as problem:
        raise MemoryProblemError(f"The database did not answer: {type(problem).__name__}.") from problem


class LocalMemory:
    """Reads through recall, writes through ingest; what is said goes into one session of its own."""

    def __init__(self, entity: Entity, *, timeout_seconds: float) -> None:
        self.entity = entity
        self.timeout_seconds = timeout_seconds
        self.session = f"terminal-{timezone.now():%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"

    @problems_told()
    def say(self, text: str, notice: Callable[[str], object]) -> Said:
        """Store, wait for the worker, and read what changed."""
        words = IncomingMessage(
            session=self.session, role="user", speaker=SPEAKER, text=text, occurred_at=timezone.now()
        )
        stored = append_messages(entity=self.entity, messages=[words]).messages[0]
        if settings.MEMSEEK.is_llm_fake:
            return self._said(stored.id, is_settled=False, seconds=0.0, reasons=(ONLY_WORDS,))
        flush(self.entity)
        end = wait_until_settled(self.entity, timeout_seconds=self.timeout_seconds, notice=notice)
        return self._said(stored.id, is_settled=end.is_settled, seconds=end.seconds, reasons=end.reasons)

    def _said(self, message: UUID, *, is_settled: bool, seconds: float, reasons: tuple[str, ...]) -> Said:
        return Said(changes_of(self.entity, [message]), is_settled, seconds, reasons)

    @problems_told()
    def scenes(self) -> tuple[SceneRecord, ...]:
        """Live scenes in slot order."""
        return ladder.scenes(self.entity)

    @problems_told()
    def memories(self) -> tuple[AtomRecord, ...]:
        """Every atom with its history."""
        return ladder.memories(self.entity, include_history=True)

    @problems_told()
    def rules(self, floor: int) -> RulesPage:
        """All pages of the rules as one."""
        page = rules.standing_rules(self.entity, floor=floor)
        found = list(page.rules)
        while page.next_after is not None:
            page = rules.standing_rules(self.entity, floor=floor, after=page.next_after)
            found += page.rules
        return RulesPage(floor=floor, total=page.total, rules=tuple(found), next_after=None)

    @problems_told()
    def persona(self) -> tuple[TraitRecord, ...]:
        """The live traits."""
        return ladder.persona(self.entity)

    @problems_told()
    def transcript(self, session: str | None) -> tuple[MessageRecord, ...]:
        """What was said, in all sessions or in one."""
        return ladder.transcript(self.entity, session)

    @problems_told()
    def trace(self, id_part: str) -> Traced:
        """Receipts below and uses above."""
        return Traced(down=trace.trace(self.entity, id_part), up=trace.uses(self.entity, id_part))

    @problems_told()
    def search(self, query: str) -> Found:
        """What memory holds about some words."""
        return search(self.entity, Request(query, limit=RESULTS_SHOWN))

    @problems_told()
    def recall(self, task: str) -> Rendered:
        """The context for a task."""
        return rendered(self.entity, ContextRequest(task))

    @problems_told()
    def answer(self, question: str) -> Answered:
        """A cited answer; the configured model, if any, is asked."""
        return answered(self.entity, question)

    @problems_told()
    def procedures(self, words: str) -> Procedures:
        """Reviewed procedures, and drafts."""
        return procedures.shown_procedures(self.entity, words)

    @problems_told()
    def approve_draft(self, id_part: str, reason: str) -> Procedures:
        """A person's approval."""
        return procedures.approve_draft(self.entity, id_part, reason)

    @problems_told()
    def reject_draft(self, id_part: str, reason: str) -> Procedures:
        """A person's refusal."""
        return procedures.reject_draft(self.entity, id_part, reason)

    @problems_told()
    def use_procedure(self, id_part: str) -> Procedures:
        """A procedure by itself, recorded as a use."""
        return procedures.use_procedure(self.entity, id_part)

    @problems_told()
    def say_of_procedure(self, id_part: str, comment: str, notice: Callable[[str], object]) -> Procedures:
        """Feedback, and the draft that follows from it."""

        def settle() -> tuple[str, ...]:
            if settings.MEMSEEK.is_llm_fake:
                return (ONLY_WORDS,)
            flush(self.entity)
            end = wait_until_settled(self.entity, timeout_seconds=self.timeout_seconds, notice=notice)
            return end.reasons

        return procedures.say_of_procedure(self.entity, id_part, comment, settle)

    @problems_told()
    def forget(self, words: str) -> Forgetting:
        """What is meant, and a token for it."""
        return forgetting.proposed(self.entity, words)

    @problems_told()
    def confirm_forget(self, token: str, keep: tuple[str, ...]) -> Forgotten:
        """Erase what was listed."""
        return forgetting.confirmed(self.entity, token, keep)

    @problems_told()
    def status(self) -> LadderStatus:
        """Counts of each layer, and what waits."""
        return ladder.status(self.entity)

    @problems_told()
    def close(self) -> None:
        """End the session of what was said, if anything was."""
        session = Session.objects.for_entity(self.entity).filter(external_id=self.session).first()
        if session is not None:
            end_session(session)
