"""The graph as JSON values."""

from __future__ import annotations

from typing_extensions import TypedDict

from memory.claims.graph import Fact, Node
from memory.claims.promotion import Promoted
from memory.models import Entity


class GraphBody(TypedDict):
    """Facts with their evidence, and the things that they speak of."""

    entity: str
    facts: tuple[Fact, ...]
    nodes: list[Node]
    """Each once, in the order of the facts."""
    truncated: bool
    """Whether there are more than the limit."""


class RefreshBody(TypedDict):
    """What was promoted to the graph."""

    entity: str
    atoms: int
    edges_written: int
    edges_removed: int
    failed: int
    """Runs that failed; what they read waits."""
    waiting: int
    """Atoms that are left to workers."""


def graph_body(entity: Entity, facts: tuple[Fact, ...], limit: int) -> GraphBody:
    """The body of `/graph`, of at most so many of the facts."""
    shown = facts[:limit]
    nodes = {node.id: node for fact in shown for node in (fact.subject, fact.object) if node is not None}
    return {
        "entity": entity.name,
        "facts": shown,
        "nodes": list(nodes.values()),
        "truncated": len(facts) > limit,
    }


def refresh_body(entity: Entity, done: Promoted) -> RefreshBody:
    """The body of `/graph/refresh`."""
    return {
        "entity": entity.name,
        "atoms": done.atoms,
        "edges_written": done.edges_written,
        "edges_removed": done.edges_removed,
        "failed": done.failed,
        "waiting": done.waiting,
    }
