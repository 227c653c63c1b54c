"""A memory filled with the conversations of a file: what is there already is not made again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.db.models import QuerySet

from memory.cascade.engine import settle_entity
from memory.cascade.work import pending_counts
from memory.evaluation.questions import Sample, turn_ids
from memory.indexing.step import index_entity
from memory.indexing.sweeping import has_waiting
from memory.ingest.entities import find_entity
from memory.ingest.importing import import_file
from memory.ingest.workspaces import create_workspace
from memory.llm.embedders.registry import configured_embedder
from memory.llm.registry import configured_model
from memory.models import Entity, Message, Unindexed, Workspace
from memory.recall.hits import CitedMessage
from memory.recall.results import cited_message

DEFAULT_WORKSPACE = "evaluation"
SETTLE_SECONDS = 3_600.0
INDEX_SECONDS = 3_600.0
POLL_SECONDS = 0.5

Notice = Callable[[str], object]


class NotReadyError(Exception):
    """A conversation could not be brought in, or does not come to rest."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation in memory, with its turns in their order."""

    entity: Entity
    turns: tuple[CitedMessage, ...]
    sample: Sample

    def turn_ids(self) -> frozenset[str]:
        """The ids of all turns."""
        return frozenset(found for turn in self.turns if (found := turn_id(turn)))


def evaluation_workspace(name: str) -> Workspace:
    """The workspace of this name, made when it is not there."""
    return Workspace.objects.filter(name=name).first() or create_workspace(name=name).workspace


def prepare(*, workspace: Workspace, path: Path, sample: Sample, notice: Notice) -> Conversation:
    """Import a conversation, have the cascade and the index work through it, and read its turns.

    Raises NotReadyError when it is not in the file or something of it goes on waiting.
    """
    import_file(workspace=workspace, path=path, only=sample.conversation)
    entity = find_entity(workspace=workspace, name=sample.conversation)
    if entity is None:
        raise NotReadyError(f"{sample.conversation} has no turns that can be read.")
    _settle(entity, notice)
    _index(entity, notice)
    rows: QuerySet[Message] = Message.objects.for_entity(entity).select_related("session")
    turns = tuple(cited_message(entity, row) for row in rows.order_by("seq"))
    return Conversation(entity, turns, sample)


def _settle(entity: Entity, notice: Notice) -> None:
    """Work here until no step has anything to do; a worker elsewhere may have a step in hand meanwhile."""
    if configured_model() is None:
        notice(f"{entity.name}: no model in use, its words alone are searched")
        return
    ends = time.monotonic() + SETTLE_SECONDS
    notice(f"{entity.name}: {sum(pending_counts(entity).values())} rows to go through the cascade")
    while any(pending_counts(entity).values()):
        settle_entity(entity, timeout_seconds=SETTLE_SECONDS)
        _wait_until(ends, not any(pending_counts(entity).values()), f"{entity.name} is not settled")


def _index(entity: Entity, notice: Notice) -> None:
    ends = time.monotonic() + INDEX_SECONDS
    notice(f"{entity.name}: {Unindexed.objects.for_entity(entity).count()} rows to be indexed")
    while _is_unindexed(entity):
        index_entity(entity_id=entity.pk, seconds=INDEX_SECONDS)
        _wait_until(ends, not _is_unindexed(entity), f"{entity.name} is not indexed")


def _is_unindexed(entity: Entity) -> bool:
    if configured_embedder() is not None:
        return has_waiting(entity.pk)
    return Unindexed.objects.for_entity(entity).filter(has_terms=False).exists()


def _wait_until(ends: float, is_done: bool, problem: str) -> None:
    """A pause before the next look, unless it is done or too late."""
    if is_done:
        return
    if time.monotonic() > ends:
        raise NotReadyError(f"{problem} after an hour.")
    time.sleep(POLL_SECONDS)


def turn_id(message: CitedMessage) -> str:
    """The id that evidence names a turn by, empty for a message that came from elsewhere."""
    return next(iter(turn_ids(str(message.metadata.get("dia_id", "")))), "")
