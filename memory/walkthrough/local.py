"""The memory of an entity in this process's own database, for the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from memory.measuring.only_words import ONLY_WORDS
from memory.models import Entity, Session
from memory.recall import ladder, rules, trace
from memory.recall.changes import changes_of
from memory.recall.context import ContextRequest
from memory.recall.hits import Found
from memory.recall.records import (
    AtomRecord,
    Changes,
    LadderStatus,
    MessageRecord,
    RulesPage,
    SceneRecord,
    TraitRecord,
)
from memory.recall.search import Request, search
from memory.recall.short_ids import NoIdError
from memory.skills.traces import record_trace
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
    Told,
    Traced,
)
from memory.walkthrough.incoming import incoming_messages, incoming_steps
from memory.walkthrough.naming import RESULTS_SHOWN, SPEAKER, new_session, prompt_command
from memory.walkthrough.progress import Settled
from memory.walkthrough.recalling import answered, rendered
from memory.walkthrough.story import StoryRequest, StorySession, StoryTask
from memory.walkthrough.waiting import wait_until_settled


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
        self.session = new_session(timezone.now())

    @problems_told()
    def say(self, text: str, notice: Callable[[str], object]) -> Said:
        """Store, wait for the worker, and read what changed."""
        words = IncomingMessage(
            session=self.session, role="user", speaker=SPEAKER, text=text, occurred_at=timezone.now()
        )
        stored = append_messages(entity=self.entity, messages=[words]).messages[0]
        end = self.settle(notice)
        return Said(changes_of(self.entity, [stored.id]), end.is_settled, end.seconds, end.reasons)

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
        return procedures.say_of_procedure(self.entity, id_part, comment, lambda: self.settle(notice).reasons)

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

    @property
    def prompt_command(self) -> str:
        """The command with this run and workspace."""
        return prompt_command(self.entity.name, self.entity.workspace.name)

    def why_only_words(self) -> str:
        """Because a setting says so."""
        return ONLY_WORDS if settings.MEMSEEK.is_llm_fake else ""

    @problems_told()
    def tell(self, session: StorySession) -> Told:
        """Store a session of the story and end it."""
        appended = append_messages(entity=self.entity, messages=incoming_messages(session)).messages
        end_session(Session.objects.for_entity(self.entity).get(external_id=session.external_id))
        return Told(tuple(message.id for message in appended), sum(message.is_new for message in appended))

    @problems_told()
    def carry_out(self, task: StoryTask) -> None:
        """Record a trace; its key keeps it from being recorded twice."""
        record_trace(
            entity=self.entity,
            task=task.task,
            outcome=task.outcome,
            steps=incoming_steps(task),
            external_id=task.external_id,
            occurred_at=task.occurred_at,
        )

    @problems_told()
    def settle(self, notice: Callable[[str], object]) -> Settled:
        """Wait for the worker, unless none will ever come."""
        if only_words := self.why_only_words():
            return Settled(False, 0.0, (only_words,))
        flush(self.entity)
        return wait_until_settled(self.entity, timeout_seconds=self.timeout_seconds, notice=notice)

    @problems_told()
    def changes(self, messages: Sequence[UUID]) -> Changes:
        """What some messages did to every layer."""
        return changes_of(self.entity, messages)

    @problems_told()
    def context(self, request: StoryRequest) -> Rendered:
        """The context of a request by the story's clock."""
        return rendered(self.entity, ContextRequest(request.text, as_of=request.as_of))
