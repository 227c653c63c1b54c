"""Corrections and erasing for members, whether or not the admin lets them in: the same changes, asked here.

What may be changed, who may ask for it and what it does is said by the changes of the admin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.admin.models import CHANGE
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memory.admin import atom_changes, erasing_changes, scene_changes, trait_changes
from memory.admin.audit import note
from memory.admin.changes import Change, ChangeForm, actor_of
from memory.models import Atom, Entity, Erasure, Message, Scene, Trait
from memory.recall.short_ids import short_id
from memory.stewardship.actors import RefusedChangeError
from showcase.access import Scope, live_scope
from showcase.links import overview_url, persona_url, record_url
from showcase.live.signing_in import signed_in
from showcase.parts import Crumb

PAGE = "showcase/live/change.html"
TABLES: Mapping[str, tuple[Any, tuple[Change, ...]]] = {
    "atom": (Atom, (atom_changes.SUPERSEDE, atom_changes.RETRACT, atom_changes.RESTORE)),
    "message": (Message, (erasing_changes.ERASE_MESSAGES,)),
    "scene": (
        Scene,
        (scene_changes.PIN, scene_changes.MERGE, scene_changes.RESTORE, scene_changes.RETIRE),
    ),
    "trait": (Trait, (trait_changes.SET, trait_changes.RESTORE, trait_changes.RETRACT)),
    "entity": (Entity, (trait_changes.SET_SLOT,)),
    "erasure": (Erasure, (erasing_changes.ERASE,)),
}
CHANGES = {(table, one.name): one for table, (_, changes) in TABLES.items() for one in changes}
WORDS_SHOWN = 500


def change_url(scope: Scope, table: str, id: UUID, name: str) -> str:
    """The page that asks for a change of a row."""
    return reverse(
        "showcase:live_change", kwargs={**scope.parameters, "table": table, "id": id, "name": name}
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def change(request: HttpRequest, entity_id: UUID, table: str, id: UUID, name: str) -> HttpResponse:
    """Say what will happen and ask why; do it when that is answered. Http404 for whom it is not open to."""
    scope = live_scope(request, entity_id)
    wanted = CHANGES.get((table, name))
    if wanted is None or not scope.allows(wanted.duty):
        raise Http404
    row = _row(scope, table, id)
    back = _page_of(scope, table, row)
    is_answered = request.method == "POST" and wanted.fits(row)
    form = wanted.form(
        request.POST if is_answered else None, rows=[row], initial=_initial(request, wanted, row)
    )
    if is_answered and form.is_valid():
        try:
            given = _apply(request, wanted, row, form)
        except RefusedChangeError as error:
            form.add_error(None, str(error))
        else:
            return redirect(_onward(scope, given) or back)
    context = {
        "change": wanted,
        "fits": wanted.fits(row),
        "form": form,
        "words": "" if isinstance(row, Entity) else str(row)[:WORDS_SHOWN],
        "details": dict(wanted.details(row)),
        "back": back,
        "crumbs": _crumbs(scope, Crumb(f"{table.capitalize()} {short_id(id)}", back), Crumb(wanted.label)),
    }
    return render(request, PAGE, context)


def _crumbs(scope: Scope, *more: Crumb) -> tuple[Crumb, ...]:
    return (Crumb("Live", reverse("showcase:live")), Crumb(scope.entity.name, overview_url(scope)), *more)


def _row(scope: Scope, table: str, id: UUID) -> Any:
    """A row of the entity; Http404."""
    if table == "entity":
        if id != scope.entity.pk:
            raise Http404
        return scope.entity
    model, _ = TABLES[table]
    rows = model.objects.filter(workspace=scope.entity.workspace_id, entity=scope.entity)
    return get_object_or_404(rows.select_related("entity__workspace"), pk=id)


def _initial(request: HttpRequest, wanted: Change, row: Any) -> Mapping[str, Any]:
    """What the address carries goes before what is current now: a person decides on what was shown."""
    carried = {name: request.GET.get(name, value) for name, value in wanted.carried(row).items()}
    return {**wanted.initial(row), **carried}


def _apply(request: HttpRequest, wanted: Change, row: Any, form: ChangeForm) -> object:
    """Have it done and logged; RefusedChangeError."""
    if wanted.apply_to_all is not None:
        given = wanted.apply_to_all([row], actor_of(request), form.cleaned_data)
    else:
        given = wanted.apply(row, actor_of(request), form.cleaned_data)
    note(request, [row], CHANGE, wanted.label)
    return given


def _onward(scope: Scope, given: object) -> str:
    """Where what came of it is seen: a corrected claim, or an erase that is to be confirmed."""
    if isinstance(given, Atom):
        return record_url(scope, "atom", given.pk)
    if isinstance(given, Erasure) and erasing_changes.ERASE.fits(given):
        return change_url(scope, "erasure", given.pk, erasing_changes.ERASE.name)
    return overview_url(scope) if isinstance(given, Erasure) else ""


def _page_of(scope: Scope, table: str, row: Any) -> str:
    """The page to which whoever leaves it as it is goes back."""
    if table in ("atom", "message", "scene"):
        return record_url(scope, table, row.pk)
    return overview_url(scope) if table == "erasure" else persona_url(scope)
