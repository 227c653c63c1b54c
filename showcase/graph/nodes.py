"""What is drawn: nodes, the boxes they stand in, the columns of these, and the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory.models import Section
from showcase.access import Scope
from showcase.cards import SLOTS
from showcase.graph.asked import Asked
from showcase.graph.rows import (
    LAYER_LIMIT,
    Claim,
    Group,
    Read,
    Said,
    SceneHead,
    SceneLine,
    TraitHead,
    key,
)
from showcase.links import record_url, version_url
from showcase.parts import Layer
from showcase.said import as_marked

STEPS_SHOWN = 5
BESIDE = {"correction": "rests on a person's correction", "outside": "rests on something outside"}
"""What rows rest on that stands in no column."""
LAYER_OF: dict[str, Layer] = {
    "message": "L0",
    "session": "L0",
    "atom": "L1",
    "topic": "L1",
    "line": "L2",
    "scene": "L2",
    "trait": "L3",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A row, or (kind `group`) rows that are counted. `head` is a small line above the text."""

    key: str
    kind: str
    layer: Layer
    head: str
    text: str
    url: str
    at_url: str = ""
    """The graph with what hangs together with it standing out."""
    state: str = ""
    note: str = ""
    is_at: bool = False
    within: str = ""
    """The group or scene whose rows a node counts, where its head does not say it."""

    @property
    def name(self) -> str:
        """Its words, or what it counts rows of."""
        return (self.head or self.within) if self.kind == "group" else self.text

    @property
    def label(self) -> str:
        """What a screen reader says of it."""
        return ". ".join(part for part in (self.within, self.head, self.state, self.text, self.note) if part)


@dataclass(frozen=True, slots=True)
class Step:
    """A version of a scene."""

    number: int
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes that stand together; with a title in a box of their own."""

    nodes: tuple[Node, ...]
    title: str = ""
    layer: Layer = ""
    url: str = ""
    steps: tuple[Step, ...] = ()
    toggle_url: str = ""
    toggle: str = ""
    is_scene: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One layer. `count` is how many rows it has, grouped or not."""

    layer: Layer
    title: str
    about: str
    clusters: tuple[Cluster, ...]
    count: int
    noun: str


@dataclass(frozen=True, slots=True)
class Edge:
    """Receipts from a lower node to an upper one, or what superseded what."""

    lower: str
    upper: str
    count: int
    is_succession: bool = False


class Nodes:
    """Makes nodes of rows, with their addresses in a scope."""

    def __init__(self, scope: Scope, asked: Asked, read: Read) -> None:
        self._scope = scope
        self._asked = asked
        self._notes = {one.upper: BESIDE[one.beside] for one in read.receipts if one.beside}

    def message(self, message: Said) -> Node:
        """What was said; in its head by whom and when."""
        at = message.at and message.at.astimezone(self._scope.entity.zone)
        head = f"{as_marked(message.speaker)}{f', {at:%Y-%m-%d %H:%M}' if at else ''}"
        return self._row("message", message.id, head, message.text)

    def atom(self, atom: Claim) -> Node:
        """One claim; one that no longer holds says so."""
        state = "" if atom.status == "live" else atom.status
        return self._row("atom", atom.id, f"{atom.kind}, priority {atom.priority}", atom.text, state)

    def trait(self, trait: TraitHead) -> Node:
        """A slot of the persona, by its version."""
        head = f"{SLOTS[trait.slot]}, version {trait.number}"
        return self._row("trait", trait.version, head, trait.text, page=trait.id)

    def scene(self, scene: SceneHead, lines: Sequence[SceneLine], count: int, *, is_folded: bool) -> Cluster:
        """A box with its lines; those that are folded are counted in a node of the scene's own."""
        nodes = [self._line(line) for line in lines]
        name = key("scene", scene.id)
        is_open = name in self._asked.opened
        if count > len(nodes):
            rest = self.group(name, "", count - len(nodes), "line", is_more=bool(nodes))
            nodes.append(replace(rest, within=as_marked(scene.title)))
        return Cluster(
            tuple(nodes),
            as_marked(scene.title),
            "L2",
            record_url(self._scope, "scene", scene.id),
            self._steps(scene),
            self._asked.toggled(name).query() if is_folded and is_open else "",
            "close",
            is_scene=True,
        )

    def session(self, group: Group, nodes: Sequence[Node], all_messages: int) -> Cluster:
        """The messages of a session; many are counted until they are opened."""
        if all_messages <= LAYER_LIMIT:
            return Cluster(tuple(nodes), as_marked(group.name), "L0")
        return self._opened(group, nodes, "message", as_marked(group.name))

    def topic(self, group: Group, nodes: Sequence[Node]) -> Cluster:
        """The atoms of a topic, counted until they are opened."""
        return self._opened(group, nodes, "atom", as_marked(group.name) or "No topic")

    def group(self, name: str, title: str, count: int, noun: str, *, is_more: bool = False) -> Node:
        """Rows that are counted; its address opens the group where it has one."""
        kind = name.partition("-")[0]
        counted = f"{count} {'more ' if is_more else ''}{noun}{'' if count == 1 else 's'}"
        can_open = not name.endswith("-others") and name not in self._asked.opened
        url = self._asked.toggled(name).query() if can_open else ""
        return Node(name, "group", LAYER_OF[kind], title, counted, url, note="opens" if can_open else "")

    def _opened(self, group: Group, nodes: Sequence[Node], noun: str, name: str) -> Cluster:
        rest = group.count - len(nodes)
        if not nodes:
            closed = self.group(group.key, name, group.count, noun)
            past = f", {group.past} no longer hold{'s' if group.past == 1 else ''}" if group.past else ""
            return Cluster((replace(closed, text=closed.text + past),))
        more = [self.group(group.key, "", rest, noun, is_more=True)] if rest else []
        more = [replace(node, within=name) for node in more]
        is_open = group.key in self._asked.opened
        toggle_url = self._asked.toggled(group.key).query() if is_open else ""
        return Cluster(
            (*nodes, *more), name, LAYER_OF[group.key.partition("-")[0]], "", (), toggle_url, "close"
        )

    def _line(self, line: SceneLine) -> Node:
        state = "" if line.position is not None else "earlier version"
        return self._row("line", line.id, str(Section(line.section).label), line.text, state)

    def _row(
        self, kind: str, id: UUID, head: str, text: str, state: str = "", *, page: UUID | None = None
    ) -> Node:
        name = key(kind, id)
        return Node(
            key=name,
            kind=kind,
            layer=LAYER_OF[kind],
            head=head,
            text=as_marked(text),
            url=record_url(self._scope, kind, page or id),
            at_url=self._asked.around(id).query(),
            state=state,
            note=self._notes.get(name, ""),
            is_at=self._asked.at in (id, page) and self._asked.at is not None,
        )

    def _steps(self, scene: SceneHead) -> tuple[Step, ...]:
        first = max(1, scene.number - STEPS_SHOWN + 1)
        return tuple(
            Step(number, version_url(self._scope, scene.id, number), number == scene.number)
            for number in range(first, scene.number + 1)
        )
