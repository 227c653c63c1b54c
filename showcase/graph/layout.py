"""Places for nodes and edges, in pixels: columns from left to right, each node near what it rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from showcase.graph.drawing import Sketch
from showcase.graph.measuring import elide, wrap
from showcase.graph.nodes import Cluster, Column, Edge, Node
from showcase.graph.runs import Run

COLUMN, BETWEEN = 272.0, 92.0
TOP = 40.0
"""Height of the columns' heads."""
PADDING, INSET = 10.0, 8.0
HEAD_SIZE, TEXT_SIZE = 11.0, 13.0
HEAD_HEIGHT, LINE_HEIGHT = 15.0, 17.0
NODE_PADDING = 7.0
NODE_GAP, CLUSTER_GAP = 8.0, 16.0
TITLE_HEIGHT, STEPS_HEIGHT = 26.0, 20.0
STEP_WIDTH = 34.0
CLOSE_ROOM = 44.0
SUCCESSION_REACH = 22.0
FEW, SOME = 12, 24
"""Nodes of a column up to which each may have three lines, and two."""
NOWHERE = float("inf")


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Its height's half way down."""
        return self.y + self.height / 2

    @property
    def end(self) -> float:
        """Its right side."""
        return self.x + self.width


@dataclass(frozen=True, slots=True)
class Written:
    """A line of text and where its base line is."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A node with its place and its text in lines."""

    node: Node
    box: Box
    head: Written | None
    lines: tuple[Written, ...]
    is_lit: bool
    column: int


@dataclass(frozen=True, slots=True)
class PlacedStep:
    """A version of a scene, as a mark under its title."""

    number: int
    url: str
    is_current: bool
    box: Box


@dataclass(frozen=True, slots=True)
class PlacedCluster:
    """Nodes in their box; without a title the box is not drawn."""

    cluster: Cluster
    box: Box
    title: Written | None
    close: Written | None
    steps: tuple[PlacedStep, ...]
    nodes: tuple[PlacedNode, ...]


@dataclass(frozen=True, slots=True)
class PlacedColumn:
    """A layer."""

    column: Column
    x: float
    clusters: tuple[PlacedCluster, ...]


@dataclass(frozen=True, slots=True)
class PlacedEdge:
    """An edge as the data of an SVG path."""

    edge: Edge
    path: str
    is_lit: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """The whole drawing."""

    width: float
    height: float
    columns: tuple[PlacedColumn, ...]
    edges: tuple[PlacedEdge, ...]
    has_lit: bool


def place(sketch: Sketch) -> Picture:
    """Give everything a place: nodes never overlap, and no text is wider than its box."""
    placing = _Placing(sketch)
    columns = tuple(placing.column(column, number) for number, column in enumerate(sketch.columns))
    boxes = placing.boxes
    edges = tuple(_edge(edge, boxes, sketch.lit) for edge in sketch.edges)
    bottom = max((box.y + box.height for box in placing.bounds), default=TOP)
    width = len(columns) * COLUMN + max(0, len(columns) - 1) * BETWEEN
    return Picture(width, bottom + PADDING, columns, edges, bool(sketch.lit))


