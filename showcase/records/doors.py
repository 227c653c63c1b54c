"""What a member may have changed about a record: ways to pages that ask why and confirm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse

from memory.admin import atom_changes, erasing_changes, scene_changes, trait_changes
from memory.admin.changes import Change
from memory.admin.membership import Duty
from memory.models import Atom, Message, Scene, Trait
from memory.recall.persona_reading import TraitHistory
from showcase.access import Scope
from showcase.live.changing import change_url
from showcase.parts import Action

Doors = tuple[Action, ...]


def atom_doors(request: HttpRequest, scope: Scope, atom: Atom) -> Doors:
    """Correct, retract, restore; the row itself."""
    changes = (atom_changes.SUPERSEDE, atom_changes.RETRACT, atom_changes.RESTORE)
    return _doors(request, scope, "atom", atom, changes)


def message_doors(request: HttpRequest, scope: Scope, message: Message) -> Doors:
    """Erase; the row itself."""
    return _doors(request, scope, "message", message, (erasing_changes.ERASE_MESSAGES,))


def scene_doors(request: HttpRequest, scope: Scope, scene: Scene, number: int) -> Doors:
    """Edit, pin, merge, restore, retire; `number` is that of the current version."""
    edit = scene_changes.EDIT
    changes = (scene_changes.PIN, scene_changes.MERGE, scene_changes.RESTORE, scene_changes.RETIRE)
    doors = _doors(request, scope, "scene", scene, changes, base=number)
    # A whole page in Markdown is edited in the admin alone.
    if not (_is_let_in(request, scope) and scope.allows(edit.duty) and edit.fits(scene)):
        return doors
    return (Action(edit.label, reverse("admin:memory_scene_edit", args=[scene.pk])), *doors)


def trait_doors(request: HttpRequest, scope: Scope, trait: TraitHistory) -> Doors:
    """Correct, restore a wording, retract; the row itself."""
    restore = () if trait.is_live and trait.total == 1 else (trait_changes.RESTORE,)
    changes = (trait_changes.SET, *restore, trait_changes.RETRACT)
    row = Trait(pk=trait.id, status=trait.status)
    return _doors(request, scope, "trait", row, changes)


def slot_doors(request: HttpRequest, scope: Scope) -> Doors:
    """Say something where the persona says nothing yet."""
    change = trait_changes.SET_SLOT
    if not scope.allows(change.duty):
        return ()
    return (Action(change.label, _address(request, scope, "entity", scope.entity.pk, change)),)


def _doors(
    request: HttpRequest, scope: Scope, table: str, row: Any, changes: Iterable[Change], **carried: object
) -> Doors:
    """What the duties allow, and the row's page for whom the admin lets in; visitors have no duties."""
    query = f"?{urlencode(carried)}" if carried else ""
    offered = tuple(
        Action(change.label, _address(request, scope, table, row.pk, change) + query)
        for change in changes
        if scope.allows(change.duty) and change.fits(row)
    )
    if not (_is_let_in(request, scope) and scope.allows(Duty.VIEW)):
        return offered
    return (*offered, Action("See it in the admin", reverse(f"admin:memory_{table}_change", args=[row.pk])))


def _address(request: HttpRequest, scope: Scope, table: str, id: UUID, change: Change) -> str:
    """The admin's page for whom it lets in, else the live view's own."""
    if _is_let_in(request, scope):
        return reverse(f"admin:memory_{table}_do", args=[id, change.name])
    return change_url(scope, table, id, change.name)


def _is_let_in(request: HttpRequest, scope: Scope) -> bool:
    """Whether the admin opens to the person; visitors have no duties, and are not asked who they are."""
    return bool(scope.duties) and bool(getattr(request.user, "is_staff", False))
