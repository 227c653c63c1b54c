"""The scripted tour: a first session, the cascade, a second session that repeats, moves and adds, a procedure
that waits for a person's approval, the context that an agent gets for a risky request, and a trait followed
down to the words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from memory.recall.short_ids import short_id
from memory.walkthrough.access import StoryMemory
from memory.walkthrough.commands import Page, Persona, Scenes, Transcript
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


def run_tour(memory: StoryMemory, output: Output, *, ask: Ask | None = None) -> None:
    """Tell the story to a memory and show what each layer makes of it.

    A draft of a procedure is approved by the person whom `ask` asks; where nobody can be asked it waits.
    Needs a living worker. What was told before is not stored again: a second run shows what stands.
    TourUnfinishedError when the cascade does not settle in the memory's time, MemoryProblemError.
    """
    _Tour(memory, output, ask).run()


@dataclass(frozen=True, slots=True)
class _Tour:
    memory: StoryMemory
    output: Output
    ask: Ask | None

    def run(self) -> None:
        first, second = story()
        self.title(1, first.title)
        told = self.tell(first)
        if only_words := self.memory.why_only_words():
            self.tell(second)
            self.lines([only_words])
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
        told = self.memory.tell(session)
        self.page(Transcript(session.external_id, self.memory.transcript(session.external_id)))
        self.lines([f"{told.new} messages stored." if told.new else "Told before: nothing was stored again."])
        return told.messages

    def wait(self) -> None:
        end = self.memory.settle(_notice)
        if not end.is_settled:
            raise TourUnfinishedError("; ".join(end.reasons) or "the cascade is still at work")
        self.lines([f"The worker has done everything that waited ({end.seconds:.1f} s)."])

    def show_changes(self, messages: tuple[UUID, ...]) -> None:
        self.lines(["", *change_lines(self.memory.changes(messages))])

    def show_ladder(self) -> None:
        self.lines(["", "How everything stands now", "", "The scenes (L2)"])
        self.page(Scenes(self.memory.scenes()))
        self.lines(["", "The persona (L3)"])
        self.page(Persona(self.memory.persona()))
        self.lines(["", "The ladder"])
        self.page(self.memory.status())

    def show_procedure(self) -> None:
        """What the tasks show, as a draft; a person is asked whether it becomes a procedure."""
        self.title(4, procedure_title())
        for task in tasks():
            self.memory.carry_out(task)
            self.lines([f"Carried out ({task.outcome}): {task.task}"])
        self.wait()
        self.lines([""])
        shown = self.memory.procedures("")
        self.page(shown)
        for draft in [procedure.draft for procedure in shown.procedures if procedure.draft is not None]:
            self.decide(short_id(draft.summary.id))

    def decide(self, draft: str) -> None:
        """Approve a draft if the person who is asked says so; nobody else does."""
        if self.ask is None:
            self.lines(["", WAITS, f"  {self.memory.prompt_command}", f"  procedure approve {draft}"])
        elif self.ask(APPROVAL_ASKED):
            approved = self.memory.approve_draft(draft, "")
            self.lines(["", approved.notice, NEXT_STEPS.format(id=draft)])
        else:
            self.lines(["", REFUSED, f"  procedure approve {draft}"])

    def show_request(self, request: StoryRequest) -> None:
        """What an agent is told before it acts: the rules stand in it, whatever the request says."""
        self.title(5, request.title)
        self.lines([f"Asked for: {request.text}", "What the agent is told:", ""])
        self.page(self.memory.context(request))

    def show_receipts(self) -> None:
        """One record from the top of the ladder, followed down to the words."""
        self.title(6, "One trait opened, down to the words")
        traits = sorted(self.memory.persona(), key=lambda trait: -trait.receipts)
        tops = [trait.id for trait in traits] or [scene.id for scene in self.memory.scenes()]
        for top in tops[:1]:
            self.page(self.memory.trace(top.hex))

    def title(self, number: int, text: str) -> None:
        self.lines(["", f"Act {number}. {text}", ""])

    def page(self, page: Page) -> None:
        self.output.write(f"{render(page)}\n")

    def lines(self, lines: Iterable[str]) -> None:
        self.output.write("".join(f"{line}\n" for line in lines))


def _notice(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)
