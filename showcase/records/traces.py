"""The trace of any record: all that it rests on, and all that rests on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Exists, OuterRef, Subquery
from django.http import Http404

from memory.models import Entity, Line, VersionLine
from memory.recall import trace_down as down
from memory.recall import trace_up as up
from memory.recall.finding import find
from memory.recall.records import TraceNode, TraceTree
from memory.recall.short_ids import IdPart
from memory.walkthrough.access import Traced
from memory.walkthrough.rendering_trace import traced_lines
from showcase.access import Scope
from showcase.links import anchor, record_url, version_url
from showcase.parts import Code
from showcase.records.beside import walks_beside
from showcase.records.trees import Branch, branches, without_people

SCENES = ("scene", "scene version")


@dataclass(frozen=True, slots=True)
class TracePage:
    """A record between what it rests on and what rests on it."""

    root: Branch
    own_url: str
    """The page that shows it among its like; empty where this one does."""
    above: tuple[Branch, ...]
    below: tuple[Branch, ...]
    outline: Code


@dataclass(frozen=True, slots=True)
class _Walks:
    """Both ways from a record; `line` is the row of one."""

    down: TraceNode
    up: TraceNode
    line: Line | None = None


def trace_page(scope: Scope, id: UUID) -> TracePage:
    """The trace of a record of the entity, whatever it is; Http404. At most eight statements."""
    try:
        walks = _found(scope.entity, id)
    except ObjectDoesNotExist as error:  # erased since it was found
        raise Http404 from error
    if walks is None:
        raise Http404
    below, above = without_people(scope, walks.down), without_people(scope, walks.up)
    outline = "\n".join(traced_lines(Traced(TraceTree("down", below), TraceTree("up", above))))
    [root] = branches(scope, [below])
    return TracePage(
        root=root,
        own_url=_own_url(scope, root, walks.line),
        above=branches(scope, above.children),
        below=root.children,
        outline=Code(outline, "The same as an outline"),
    )


def _own_url(scope: Scope, root: Branch, line: Line | None) -> str:
    """A line is shown by the current version of its scene, else by the newest that held it."""
    if line is not None:
        number: int | None = line.newest  # type: ignore[attr-defined]
        is_current: bool = line.is_current  # type: ignore[attr-defined]
        scene = record_url(scope, "scene", line.scene_id)
        page = version_url(scope, line.scene_id, number) if number and not is_current else scene
        return f"{page}#{anchor('line', line.pk)}"
    return "" if root.url == root.trace_url else root.url


def _found(entity: Entity, id: UUID) -> _Walks | None:
    """The walks of a record of the ladder, else of one beside it; None when there is none of that id."""
    found = find(entity, IdPart(id.hex))
    if found:
        return _walks(entity, found[0].kind, id)
    beside = walks_beside(entity, id)
    return _Walks(*beside) if beside else None


def _walks(entity: Entity, kind: str, id: UUID) -> _Walks:
    """Down and up; what both ways would read is read once."""
    if kind == "line":
        places = VersionLine.objects.filter(line=OuterRef("pk")).order_by("-version__number")
        placed = Line.objects.for_entity(entity).annotate(
            newest=Subquery(places.values("version__number")[:1]),
            is_current=Exists(places.filter(version__is_head=True)),
        )
        line = placed.get(pk=id)
        return _Walks(down.line_nodes(entity, [line])[id], up.line_nodes([line])[id], line)
    if kind == "correction":
        above = up.UP[kind](entity, id)
        return _Walks(replace(above, children=()), above)
    below = down.DOWN[kind](entity, id)
    return _Walks(below, _above_lines(below) if kind in SCENES else up.UP[kind](entity, id))


def _above_lines(scene: TraceNode) -> TraceNode:
    """The lines of a scene on which something rests; the others are seen on the way down."""
    above = up.over_its_lines(scene)
    return replace(above, children=tuple(line for line in above.children if line.children))
