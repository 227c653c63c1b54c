"""The scripted tour: a first session, the cascade, a second session that repeats, moves and adds, the context
that an agent gets for a risky request, and a trait followed down to the words."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from django.conf import settings

from memory.ingest.entities import ensure_entity
from memory.ingest.messages import append_messages
from memory.ingest.sessions import end_session
from memory.llm.embedders.registry import query_embedding
from memory.models import Entity, Session, Workspace
from memory.recall import ladder
from memory.recall.changes import changes_of
from memory.recall.context import ContextRequest
from memory.recall.trace import trace, uses
from memory.walkthrough.access import Traced
from memory.walkthrough.commands import Page, Persona, Scenes, Transcript
from memory.walkthrough.local import ONLY_WORDS
from memory.walkthrough.naming import DEMO_RUN_ID, entity_name
from memory.walkthrough.recalling import rendered
from memory.walkthrough.rendering import render
from memory.walkthrough.rendering_changes import change_lines
from memory.walkthrough.story import StoryRequest, StorySession, risky_request, story
from memory.walkthrough.waiting import wait_until_settled

TOUR_TIMEOUT_SECONDS = 180.0


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
) -> None:
    """Tell the story to the entity (the demo's own when none is given) and show what each layer makes of it.

    Needs a living worker. What was told before is not stored again: a second run shows what stands.
    TourUnfinishedError when the cascade has not settled within `timeout_seconds` after a session.
    """
    if entity is None:
        name = entity_name(settings.MEMSEEK.agent_memory_run_id or DEMO_RUN_ID)
        entity = ensure_entity(workspace=workspace, name=name)
    _Tour(entity, output, timeout_seconds).run()


@dataclass(frozen=True, slots=True)
class _Tour:
    entity: Entity
    output: Output
    timeout_seconds: float

    def run(self) -> None:
        # The request of the fourth act is embedded: by then the embedder is there.
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

    def show_request(self, request: StoryRequest) -> None:
        """What an agent is told before it acts: the rules stand in it, whatever the request says."""
        self.title(4, request.title)
        self.lines([f"Asked for: {request.text}", "What the agent is told:", ""])
        self.page(rendered(self.entity, ContextRequest(request.text, as_of=request.as_of)))

    def show_receipts(self) -> None:
        """One record from the top of the ladder, followed down to the words."""
        self.title(5, "One trait opened, down to the words")
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
