"""Who sees whose memory: everybody the demonstration's, visitors their sandbox, members their workspaces.

A page is given a `Scope`: an entity, and the place in which it is looked at. What somebody may not see is
not found: nobody is told that it exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec
from uuid import UUID

from django.conf import settings
from django.db.models import OuterRef, Subquery
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from memory.ingest.sandbox import sandboxes
from memory.models import Entity, Member
from showcase.demonstration import tour_entity
from showcase.live.signing_in import ask_to_sign_in

if TYPE_CHECKING:
    from memory.admin.membership import Duty

SANDBOX_KEY = "sandbox_entity"
"""Where the session of a visitor keeps the id of the sandbox that was made for it."""

Parameters = ParamSpec("Parameters")
ScopedView = Callable[Concatenate[HttpRequest, "Scope", Parameters], HttpResponseBase]


class Place(StrEnum):
    """Where a memory is looked at; also the namespace of its addresses."""

    DEMO = "demo"
    LIVE = "live"
    SANDBOX = "sandbox"


@dataclass(frozen=True)
class Scope:
    """An entity in a place, and what the person who looks may do there."""

    entity: Entity
    place: Place
    duties: frozenset[Duty] = frozenset()

    @property
    def parameters(self) -> dict[str, Any]:
        """What its addresses carry: members look at many entities, a visitor at one."""
        return {"entity_id": self.entity.pk} if self.place is Place.LIVE else {}

    def allows(self, duty: Duty) -> bool:
        """Whether the person has a duty here."""
        return duty in self.duties


def demo_scope() -> Scope | None:
    """The tour's memory; None before there is one."""
    entity = tour_entity()
    return Scope(entity, Place.DEMO) if entity else None


def live_scope(request: HttpRequest, entity_id: UUID) -> Scope:
    """An entity of a workspace that the signed-in person belongs to; Http404 for any other."""
    # Loads the admin, whose theme loads our template tags, and these load this module.
    from memory.admin.membership import Duty, duties_of, is_superuser

    role = Member.objects.filter(workspace=OuterRef("workspace"), user=request.user.pk).values("role")[:1]
    rows = Entity.objects.visible().select_related("workspace").annotate(role=Subquery(role))
    entity: Any = rows.filter(pk=entity_id).first()
    duties = frozenset(Duty) if is_superuser(request) else duties_of(entity and entity.role)
    if entity is None or Duty.VIEW not in duties:
        raise Http404
    return Scope(entity, Place.LIVE, duties)


def sandbox_scope(request: HttpRequest) -> Scope:
    """The sandbox that this visitor's session was given; Http404 when there is none, or none any more."""
    scope = own_sandbox(request)
    if scope is None:
        raise Http404
    return scope


def own_sandbox(request: HttpRequest) -> Scope | None:
    """The same; None for a visitor who has none yet, whose time is over, or where there are none at all."""
    found = request.session.get(SANDBOX_KEY) if settings.MEMSEEK.sandbox.is_on else None
    entity = found and sandboxes().select_related("workspace").filter(pk=found).first()
    return Scope(entity, Place.SANDBOX) if entity else None


def scope_of(request: HttpRequest, place: Place, entity_id: UUID | None = None) -> Scope:
    """The scope of an address; Http404 when the visitor may not see it, or there is nothing to see."""
    if place is Place.LIVE and entity_id is not None:
        return live_scope(request, entity_id)
    scope = sandbox_scope(request) if place is Place.SANDBOX else demo_scope()
    if scope is None:
        raise Http404
    return scope


def scoped(view: ScopedView[Parameters]) -> Callable[..., HttpResponseBase]:
    """A view that is given a scope in place of the `place` and `entity_id` of its address.

    Whoever is not signed in is asked to before anything of a member's memory is looked for.
    """

    @wraps(view)
    def found(
        request: HttpRequest, *args: Any, place: str, entity_id: UUID | None = None, **kwargs: Any
    ) -> HttpResponseBase:
        if place == Place.LIVE and not request.user.is_authenticated:
            return ask_to_sign_in(request)
        return view(request, scope_of(request, Place(place), entity_id), *args, **kwargs)

    return found
