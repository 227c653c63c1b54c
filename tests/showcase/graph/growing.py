"""A larger memory: sessions, topics, chains and scenes in numbers."""

from django.db import transaction

from memory.models import Entity
from tests.factories import NewLine, make_atom, make_message, make_next_version, make_scene

MESSAGES_OF_A_TOPIC = 12


def grow(entity: Entity, *, topics: int = 12) -> None:
    """About 25 nodes for each topic: messages of one session, an atom of each, one of them superseded."""
    with transaction.atomic():
        for number in range(topics):
            _topic(entity, number)


def _topic(entity: Entity, number: int) -> None:
    name = f"Service {number}"
    messages = [
        make_message(entity, f"{name} runs on port {8000 + place}.", session=f"talk-{number}")
        for place in range(MESSAGES_OF_A_TOPIC)
    ]
    atoms = [make_atom(entity, message.text, [message], topic=name) for message in messages[:-1]]
    newest = make_atom(entity, messages[-1].text, messages[-1:], topic=name, replaces=atoms[-1])
    if number < 8:
        lines = [NewLine("work_context", atom.text, [atom]) for atom in [*atoms[:4], newest]]
        version = make_scene(entity, name, lines)
        make_next_version(version, added=[NewLine("core_sop", f"Restart {name} first.", atoms[4:6])])
