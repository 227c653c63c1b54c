"""The stored evidence between nodes: row by row where both ends are shown, counted where they are grouped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from memory import queries
from memory.models import Entity
from showcase.graph.rows import Receipts, key, topic_key

OTHER_SESSION, OTHER_TOPIC = UUID(int=0), "\x1f"
"""Stand for all sessions and topics that have no place of their own; no row has such an id or topic."""
UPPER_KINDS = ("atom", "topic", "line", "trait")
LOWER_KINDS = ("message", "session", "atom", "topic", "line")


def read_receipts(
    entity: Entity,
    followed: Collection[UUID] | None,
    *,
    messages: Collection[UUID],
    atoms: Collection[UUID],
    sessions: Collection[UUID],
    topics: Collection[str],
    lines: Collection[UUID],
    traits: Collection[UUID],
) -> tuple[Receipts, ...]:
    """One statement. Messages and atoms that are not among those given are told by session and by topic.

    Of sessions and topics those given are told apart, all others as one, so that what is read does not grow
    with their number. `lines` and `traits` (versions) are all that there are; `followed` narrows both ends.
    """
    counted = queries.rows(
        "graph_receipts",
        workspace=entity.workspace_id,
        entity=entity.pk,
        messages=queries.array(messages),
        atoms=queries.array(atoms),
        sessions=queries.array(sessions),
        topics=list(topics),
        lines=queries.array(lines),
        traits=queries.array(traits),
        followed=queries.array(followed or ()),
        is_whole=followed is None,
        other_session=OTHER_SESSION,
        other_topic=OTHER_TOPIC,
    )
    # As the server counts them they come in any order.
    return tuple(sorted(map(_receipts, counted), key=lambda one: (one.upper, one.lower)))


def _receipts(row: Sequence[Any]) -> Receipts:
    """The ends in the order of their kinds, what lies beside the ladder, and how many."""
    *ends, beside, count = row
    return Receipts(
        _key(*zip(UPPER_KINDS, ends[: len(UPPER_KINDS)], strict=True)),
        _key(*zip(LOWER_KINDS, ends[len(UPPER_KINDS) :], strict=True)),
        count,
        beside,
    )


def _key(*named: tuple[str, Any]) -> str:
    """The name of the one end that is set; nothing where none is."""
    for kind, found in named:
        if found is not None:
            return topic_key(found) if kind == "topic" else key(kind, found)
    return ""
