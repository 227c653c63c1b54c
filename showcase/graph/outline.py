"""The same graph in words: nested lists, for screen readers, for small screens and for paper."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString

from showcase.graph.drawing import Sketch
from showcase.graph.nodes import Cluster, Column, Edge, Node
from showcase.said import as_said

NOTE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Link:
    """Another node of the outline, by the beginning of its words."""

    key: str
    hue: str
    text: SafeString
    """As said: each node is written as often as something is connected with it."""
    count: int


@dataclass(frozen=True, slots=True)
class Item:
    """A node with what it rests on, what rests on it, and what it superseded or was superseded by."""

    node: Node
    is_lit: bool
    links: tuple[tuple[str, tuple[Link, ...]], ...]
    """How it is connected, in words, and with what; a way that leads nowhere is left out."""


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
        words = {key: _shortened(node) for key, node in nodes.items()}
        for edge in edges:
            lower, upper = (
                Link(end, nodes[end].layer.lower(), words[end], edge.count)
                for end in (edge.lower, edge.upper)
            )
            under, over = (self.older, self.newer) if edge.is_succession else (self.below, self.above)
            under[edge.upper].append(lower)
            over[edge.lower].append(upper)


def _item(node: Node, links: _Links, lit: frozenset[str]) -> Item:
    ways = (
        ("rests on", links.below),
        ("carries", links.above),
        ("took the place of", links.older),
        ("superseded by", links.newer),
    )
    found = tuple((said, tuple(way[node.key])) for said, way in ways if node.key in way)
    return Item(node, node.key in lit, found)


def _shortened(node: Node) -> SafeString:
    text = node.name
    return as_said(text if len(text) <= NOTE_CHARACTERS else f"{text[:NOTE_CHARACTERS].rstrip()}…")
