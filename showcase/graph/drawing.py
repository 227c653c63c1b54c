"""Nodes and edges of what was read: rows by themselves where they are few, in groups where they are many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from showcase.access import Scope
from showcase.graph.asked import Asked
from showcase.graph.nodes import Cluster, Column, Edge, Node, Nodes
from showcase.graph.rows import GROUPS_LIMIT, LAYER_LIMIT, LINES_LIMIT, Claim, Group, Read, key

OTHERS = {"session": "session-others", "topic": "topic-others"}
KINDS = ("message", "atom", "line", "trait")


@dataclass(frozen=True, slots=True)
class Sketch:
    """The graph before it has places. Columns go from the words up."""

    columns: tuple[Column, ...]
    edges: tuple[Edge, ...]
    lit: frozenset[str] = field(default_factory=frozenset)
    """Nodes that hang together with the one that stands out."""

    @property
    def nodes(self) -> list[Node]:
        """All nodes of all columns."""
        return [node for column in self.columns for cluster in column.clusters for node in cluster.nodes]


def sketch(scope: Scope, asked: Asked, read: Read) -> Sketch:
    """What stands in each column, and what evidence leads from where to where."""
    make = Nodes(scope, asked, read)
    columns = (_words(make, read), _claims(make, read), _scenes(make, asked, read), _persona(make, read))
    shown = tuple(column for column in columns if column.layer in asked.layers)
    present = {node.key for column in shown for cluster in column.clusters for node in cluster.nodes}
    scene_of = {key("line", line.id): key("scene", line.scene) for line in read.lines}
    edges = (*_evidence(read, present, scene_of), *_successions(read, present))
    lit = _lit(read, present, scene_of)
    return Sketch(shown, edges, lit)


def _words(make: Nodes, read: Read) -> Column:
    """Messages under their sessions."""
    by_session: dict[str, list[Node]] = defaultdict(list)
    for message in read.messages:
        by_session[message.group].append(make.message(message))
    latest = read.sessions[-GROUPS_LIMIT:]
    clusters = [make.session(group, by_session[group.key], read.message_count) for group in latest]
    if older := read.sessions[:-GROUPS_LIMIT]:
        clusters.insert(0, _others(make, "session", older))
    return Column("L0", "Messages", "what was said", tuple(clusters), read.message_count, "message")


def _claims(make: Nodes, read: Read) -> Column:
    """Atoms by themselves, each chain together; many of them under their topics."""
    if read.atom_count <= LAYER_LIMIT:
        chains: dict[UUID, list[Claim]] = defaultdict(list)
        for atom in sorted(read.atoms, key=lambda one: one.seq):
            chains[atom.chain].append(atom)
        clusters = [Cluster(nodes=tuple(map(make.atom, chain))) for chain in chains.values()]
        return Column("L1", "Atoms", "one claim each", tuple(clusters), read.atom_count, "atom")
    by_topic: dict[str, list[Node]] = defaultdict(list)
    for atom in sorted(read.atoms, key=lambda one: (str(one.chain), one.seq)):
        by_topic[atom.group].append(make.atom(atom))
    clusters = [make.topic(group, by_topic[group.key]) for group in read.topics[:GROUPS_LIMIT]]
    others = read.topics[GROUPS_LIMIT:]
    rest = [node for group in others for node in by_topic[group.key]]
    if others:
        clusters.append(_others(make, "topic", others, rest))
    return Column("L1", "Atoms", "one claim each", tuple(clusters), read.atom_count, "atom")


def _others(make: Nodes, kind: str, groups: Sequence[Group], nodes: Sequence[Node] = ()) -> Cluster:
    """All groups that have no place of their own; what is connected with the row that stands out is there."""
    count = sum(group.count for group in groups)
    name = f"{len(groups)} {'earlier session' if kind == 'session' else 'smaller topic'}"
    noun = "message" if kind == "session" else "atom"
    rest = make.group(OTHERS[kind], f"{name}{'' if len(groups) == 1 else 's'}", count - len(nodes), noun)
    return Cluster(nodes=(*nodes, rest))


def _scenes(make: Nodes, asked: Asked, read: Read) -> Column:
    """Scenes as boxes with their lines; many lines only in the scenes that were opened."""
    is_folded = len(read.lines) > LINES_LIMIT
    clusters, lines_of = [], defaultdict(list)
    for line in read.lines:
        lines_of[line.scene].append(line)
    for scene in read.scenes:
        lines = lines_of[scene.id]
        is_open = not is_folded or key("scene", scene.id) in asked.opened
        shown = [line for line in lines if is_open or line.id in read.near]
        clusters.append(make.scene(scene, shown, len(lines), is_folded=is_folded))
    return Column("L2", "Scenes", "one document per topic", tuple(clusters), len(read.lines), "line")


def _persona(make: Nodes, read: Read) -> Column:
    """Traits, one per slot."""
    clusters = tuple(Cluster(nodes=(make.trait(trait),)) for trait in read.traits)
    return Column("L3", "Persona", "what holds across topics", clusters, len(read.traits), "trait")


def _evidence(read: Read, present: set[str], scene_of: dict[str, str]) -> Iterable[Edge]:
    """Edges between what is shown; receipts of the same two nodes are counted together."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for receipts in read.receipts:
        ends = [_shown(name, present, scene_of) for name in (receipts.lower, receipts.upper)]
        if all(ends):
            counts[ends[0], ends[1]] += receipts.count
    return [Edge(lower, upper, count) for (lower, upper), count in counts.items()]


def _shown(name: str, present: set[str], scene_of: dict[str, str]) -> str:
    """The node that a row is seen in; empty where its column is not drawn."""
    others = OTHERS.get(name.partition("-")[0], "")
    places = (name, scene_of.get(name, ""), others)
    return next((place for place in places if place in present), "")


def _successions(read: Read, present: set[str]) -> Iterable[Edge]:
    """What superseded what, among the atoms that are shown."""
    for atom in read.atoms:
        if atom.successor:
            edge = Edge(key("atom", atom.id), key("atom", atom.successor), 1, is_succession=True)
            if {edge.lower, edge.upper} <= present:
                yield edge


def _lit(read: Read, present: set[str], scene_of: dict[str, str]) -> frozenset[str]:
    names = (key(kind, id) for id in read.near for kind in KINDS)
    return frozenset(_shown(name, present, scene_of) for name in names) - {""}