@dataclass
class _Placing:
    """Columns are placed one after the other: each knows where those to its left are."""

    sketch: Sketch
    boxes: dict[str, Box] = field(default_factory=dict)
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The lines of each node of the columns that were begun."""
    bounds: list[Box] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._below: Mapping[str, list[str]] = _below(self.sketch.edges)

    def column(self, column: Column, number: int) -> PlacedColumn:
        """Clusters in the order of what they rest on, each as near to that as those above it let it be."""
        x = number * (COLUMN + BETWEEN)
        self.texts |= _texts(column)
        clusters = self._ordered(column.clusters) if number else column.clusters
        tops = self._tops(clusters)
        placed = [self._cluster(cluster, x, y, number) for cluster, y in zip(clusters, tops, strict=True)]
        return PlacedColumn(column, x, tuple(placed))

    def _tops(self, clusters: Sequence[Cluster]) -> list[float]:
        """Where each begins, in their order: as near to what they rest on as they can be without overlapping.

        Those that would overlap go one right after the other, where they are best off together on average.
        """
        runs: list[Run] = []
        for cluster in clusters:
            wanted, height = self._wanted(cluster), _height(cluster, self.texts)
            is_apart = bool(cluster.title) or len(cluster.nodes) > 1
            room = height + (CLUSTER_GAP if is_apart else NODE_GAP)
            run = Run((0.0,), room, () if wanted is None else (wanted - height / 2,))
            while runs and run.top(TOP) < runs[-1].top(TOP) + runs[-1].length:
                run = runs.pop().followed_by(run)
            runs.append(run)
        return [run.top(TOP) + offset for run in runs for offset in run.offsets]

    def _ordered(self, clusters: Sequence[Cluster]) -> list[Cluster]:
        """By where they would like to be; those that rest on nothing drawn come last."""
        wishes = [(self._wanted(cluster), place) for place, cluster in enumerate(clusters)]
        ordered = sorted((NOWHERE if wish is None else wish, place) for wish, place in wishes)
        return [clusters[place] for _, place in ordered]

    def _wanted(self, cluster: Cluster) -> float | None:
        """The mean height of what the nodes rest on."""
        found = [
            self.boxes[lower].middle
            for node in cluster.nodes
            for lower in self._below.get(node.key, ())
            if lower in self.boxes
        ]
        return sum(found) / len(found) if found else None

    def _cluster(self, cluster: Cluster, x: float, y: float, number: int) -> PlacedCluster:
        box = Box(x, y, COLUMN, _height(cluster, self.texts))
        inset = INSET if cluster.title else 0.0
        top = y + _title_height(cluster)
        nodes = []
        for node in cluster.nodes:
            nodes.append(self._node(node, Box(x + inset, top, COLUMN - 2 * inset, 0.0), number))
            top += nodes[-1].box.height + NODE_GAP
        self.bounds.append(box)
        title_room = COLUMN - 2 * PADDING - (CLOSE_ROOM if cluster.toggle_url else 0.0)
        title = elide(cluster.title, room=title_room, size=TEXT_SIZE)
        return PlacedCluster(
            cluster,
            box,
            Written(title, x + PADDING, y + 18) if title else None,
            Written(cluster.toggle, box.end - CLOSE_ROOM, y + 18) if cluster.toggle_url else None,
            _steps(cluster, x + PADDING, y + TITLE_HEIGHT),
            tuple(nodes),
        )

    def _node(self, node: Node, around: Box, number: int) -> PlacedNode:
        texts = self.texts[node.key]
        head_height = HEAD_HEIGHT if node.head or node.state else 0.0
        box = Box(around.x, around.y, around.width, _node_height(node, texts))
        self.boxes[node.key] = box
        x, top = box.x + PADDING, box.y + NODE_PADDING
        head = f"{node.head}, {node.state}" if node.head and node.state else node.head or node.state
        shown = elide(head, room=around.width - 2 * PADDING, size=HEAD_SIZE)
        written = tuple(
            Written(text, x, top + head_height + LINE_HEIGHT * place + 12) for place, text in enumerate(texts)
        )
        is_lit = node.key in self.sketch.lit
        return PlacedNode(node, box, Written(shown, x, top + 10) if shown else None, written, is_lit, number)


def _below(edges: Iterable[Edge]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if not edge.is_succession:
            found[edge.upper].append(edge.lower)
    return found


def _lines_of(column: Column) -> int:
    """How many lines of text a node may have: fewer where there are many nodes."""
    count = sum(len(cluster.nodes) for cluster in column.clusters)
    return 3 if count <= FEW else 2 if count <= SOME else 1


def _texts(column: Column) -> dict[str, tuple[str, ...]]:
    """Each node's words in the lines that it may have."""
    lines = _lines_of(column)
    return {
        node.key: wrap(node.text, room=_width(cluster) - 2 * PADDING, size=TEXT_SIZE, lines=lines)
        for cluster in column.clusters
        for node in cluster.nodes
    }


def _width(cluster: Cluster) -> float:
    """Of its nodes."""
    return COLUMN - (2 * INSET if cluster.title else 0.0)


def _node_height(node: Node, texts: Sequence[str]) -> float:
    head = HEAD_HEIGHT if node.head or node.state else 0.0
    return 2 * NODE_PADDING + head + LINE_HEIGHT * len(texts)


def _title_height(cluster: Cluster) -> float:
    if not cluster.title:
        return 0.0
    return TITLE_HEIGHT + (STEPS_HEIGHT if cluster.steps else 2.0)


def _height(cluster: Cluster, texts: Mapping[str, Sequence[str]]) -> float:
    nodes = sum(_node_height(node, texts[node.key]) for node in cluster.nodes)
    gaps = NODE_GAP * max(0, len(cluster.nodes) - 1)
    return _title_height(cluster) + nodes + gaps + (INSET if cluster.title else 0.0)


def _steps(cluster: Cluster, x: float, y: float) -> tuple[PlacedStep, ...]:
    return tuple(
        PlacedStep(step.number, step.url, step.is_current, Box(x + place * STEP_WIDTH, y, 24.0, 15.0))
        for place, step in enumerate(cluster.steps)
    )


def _edge(edge: Edge, boxes: Mapping[str, Box], lit: frozenset[str]) -> PlacedEdge:
    lower, upper = boxes[edge.lower], boxes[edge.upper]
    is_lit = edge.lower in lit and edge.upper in lit
    if edge.is_succession:
        # Past the left side of the column, from the older one to the one that took its place.
        reach = min(lower.x, upper.x) - SUCCESSION_REACH
        path = f"M{lower.x:g} {lower.middle:g}C{reach:g} {lower.middle:g} {reach:g} {upper.middle:g}"
        return PlacedEdge(edge, f"{path} {upper.x:g} {upper.middle:g}", is_lit)
    middle = (lower.end + upper.x) / 2
    path = f"M{lower.end:g} {lower.middle:g}C{middle:g} {lower.middle:g} {middle:g} {upper.middle:g}"
    return PlacedEdge(edge, f"{path} {upper.x:g} {upper.middle:g}", is_lit)
