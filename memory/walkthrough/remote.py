"""The memory of an entity behind a server, for the commands: everything goes over HTTP on the client."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from uuid import UUID

from memory.client import EntityStatus, Memory, NewMessage, NewStep, NotFoundError, UnauthorisedError
from memory.measuring.only_words import ONLY_WORDS
from memory.recall.records import Candidate, Changes
from memory.walkthrough import translating
from memory.walkthrough.access import (
    Forgetting,
    Forgotten,
    MemoryProblemError,
    Procedures,
    Rendered,
    Said,
    Told,
)
from memory.walkthrough.naming import RUN_ID_VARIABLE, SPEAKER, client_command, new_session
from memory.walkthrough.progress import NOTICE_SECONDS, Notice, Settled, progress
from memory.walkthrough.remote_problems import problems_told
from memory.walkthrough.remote_procedures import RemoteProcedures
from memory.walkthrough.remote_reading import RemoteReading
from memory.walkthrough.story import StoryMessage, StoryRequest, StorySession, StoryStep, StoryTask

FORGETTABLE = ("atom", "message")


class RemoteMemory(RemoteReading):
    """Reads and writes as its key allows; what is said goes into one session of its own."""

    def __init__(self, client: Memory, entity: str, *, timeout_seconds: float) -> None:
        super().__init__(client, entity)
        self.timeout_seconds = timeout_seconds
        self.session = new_session(datetime.now(UTC))
        self._reviews = RemoteProcedures(client, entity)
        self._has_said = False

    @property
    def prompt_command(self) -> str:
        """The command with this run; server and key stand in the environment."""
        return client_command(self.entity)

    @problems_told()
    def open(self) -> None:
        """Make the entity, or see that a key which makes none opens it."""
        try:
            self.client.entity(self.entity)
        except NotFoundError:
            self._make()

    def _make(self) -> None:
        try:
            self.client.create_entity(self.entity)
        except UnauthorisedError as problem:
            raise MemoryProblemError(
                f"The memory {self.entity} is not there, and this key makes none. {problem.detail} "
                f"A key that reads looks at a run that is there: {RUN_ID_VARIABLE}=… and --no-tour."
            ) from problem

    @problems_told()
    def say(self, text: str, notice: Callable[[str], object]) -> Said:
        """Store, wait for the workers behind the server, and read what changed."""
        words = NewMessage(
            session=self.session, role="user", speaker=SPEAKER, content=text, occurred_at=datetime.now(UTC)
        )
        [stored] = self.client.records([words], entity=self.entity)
        self._has_said = True
        end = self.settle(notice)
        changes = translating.changes_record(self.client.changes(stored.id))
        return Said(changes, end.is_settled, end.seconds, end.reasons)

    @problems_told()
    def procedures(self, words: str) -> Procedures:
        """Reviewed procedures, and drafts."""
        return self._reviews.shown(words)

    @problems_told()
    def approve_draft(self, id_part: str, reason: str) -> Procedures:
        """A person's approval; the key needs scope admin."""
        return self._reviews.approve(id_part, reason)

    @problems_told()
    def reject_draft(self, id_part: str, reason: str) -> Procedures:
        """A person's refusal; the key needs scope admin."""
        return self._reviews.reject(id_part, reason)

    @problems_told()
    def use_procedure(self, id_part: str) -> Procedures:
        """A procedure by itself, recorded as a use."""
        return self._reviews.use(id_part)

    @problems_told()
    def say_of_procedure(self, id_part: str, comment: str, notice: Callable[[str], object]) -> Procedures:
        """Feedback, and the draft that follows from it."""
        return self._reviews.say(id_part, comment, lambda: self.settle(notice).reasons)

    @problems_told()
    def forget(self, words: str) -> Forgetting:
        """What is meant, and a token for it."""
        return translating.forgetting_record(self.client.forget(words, entity=self.entity))

    @problems_told()
    def confirm_forget(self, token: str, keep: tuple[str, ...]) -> Forgotten:
        """Erase what was listed; the key needs scope admin."""
        kept = [self._forgettable(id_part) for id_part in keep]
        done = self.client.confirm_forget(token, entity=self.entity, keep=kept)
        return Forgotten(erasure=done.id, counts=done.counts)

    def _forgettable(self, id_part: str) -> UUID:
        """The claim or message that an id means; other records may end alike."""
        try:
            root = self.trace(id_part).down.root
            found = [Candidate(root.kind, root.id, root.text)] if root.id else []
        except MemoryProblemError as problem:
            found = list(problem.candidates)
        found = [row for row in found if row.kind in FORGETTABLE]
        if not found:
            raise MemoryProblemError(f"No claim or message has the id {id_part}.")
        if len(found) > 1:
            raise MemoryProblemError(f"{len(found)} records have such an id.", tuple(found))
        return found[0].id

    @problems_told()
    def why_only_words(self) -> str:
        """What the server says of itself while something waits."""
        return _only_words(self.client.status(self.entity))

    @problems_told()
    def tell(self, session: StorySession) -> Told:
        """Store a session of the story and end it."""
        stored = self.client.records(map(_message, session.messages), entity=self.entity)
        self.client.session.create(entity=self.entity, external_id=session.external_id).end()
        return Told(tuple(message.id for message in stored), sum(message.created for message in stored))

    @problems_told()
    def carry_out(self, task: StoryTask) -> None:
        """Record a trace; its key keeps it from being recorded twice."""
        self.client.record_trace(
            entity=self.entity,
            task=task.task,
            outcome=task.outcome,
            steps=map(_step, task.steps),
            external_id=task.external_id,
            occurred_at=task.occurred_at,
        )

    @problems_told()
    def settle(self, notice: Notice) -> Settled:
        """Have what waits worked on and look until it is done, unless no worker will ever do it."""
        began = time.monotonic()
        now = self.client.flush(self.entity)
        if only_words := _only_words(now):
            return Settled(False, 0.0, (only_words,))
        if not now.is_settled:
            telling = _Telling(notice, began)
            now = self.client.settle(self.entity, timeout_seconds=self.timeout_seconds, notice=telling)
        return Settled(now.is_settled, time.monotonic() - began, now.reasons)

    @problems_told()
    def changes(self, messages: Sequence[UUID]) -> Changes:
        """What some messages did to every layer."""
        return translating.changes_record(self.client.changes_of(messages, entity=self.entity))

    @problems_told()
    def context(self, request: StoryRequest) -> Rendered:
        """The context of a request by the story's clock."""
        told = self.client.context(request.text, entity=self.entity, as_of=request.as_of)
        return translating.rendered_record(told)

    @problems_told()
    def close(self) -> None:
        """End the session of what was said, if anything was."""
        if not self._has_said:
            return
        # It may have been forgotten meanwhile: ending it by name would make another one.
        for known in self.client.sessions(entity=self.entity):
            if known.session == self.session:
                self.client.session.resume(known.id).end()


class _Telling:
    """Passes on how a wait goes, every few seconds."""

    def __init__(self, notice: Notice, began: float) -> None:
        self.notice = notice
        self.began = began
        self.next = began + NOTICE_SECONDS

    def __call__(self, status: EntityStatus) -> None:
        now = time.monotonic()
        if now >= self.next and status.waits_for is not None:
            self.next = now + NOTICE_SECONDS
            self.notice(progress(status.waits_for, status.worker, now - self.began))


def _only_words(status: EntityStatus) -> str:
    return ONLY_WORDS if ONLY_WORDS in status.reasons else ""


def _message(told: StoryMessage) -> NewMessage:
    fields = asdict(told)
    words = fields.pop("text")
    return NewMessage.model_validate({**fields, "content": words})


def _step(done: StoryStep) -> NewStep:
    return NewStep.model_validate({name: value for name, value in asdict(done).items() if value})
