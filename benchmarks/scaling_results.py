"""What the shapes of `benchmarks.scaling` made of the same words, and whether it is the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.models import Entity, Workspace


@dataclass(frozen=True)
class Made:
    """By entity: digests of the messages in their order, and of the layers. No id and no time is in them."""

    messages: dict[str, str]
    atoms: dict[str, str]
    above: dict[str, str]
    """Of scenes and traits."""
    count: int
    """Messages of all entities."""


def made_of(workspace: Workspace, names: Sequence[str]) -> Made:
    """What stands of these entities; ends the program where one is missing."""
    from benchmarks.snapshot import snapshot
    from memory.ingest.entities import find_entity
    from memory.models import Message

    messages, atoms, above, count = {}, {}, {}, 0
    for name in names:
        entity = find_entity(workspace=workspace, name=name)
        if entity is None:
            raise SystemExit(f"{name} is missing.")
        made = snapshot(entity)
        said = _said(entity)
        messages[name], atoms[name] = _digest(said), _digest(made.atoms)
        above[name] = _digest((made.scenes, made.traits))
        count += Message.objects.for_entity(entity).count()
    return Made(messages, atoms, above, count)


def compare(made: Sequence[Made], *, messages: int) -> dict[str, Any]:
    """How many entities are the same. Ends the program where messages or atoms differ or are missing."""
    first, *others = made
    for other in others:
        for layer in ("messages", "atoms"):
            differing = [
                name
                for name, digest in getattr(first, layer).items()
                if getattr(other, layer)[name] != digest
            ]
            if differing:
                raise SystemExit(f"{layer} differ: {', '.join(differing)}")
    if {one.count for one in made} != {messages}:
        raise SystemExit(f"{messages} messages were sent, {[one.count for one in made]} are stored.")
    same_above = sum(
        all(other.above[name] == digest for other in others) for name, digest in first.above.items()
    )
    return {"same_messages": len(first.messages), "same_atoms": len(first.atoms), "same_above": same_above}


def refuse_problems() -> None:
    """End the program where the checker finds something anywhere: all has come to rest."""
    from memory.stewardship.verify import verify

    if problems := verify(is_settled=True):
        raise SystemExit(f"{len(problems)} problems, the first: {problems[0]}")


def _said(entity: Entity) -> list[tuple[str, int, str]]:
    from memory.models import Message

    rows = Message.objects.for_entity(entity).order_by("session__external_id", "ordinal")
    return list(rows.values_list("session__external_id", "ordinal", "text"))


def _digest(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, ensure_ascii=False).encode()).hexdigest()[:16]
