"""Scenes, persona and standing rules on top of atoms that were copied, for contexts with all blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.models import Entity

SCENES = 15
LINES_OF_A_SCENE = 14
"""About 1,600 characters, which is what a scene aims at."""
RULES = 40
RULE_CHARACTERS = 120
SECTIONS = ("work_context", "core_sop", "decision_logic", "prohibitions", "key_evidence")


def add_ladder(entity: Entity) -> None:
    """Give an entity fifteen scenes, five traits and some rules, in the words of its atoms, indexed.

    An entity of few atoms gets fewer.
    """
    from django.db import transaction

    from memory.indexing.step import index_entity
    from memory.models import Atom, Message

    atoms = list(Atom.objects.for_entity(entity).order_by("seq")[: SCENES * LINES_OF_A_SCENE])
    parts = [atoms[start : start + LINES_OF_A_SCENE] for start in range(0, len(atoms), LINES_OF_A_SCENE)]
    with transaction.atomic():
        _add_persona(entity, [_add_scene(entity, number, part) for number, part in enumerate(parts)])
        _add_rules(entity, Message.objects.for_entity(entity).order_by("seq")[:RULES])
    index_entity(entity_id=entity.pk)


def _add_rules(entity: Entity, messages: Iterable[Any]) -> None:
    from tests.factories import make_rule

    for message in messages:
        make_rule(entity, f"Never {message.text}"[:RULE_CHARACTERS], [message])


def _add_scene(entity: Entity, number: int, atoms: Sequence[Any]) -> Any:
    from tests.factories import NewLine, make_scene

    lines = [NewLine(SECTIONS[place % len(SECTIONS)], atom.text, [atom]) for place, atom in enumerate(atoms)]
    return make_scene(entity, f"Scene {number}", lines, summary=f"What is kept of {atoms[0].text}.")


def _add_persona(entity: Entity, versions: Sequence[Any]) -> None:
    from memory.models import Trait
    from tests.factories import make_trait

    for slot, version in zip(Trait.Slot.values, versions, strict=False):
        line = version.lines.first()
        make_trait(entity, slot, line.text, [line])
