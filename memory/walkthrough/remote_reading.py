"""Reading the memory of an entity behind a server, for the commands."""

from __future__ import annotations

from datetime import UTC, datetime

from memory.client import Memory, NotFoundError
from memory.recall.hits import Found
from memory.recall.records import (
    AtomRecord,
    LadderStatus,
    MessageRecord,
    RulesPage,
    SceneRecord,
    TraceTree,
    TraitRecord,
)
from memory.recall.short_ids import read_id
from memory.walkthrough import translating
from memory.walkthrough.access import Answered, MemoryProblemError, Rendered, Traced
from memory.walkthrough.naming import RESULTS_SHOWN
from memory.walkthrough.remote_problems import problems_told

EVERY_STATE = "all"
EARLIEST = datetime.min.replace(tzinfo=UTC)


class RemoteReading:
    """What a key with scope read shows of one entity."""

    def __init__(self, client: Memory, entity: str) -> None:
        self.client = client
        self.entity = entity

    @problems_told()
    def scenes(self) -> tuple[SceneRecord, ...]:
        """Live scenes in slot order."""
        live = self.client.scenes(entity=self.entity, status="live")
        return tuple(translating.scene_record(self.client.scene(scene.id)) for scene in live)

    @problems_told()
    def memories(self) -> tuple[AtomRecord, ...]:
        """Every atom with its history, by when it was said or else made."""
        found = list(self.client.atoms(entity=self.entity, state=EVERY_STATE))
        ordered = sorted(found, key=lambda atom: (atom.said_at or atom.created_at or EARLIEST, atom.seq))
        return tuple(map(translating.atom_record, ordered))

    @problems_told()
    def rules(self, floor: int) -> RulesPage:
        """All pages of the rules as one."""
        found = tuple(map(translating.atom_record, self.client.rules(entity=self.entity, floor=floor)))
        return RulesPage(floor=floor, total=len(found), rules=found, next_after=None)

    @problems_told()
    def persona(self) -> tuple[TraitRecord, ...]:
        """The live traits."""
        traits = self.client.persona(entity=self.entity)
        return tuple(translating.record(TraitRecord, trait) for trait in traits)

    @problems_told()
    def transcript(self, session: str | None) -> tuple[MessageRecord, ...]:
        """What was said, session by session, or in one."""
        said = list(self.client.messages(entity=self.entity, session=session))
        sessions = self.client.sessions(entity=self.entity) if session is None else ()
        opened = {known.session: place for place, known in enumerate(sessions)}
        ordered = sorted(said, key=lambda message: (opened.get(message.session, 0), message.ordinal))
        return tuple(map(translating.message_record, ordered))

    @problems_told()
    def trace(self, id_part: str) -> Traced:
        """Receipts below and uses above."""
        read_id(id_part)
        try:
            found = self.client.trace(id_part, entity=self.entity)
        except NotFoundError as problem:
            raise MemoryProblemError(f"No record of {self.entity} has the id {id_part}.") from problem
        return Traced(
            down=TraceTree("down", translating.trace_node(found.down)),
            up=TraceTree("up", translating.trace_node(found.up)),
        )

    @problems_told()
    def search(self, query: str) -> Found:
        """What memory holds about some words."""
        return translating.found_record(self.client.recall(query, entity=self.entity, limit=RESULTS_SHOWN))

    @problems_told()
    def recall(self, task: str) -> Rendered:
        """The context for a task."""
        return translating.rendered_record(self.client.context(task, entity=self.entity))

    @problems_told()
    def answer(self, question: str) -> Answered:
        """A cited answer; the server asks its model, if it has one."""
        return translating.answered_record(self.client.answer(question, entity=self.entity))

    @problems_told()
    def status(self) -> LadderStatus:
        """Counts of each layer, and what waits."""
        return translating.record(LadderStatus, self.client.status(self.entity).layers)
