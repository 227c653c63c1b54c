"""Evidence as trees: nodes of a trace as a page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from memory.recall.records import TraceNode
from showcase.access import Place, Scope
from showcase.links import record_url, trace_url
from showcase.parts import LAYER_OF_KIND, Fact, Layer

OF_PEOPLE = "made"
"""The fact of a correction that names a person."""
PAST = ("superseded", "contested", "retracted", "merged", "retired", "earlier version")


@dataclass(frozen=True, slots=True)
class Branch:
    """A record with what is below it in the tree."""

    kind: str
    id: UUID | None
    text: str
    url: str
    """Its own page."""
    trace_url: str
    facts: tuple[Fact, ...]
    children: tuple[Branch, ...]
    is_past: bool

    @property
    def layer(self) -> Layer:
        """The layer whose hue it wears."""
        return LAYER_OF_KIND.get(self.kind, "")


def branches(scope: Scope, nodes: Iterable[TraceNode]) -> tuple[Branch, ...]:
    """Nodes with everything below them, links in the scope's place."""
    return tuple(_branch(scope, node) for node in nodes)


def without_people(scope: Scope, node: TraceNode) -> TraceNode:
    """The tree as this place may tell it: who made a correction is for members alone."""
    facts = dict(node.facts)
    if scope.place is not Place.LIVE and OF_PEOPLE in facts:
        facts[OF_PEOPLE] = f"{facts[OF_PEOPLE].split(' by ')[0]} by a person"
    children = tuple(without_people(scope, child) for child in node.children)
    return replace(node, facts=facts, children=children)


def _branch(scope: Scope, node: TraceNode) -> Branch:
    told = without_people(scope, replace(node, children=()))
    return Branch(
        kind=node.kind,
        id=node.id,
        text=node.text,
        url=record_url(scope, node.kind, node.id) if node.id else "",
        trace_url=trace_url(scope, node.id) if node.id else "",
        facts=tuple(Fact(name, value.replace("_", " ")) for name, value in told.facts.items()),
        children=branches(scope, node.children),
        is_past=node.facts.get("status") in PAST,
    )
