"""The same graph in words: nested lists, for screen readers, for small screens and for paper."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from showcase.graph.drawing import Sketch
from showcase.graph.nodes import Cluster, Column, Edge, Node

NOTE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Link:
    """Another node of the outline, by the beginning of its words."""

    key: str
    layer: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Item:
    """A node with what it rests on, what rests on it, and what it superseded or was superseded by."""

    node: Node
    is_lit: bool
    rests_on: tuple[Link, ...]
    carries: tuple[Link, ...]
    older: tuple[Link, ...]
    newer: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A cluster: a session, a topic, a scene, or nodes without a box."""

    cluster: Cluster
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Layered:
    """One layer of the outline."""

    column: Column
    parts: tuple[Part, ...]


def outline(sketch: Sketch) -> tuple[Layered, ...]:
    """All layers from the persona down."""
    nodes = {node.key: node for node in sketch.nodes}
    links = _Links(nodes, sketch.edges)
    return tuple(
        Layered(
            column,
            tuple(
                Part(cluster, tuple(_item(node, links, sketch.lit) for node in cluster.nodes))
                for cluster in column.clusters
            ),
        )
        for column in reversed(sketch.columns)
    )


class _Links:
    """Who is connected with whom."""

    def __init__(self, nodes: Mapping[str, Node], edges: tuple[Edge, ...]) -> None:
        self.below: dict[str, list[Link]] = defaultdict(list)
        self.above: dict[str, list[Link]] = defaultdict(list)
        self.older: dict[str, list[Link]] = defaultdict(list)
        self.newer: dict[str, list[Link]] = defaultdict(list)
        for edge in edges:
            lower, upper = _link(nodes[edge.lower], edge), _link(nodes[edge.upper], edge)
            under, over = (self.older, self.newer) if edge.is_succession else (self.below, self.above)
            under[edge.upper].append(lower)
            over[edge.lower].append(upper)


def _item(node: Node, links: _Links, lit: frozenset[str]) -> Item:
    found = (links.below, links.above, links.older, links.newer)
    return Item(node, node.key in lit, *(tuple(one.get(node.key, ())) for one in found))


def _link(node: Node, edge: Edge) -> Link:
    text = node.name
    short = text if len(text) <= NOTE_CHARACTERS else f"{text[:NOTE_CHARACTERS].rstrip()}…"
    return Link(node.key, node.layer, short, edge.count)
