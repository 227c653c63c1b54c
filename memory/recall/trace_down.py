"""From a record down to the words. Each layer is read whole in one statement, then the next below it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from uuid import UUID

from memory.models import (
    Atom,
    Correction,
    Digest,
    Entity,
    Evidence,
    Line,
    Message,
    Scene,
    SceneVersion,
    TraitVersion,
)
from memory.recall.records import TraceNode
from memory.recall.trace_nodes import (
    Children,
    atom_node,
    correction_node,
    digest_node,
    line_node,
    message_node,
    outside_node,
    trait_node,
)


def _receipts(column: str, ids: Collection[UUID], *targets: str) -> dict[UUID, list[Evidence]]:
    """Receipts by the row they stand for, with their targets loaded, in the order they were given."""
    found = Evidence.objects.filter(**{f"{column}__in": ids}).select_related(*targets, "correction__user")
    grouped: dict[UUID, list[Evidence]] = defaultdict(list)
    for receipt in found.order_by("id"):
        grouped[getattr(receipt, f"{column}_id")].append(receipt)
    return grouped


def _atom_nodes(entity: Entity, atoms: Iterable[Atom]) -> dict[UUID, TraceNode]:
    rows = {atom.pk: atom for atom in atoms}
    receipts = _receipts("of_atom", rows.keys(), "message__session")
    replaced: dict[UUID, list[Atom]] = defaultdict(list)
    for old in Atom.objects.for_entity(entity).filter(superseded_by__in=rows.keys()):
        replaced[old.superseded_by_id].append(old)  # type: ignore[index]
    return {
        id: atom_node(
            atom, tuple(_below_atom(entity, receipt) for receipt in receipts[id]), replaced=replaced[id]
        )
        for id, atom in rows.items()
    }


def _below_atom(entity: Entity, receipt: Evidence) -> TraceNode:
    if receipt.message is not None:
        return message_node(entity, receipt.message, is_repeat=receipt.role == Evidence.Role.REPEAT)
    return correction_node(receipt.correction) if receipt.correction else outside_node(receipt)


def line_nodes(entity: Entity, lines: Iterable[Line]) -> dict[UUID, TraceNode]:
    """Lines with the claims and corrections that they rest on, and what is below these."""
    rows = {line.pk: line for line in lines}
    receipts = _receipts("of_line", rows.keys(), "atom")
    cited = [receipt.atom for found in receipts.values() for receipt in found if receipt.atom]
    atoms = _atom_nodes(entity, cited)
    return {id: line_node(line, _below(receipts[id], "atom", atoms)) for id, line in rows.items()}


def _below(receipts: list[Evidence], column: str, nodes: dict[UUID, TraceNode]) -> Children:
    """Nodes of the layer below, and of corrections, in the order of the receipts."""
    return tuple(
        correction_node(receipt.correction) if receipt.correction else nodes[getattr(receipt, f"{column}_id")]
        for receipt in receipts
    )


def _message(entity: Entity, id: UUID) -> TraceNode:
    return message_node(entity, Message.objects.for_entity(entity).select_related("session").get(pk=id))


def _atom(entity: Entity, id: UUID) -> TraceNode:
    return _atom_nodes(entity, [Atom.objects.for_entity(entity).get(pk=id)])[id]


def _line(entity: Entity, id: UUID) -> TraceNode:
    return line_nodes(entity, [Line.objects.for_entity(entity).get(pk=id)])[id]


def _scene(entity: Entity, id: UUID) -> TraceNode:
    scene = Scene.objects.for_entity(entity).get(pk=id)
    return _version_node(entity, SceneVersion.objects.heads().select_related("scene").get(scene=scene))


def _scene_version(entity: Entity, id: UUID) -> TraceNode:
    return _version_node(entity, SceneVersion.objects.for_entity(entity).select_related("scene").get(pk=id))


def _version_node(entity: Entity, version: SceneVersion) -> TraceNode:
    lines = list(version.lines.order_by("places__position"))
    nodes = line_nodes(entity, lines)
    facts = {"version": str(version.number), "status": version.scene.get_status_display()}
    if not version.is_head:
        facts["status"] = "earlier version"
    children = tuple(nodes[line.pk] for line in lines)
    return TraceNode("L2", "scene", version.scene_id, version.title, facts, children)


def _trait(entity: Entity, id: UUID) -> TraceNode:
    return _trait_node(
        entity, TraitVersion.objects.for_entity(entity).select_related("trait").get(trait=id, is_head=True)
    )


def _trait_version(entity: Entity, id: UUID) -> TraceNode:
    return _trait_node(entity, TraitVersion.objects.for_entity(entity).select_related("trait").get(pk=id))


def _trait_node(entity: Entity, version: TraitVersion) -> TraceNode:
    receipts = _receipts("of_trait_version", [version.pk], "line")[version.pk]
    lines = line_nodes(entity, [receipt.line for receipt in receipts if receipt.line])
    return trait_node(version, _below(receipts, "line", lines))


def _digest(entity: Entity, id: UUID) -> TraceNode:
    digest = Digest.objects.for_entity(entity).select_related("session").get(pk=id)
    receipts = _receipts("of_digest", [id], "message__session")[id]
    said = [receipt.message for receipt in receipts if receipt.message]
    covered = tuple(message_node(entity, message) for message in sorted(said, key=lambda row: row.ordinal))
    return digest_node(digest, covered)


def _correction(entity: Entity, id: UUID) -> TraceNode:
    return correction_node(Correction.objects.for_entity(entity).select_related("user").get(pk=id))


DOWN = {
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
