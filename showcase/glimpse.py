"""The first lines of each layer: what the landing page shows, in one small statement a layer."""

from __future__ import annotations

from dataclasses import dataclass

from memory.models import Atom, Entity, Message, SceneVersion, TraitVersion

LINES = 3


@dataclass(frozen=True)
class Glimpse:
    """A few rows of every layer."""

    messages: tuple[Message, ...]
    atoms: tuple[Atom, ...]
    scenes: tuple[SceneVersion, ...]
    traits: tuple[TraitVersion, ...]


def glimpse_of(entity: Entity) -> Glimpse:
    """The latest words, the weightiest atoms, the first scenes and traits."""
    messages = Message.objects.for_entity(entity).defer("attachment_text", "metadata", "tool_calls")
    atoms = Atom.objects.for_entity(entity).live().defer("terms")
    traits = TraitVersion.objects.for_entity(entity).live().select_related("trait")
    return Glimpse(
        messages=tuple(messages.exclude(text="").order_by("-seq")[:LINES])[::-1],
        atoms=tuple(atoms.order_by("-priority", "seq")[:LINES]),
        scenes=tuple(SceneVersion.objects.for_entity(entity).live()[:LINES]),
        traits=tuple(traits[:LINES]),
    )
