"""The scripted tour: a first session, the cascade, a second session that repeats, moves and adds, a procedure
that waits for a person's approval, the context that an agent gets for a risky request, and a trait followed
down to the words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from django.conf import settings

from memory.cascade.work import flush
from memory.ingest.entities import ensure_entity
from memory.ingest.messages import append_messages
from memory.ingest.sessions import end_session
from memory.llm.embedders.registry import query_embedding
from memory.models import Entity, Session, Workspace
from memory.recall import ladder
from memory.recall.changes import changes_of
from memory.recall.context import ContextRequest
from memory.recall.short_ids import short_id
from memory.recall.trace import trace, uses
from memory.skills.traces import record_trace
from memory.walkthrough.access import Traced
from memory.walkthrough.commands import Page, Persona, Scenes, Transcript
from memory.walkthrough.local import ONLY_WORDS
from memory.walkthrough.naming import DEMO_RUN_ID, entity_name, prompt_command
from memory.walkthrough.procedures import approve_draft, shown_procedures
from memory.walkthrough.recalling import rendered
from memory.walkthrough.rendering import render
from memory.walkthrough.rendering_changes import change_lines
from memory.walkthrough.story import (
    StoryRequest,
    StorySession,
    procedure_title,
    risky_request,
    story,
    tasks,
)
from memory.walkthrough.waiting import wait_until_settled

TOUR_TIMEOUT_SECONDS = 180.0
APPROVAL_ASKED = "Shall agents get this procedure from now on? [y/N] "
WAITS = "The draft waits, and no agent gets it: nobody was asked. A person approves it with:"
REFUSED = "Not approved: the draft waits, and no agent gets it. You may change your mind:"
NEXT_STEPS = """\
What is said of a procedure leads to the next draft. At the prompt you may try:
  procedure use {id}
  procedure feedback {id} attach a rollback plan"""

Ask = Callable[[str], bool]
"""Asks a person a question and says whether the answer was yes."""


class Output(Protocol):
    """Where the tour is told: a text stream or a command's stdout."""

    def write(self, text: str, /) -> object:
        """Take some text, line breaks included."""
        ...


class TourUnfinishedError(Exception):
    """The cascade did not come to its end in time; the text says what waits and why."""


def run_tour(
    *,
    workspace: Workspace,
    output: Output,
    entity: Entity | None = None,
    timeout_seconds: float = TOUR_TIMEOUT_SECONDS,
    ask: Ask | None = None,
) -> None:
    """Tell the story to the entity (the demo's own when none is given) and show what each layer makes of it.

    A draft of a procedure is approved by the person whom `ask` asks; where nobody can be asked it waits.
    Needs a living worker. What was told before is not stored again: a second run shows what stands.
    TourUnfinishedError when the cascade has not settled within `timeout_seconds` after a session.
    """
    if entity is None:
        name = entity_name(settings.MEMSEEK.agent_memory_run_id or DEMO_RUN_ID)
        entity = ensure_entity(workspace=workspace, name=name)
    _Tour(entity, output, timeout_seconds, ask).run()


@dataclass(frozen=True, slots=True)
class _Tour:
    entity: Entity
    output: Output
    timeout_seconds: float
    ask: Ask | None

    def run(self) -> None:
        # The request of the fifth act is embedded: by then the embedder is there.
        query_embedding().warm_up()
        first, second = story()
        self.title(1, first.title)
        told = self.tell(first)
        if settings.MEMSEEK.is_llm_fake:
            self.tell(second)
            self.lines([ONLY_WORDS])
            return
        self.title(2, "The cascade: what became of it, layer by layer")
        self.wait()
        self.show_changes(told)
        self.title(3, second.title)
        told = self.tell(second)
        self.wait()
        self.show_changes(told)
        self.show_ladder()
        self.show_procedure()
        self.show_request(risky_request())
        self.show_receipts()

    def tell(self, session: StorySession) -> tuple[UUID, ...]:
        """Store a session and show it word for word; the ids of its messages."""
        appended = append_messages(entity=self.entity, messages=session.messages).messages
        stored = Session.objects.for_entity(self.entity).get(external_id=session.external_id)
        end_session(stored)
        self.page(Transcript(session.external_id, ladder.transcript(self.entity, session.external_id)))
        new = sum(message.is_new for message in appended)
        self.lines([f"{new} messages stored." if new else "Told before: nothing was stored again."])
        return tuple(message.id for message in appended)

    def wait(self) -> None:
        end = wait_until_settled(self.entity, timeout_seconds=self.timeout_seconds, notice=_notice)
        if not end.is_settled:
            raise TourUnfinishedError("; ".join(end.reasons) or "the cascade is still at work")
        self.lines([f"The worker has done everything that waited ({end.seconds:.1f} s)."])

    def show_changes(self, messages: tuple[UUID, ...]) -> None:
        self.lines(["", *change_lines(changes_of(self.entity, messages))])

    def show_ladder(self) -> None:
        self.lines(["", "How everything stands now", "", "The scenes (L2)"])
        self.page(Scenes(ladder.scenes(self.entity)))
        self.lines(["", "The persona (L3)"])
        self.page(Persona(ladder.persona(self.entity)))
        self.lines(["", "The ladder"])
        self.page(ladder.status(self.entity))

    def show_procedure(self) -> None:
        """What the tasks show, as a draft; a person is asked whether it becomes a procedure."""
        self.title(4, procedure_title())
        for told in tasks():
            record_trace(
                entity=self.entity,
                task=told.task,
                outcome=told.outcome,
                steps=told.steps,
                external_id=told.external_id,
                occurred_at=told.occurred_at,
            )
            self.lines([f"Carried out ({told.outcome}): {told.task}"])
        flush(self.entity)
        self.wait()
        self.lines([""])
        shown = shown_procedures(self.entity)
        self.page(shown)
        for draft in [procedure.draft for procedure in shown.procedures if procedure.draft is not None]:
            self.decide(short_id(draft.summary.id))

    def decide(self, draft: str) -> None:
        """Approve a draft if the person who is asked says so; nobody else does."""
        if self.ask is None:
            prompt = prompt_command(self.entity.name, self.entity.workspace.name)
            self.lines(["", WAITS, f"  {prompt}", f"  procedure approve {draft}"])
        elif self.ask(APPROVAL_ASKED):
            approved = approve_draft(self.entity, draft, "")
            self.lines(["", approved.notice, NEXT_STEPS.format(id=draft)])
        else:
            self.lines(["", REFUSED, f"  procedure approve {draft}"])

    def show_request(self, request: StoryRequest) -> None:
        """What an agent is told before it acts: the rules stand in it, whatever the request says."""
        self.title(5, request.title)
        self.lines([f"Asked for: {request.text}", "What the agent is told:", ""])
        self.page(rendered(self.entity, ContextRequest(request.text, as_of=request.as_of)))

    def show_receipts(self) -> None:
        """One record from the top of the ladder, followed down to the words."""
        self.title(6, "One trait opened, down to the words")
        traits = sorted(ladder.persona(self.entity), key=lambda trait: -trait.receipts)
        tops = [trait.id for trait in traits] or [scene.id for scene in ladder.scenes(self.entity)]
        for top in tops[:1]:
            self.page(Traced(down=trace(self.entity, top.hex), up=uses(self.entity, top.hex)))

    def title(self, number: int, text: str) -> None:
        self.lines(["", f"Act {number}. {text}", ""])

    def page(self, page: Page) -> None:
        self.output.write(f"{render(page)}\n")

    def lines(self, lines: Iterable[str]) -> None:
        self.output.write("".join(f"{line}\n" for line in lines))


def _notice(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)
