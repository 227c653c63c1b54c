"""From a record up to whatever rests on it. Each layer is read whole in one statement, then the one above."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from uuid import UUID

from memory.models import Atom, Digest, Entity, Evidence, Line, Message, TraitVersion, VersionLine
from memory.recall.records import TraceNode
from memory.recall.trace_down import DOWN
from memory.recall.trace_nodes import Children, atom_node, digest_node, line_node, message_node, trait_node

Above = dict[UUID, list[TraceNode]]


def _traits_above(column: str, ids: Collection[UUID]) -> Above:
    """Traits by what they rest on, a line or a correction."""
    found = Evidence.objects.filter(**{f"{column}__in": ids}).exclude(of_trait_version=None)
    above: Above = defaultdict(list)
    for receipt in found.select_related("of_trait_version__trait").order_by("id"):
        if receipt.of_trait_version:
            above[getattr(receipt, f"{column}_id")].append(trait_node(receipt.of_trait_version))
    return above


def line_nodes(lines: Iterable[Line]) -> dict[UUID, TraceNode]:
    """Lines with the traits that rest on them, and the scenes in which they stand now."""
    rows = {line.pk: line for line in lines}
    traits = _traits_above("line", rows.keys())
    places = VersionLine.objects.filter(line__in=rows.keys(), version__is_head=True)
    titles = dict(places.values_list("line", "version__title"))
    return {
        id: line_node(line, tuple(traits[id]), scene=titles.get(id, "no longer in any"))
        for id, line in rows.items()
    }


def _lines_above(column: str, ids: Collection[UUID]) -> Above:
    found = Evidence.objects.filter(**{f"{column}__in": ids}).exclude(of_line=None)
    receipts = list(found.select_related("of_line").order_by("id"))
    nodes = line_nodes(receipt.of_line for receipt in receipts if receipt.of_line)
    above: Above = defaultdict(list)
    for receipt in receipts:
        above[getattr(receipt, f"{column}_id")].append(nodes[receipt.of_line_id])  # type: ignore[index]
    return above


def _digests_above(message: UUID) -> list[TraceNode]:
    """The summaries and briefs that cover a message."""
    found = Evidence.objects.filter(message=message).exclude(of_digest=None)
    receipts = found.select_related("of_digest__session").order_by("id")
    return [digest_node(receipt.of_digest) for receipt in receipts if receipt.of_digest]


def _atoms_above(column: str, ids: Collection[UUID]) -> Above:
    found = Evidence.objects.filter(**{f"{column}__in": ids}).exclude(of_atom=None)
    receipts = list(found.select_related("of_atom").order_by("id"))
    lines = _lines_above("atom", [receipt.of_atom_id for receipt in receipts if receipt.of_atom_id])
    above: Above = defaultdict(list)
    for receipt in receipts:
        if receipt.of_atom:
            node = atom_node(receipt.of_atom, tuple(lines[receipt.of_atom.pk]))
            above[getattr(receipt, f"{column}_id")].append(node)
    return above


def _message(entity: Entity, id: UUID) -> TraceNode:
    message = Message.objects.for_entity(entity).select_related("session").get(pk=id)
    above = (*_atoms_above("message", [id])[id], *_digests_above(id))
    return _with(message_node(entity, message), above)


def _atom(entity: Entity, id: UUID) -> TraceNode:
    return atom_node(Atom.objects.for_entity(entity).get(pk=id), tuple(_lines_above("atom", [id])[id]))


def _line(entity: Entity, id: UUID) -> TraceNode:
    return line_nodes([Line.objects.for_entity(entity).get(pk=id)])[id]


def _scene(entity: Entity, id: UUID) -> TraceNode:
    return over_its_lines(DOWN["scene"](entity, id))


def _scene_version(entity: Entity, id: UUID) -> TraceNode:
    return over_its_lines(DOWN["scene version"](entity, id))


def over_its_lines(scene: TraceNode) -> TraceNode:
    """A scene as `trace` gives it, with the traits above each of its lines instead of what is below."""
    ids = [line.id for line in scene.children if line.id]
    traits = _traits_above("line", ids)
    return _with(scene, tuple(_with(line, tuple(traits[line.id])) for line in scene.children if line.id))


def _trait(entity: Entity, id: UUID) -> TraceNode:
    """Nothing rests on a trait."""
    return trait_node(
        TraitVersion.objects.for_entity(entity).select_related("trait").get(trait=id, is_head=True)
    )


def _trait_version(entity: Entity, id: UUID) -> TraceNode:
    return trait_node(TraitVersion.objects.for_entity(entity).select_related("trait").get(pk=id))


def _correction(entity: Entity, id: UUID) -> TraceNode:
    above = _atoms_above("correction", [id])[id]
    above += _lines_above("correction", [id])[id]
    above += _traits_above("correction", [id])[id]
    return _with(DOWN["correction"](entity, id), tuple(above))


def _with(node: TraceNode, children: Children) -> TraceNode:
    return replace(node, children=children)


def _digest(entity: Entity, id: UUID) -> TraceNode:
    """Nothing rests on a digest."""
    return digest_node(Digest.objects.for_entity(entity).select_related("session").get(pk=id))


UP = {
    "message": _message,
    "atom": _atom,
    "line": _line,
    "scene": _scene,
    "scene version": _scene_version,
    "trait": _trait,
    "trait version": _trait_version,
    "digest": _digest,
    "correction": _correction,
}
