"""Which claims a message stands for: what finds the message lifts the claim, also one that took its place."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from memory import queries
from memory.models import Entity
from memory.recall.arms import Filters


@dataclass(frozen=True, slots=True)
class Covering:
    """Messages and live atoms, by receipts."""

    citing: dict[UUID, list[UUID]] = field(default_factory=dict)
    """The live atoms that a message stands for, in the order of their receipts."""
    cited: dict[UUID, list[UUID]] = field(default_factory=dict)
    """The messages that a live atom cites."""
    topics: dict[UUID, str] = field(default_factory=dict)
    """What a live atom is filed under."""

    def claims_of(self, message: UUID) -> list[UUID]:
        """The live atoms a message stands for; none when it is not worth a claim or not read yet."""
        return self.citing.get(message, [])


def cover(
    entity: Entity, filters: Filters, *, messages: Collection[UUID], atoms: Collection[UUID]
) -> Covering:
    """Read the receipts around some messages and atoms, in one statement; only claims that pass the filters.

    A message whose claim was superseded stands for the claim that holds now: old words find the new ones, and
    are not shown as if they still held.
    """
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    rows = {"messages": queries.array(messages), "atoms": queries.array(atoms)}
    [found] = queries.kept_rows(("search_receipts", {**owner, **rows}))
    covering = Covering()
    for sort, one, other, kind, topic, _ in found:
        is_citing = sort == "stands_for"
        if filters.admits_claim(kind, topic):
            covering.topics[other if is_citing else one] = topic
            others = (covering.citing if is_citing else covering.cited).setdefault(one, [])
            if other not in others:
                others.append(other)
    return covering
