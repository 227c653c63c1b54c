"""What people do to a memory: each deed picks one of the rows that are there, and may be refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet

from memory.models import Atom, Entity, Scene, SceneVersion, Trait
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from memory.stewardship.correcting_atoms import restore_atom, retract_atom, supersede_atom
from memory.stewardship.correcting_scenes import (
    edit_scene,
    merge_scenes,
    pin_lines,
    restore_scene,
    retire_scene,
)
from memory.stewardship.correcting_traits import restore_trait, retract_trait, set_trait
from tests.cascade.chaos import SLOTS
from tests.stewardship.people import markdown

DANA: dict[str, Any] = {"actor": Actor(name="dana"), "reason": "it is wrong"}

Row = TypeVar("Row")


def picked(rows: Sequence[Row], pick: int) -> Row | None:
    """One of the rows, None when there is none."""
    return rows[pick % len(rows)] if rows else None


def _one(rows: QuerySet[Any], pick: int) -> Any:
    return picked(list(rows.order_by("pk")), pick)


def correct(entity: Entity, pick: int, word: str) -> None:
    if atom := _one(Atom.objects.for_entity(entity).live(), pick):
        supersede_atom(atom=atom, text=f"{atom.text[:300]} Or {word}.", **DANA)


def retract(entity: Entity, pick: int, word: str) -> None:
    if atom := _one(Atom.objects.for_entity(entity).exclude(status=Atom.Status.RETRACTED), pick):
        retract_atom(atom=atom, **DANA)


def restore(entity: Entity, pick: int, word: str) -> None:
    """What holds again waits to be placed again."""
    if atom := _one(Atom.objects.for_entity(entity).dead(), pick):
        restore_atom(atom=atom, **DANA)
        assert Atom.objects.live().pending().filter(pk=atom.pk).exists()


def _refusal(deed: Callable[[], object]) -> type[RefusedChangeError] | None:
    """How a deed was refused; None when it was done."""
    try:
        deed()
    except RefusedChangeError as error:
        return type(error)
    return None


def correct_twice(entity: Entity, pick: int, word: str) -> None:
    """Two people saw the same claim: who comes second is told, and so is who corrects what does not hold."""
    if atom := _one(Atom.objects.for_entity(entity).live(), pick):
        seen = Atom.objects.get(pk=atom.pk)
        text = f"{atom.text[:300]} Or {word}."
        made = supersede_atom(atom=atom, text=text, **DANA)
        assert _refusal(lambda: supersede_atom(atom=seen, text="No.", **DANA)) is StaleChangeError
        assert _refusal(lambda: retract_atom(atom=seen, **DANA)) is StaleChangeError
        atom.refresh_from_db()
        assert _refusal(lambda: supersede_atom(atom=atom, text="No.", **DANA)) is RefusedChangeError
        assert (atom.status, made.status) == (Atom.Status.SUPERSEDED, Atom.Status.LIVE)


def _head(entity: Entity, pick: int) -> SceneVersion | None:
    head: SceneVersion | None = _one(SceneVersion.objects.for_entity(entity).live(), pick)
    return head


def edit(entity: Entity, pick: int, word: str) -> None:
    """Word one line anew."""
    if head := _head(entity, pick):
        text = picked(list(head.lines.values_list("text", flat=True)), pick)
        changed = markdown(head, **{str(text): f"{str(text)[:200]} Says {word}."})
        edit_scene(scene=head.scene, markdown=changed, base=head.number, **DANA)


def shorten(entity: Entity, pick: int, word: str) -> None:
    """Remove one line."""
    if head := _head(entity, pick):
        text = picked(list(head.lines.values_list("text", flat=True)), pick)
        changed = markdown(head, **{str(text): None})
        edit_scene(scene=head.scene, markdown=changed, base=head.number, **DANA)


def pin(entity: Entity, pick: int, word: str) -> None:
    """Pin a line, or unpin it where it is pinned."""
    if (head := _head(entity, pick)) and (line := _one(head.lines.all(), pick // 3)):
        pin_lines(scene=head.scene, lines=[line.pk], is_pinned=not line.is_pinned, base=head.number, **DANA)


def merge(entity: Entity, pick: int, word: str) -> None:
    scenes = list(Scene.objects.for_entity(entity).live().order_by("pk"))
    if len(scenes) > 1:
        into = scenes.pop(pick % len(scenes))
        merge_scenes(into=into, other=scenes[pick // 3 % len(scenes)], **DANA)


def retire(entity: Entity, pick: int, word: str) -> None:
    if head := _head(entity, pick):
        retire_scene(scene=head.scene, **DANA)


def revive(entity: Entity, pick: int, word: str) -> None:
    """Bring back an ended scene, or an earlier version of a live one."""
    if scene := _one(Scene.objects.for_entity(entity), pick):
        number = None if scene.status != Scene.Status.LIVE else 1
        restore_scene(scene=scene, number=number, **DANA)


def word_trait(entity: Entity, pick: int, word: str) -> None:
    set_trait(entity=entity, slot=SLOTS[pick % len(SLOTS)], text=f"Cares for {word}.", **DANA)


def retract_a_trait(entity: Entity, pick: int, word: str) -> None:
    if trait := _one(Trait.objects.for_entity(entity), pick):
        retract_trait(trait=trait, **DANA)


def restore_a_trait(entity: Entity, pick: int, word: str) -> None:
    if trait := _one(Trait.objects.for_entity(entity), pick):
        restore_trait(trait=trait, number=None, **DANA)


DEEDS: dict[str, Callable[[Entity, int, str], None]] = {
    deed.__name__: deed
    for deed in (
        *(correct, correct_twice, retract, restore, edit, shorten, pin, merge, retire, revive),
        *(word_trait, retract_a_trait, restore_a_trait),
    )
}
"""By name; `word` is one that nobody said before."""
