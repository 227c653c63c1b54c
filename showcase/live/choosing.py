"""The entities of a member's workspaces, and the one that a run wrote to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse

from memory.admin.membership import is_superuser, roles_of, visible
from memory.models import Entity, Run, Session, Workspace
from memory.models.tenancy import SANDBOX_WORKSPACE_ID
from memory.walkthrough.naming import entity_name

PAGE_SIZE = 30
MOST_PAGES = 1_000


@dataclass(frozen=True, slots=True)
class Choice:
    """An entity of the list."""

    name: str
    url: str
    workspace: str
    role: str
    last_said: datetime | None
    paused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """One page of the list."""

    rows: tuple[Choice, ...]
    number: int
    has_more: bool

    @property
    def before(self) -> int:
        """The page before this one."""
        return self.number - 1

    @property
    def after(self) -> int:
        """The page after this one."""
        return self.number + 1


def workspaces_of(request: HttpRequest) -> dict[UUID, str]:
    """The names of the workspaces that the person belongs to."""
    rows = visible(request, Workspace.objects.order_by("name"), "pk")
    return dict(rows.values_list("pk", "name"))


def entities_of(request: HttpRequest, wanted: dict[str, Any], number: int) -> Choices:
    """A page of entities in the order of their names; `wanted` as `ChooseForm` cleans it."""
    rows = _entities(request).select_related("workspace")
    if wanted.get("workspace"):
        rows = rows.filter(workspace=wanted["workspace"])
    else:
        # Visitors' memories are many and short-lived: only whoever asks for them is shown them.
        rows = rows.exclude(workspace=SANDBOX_WORKSPACE_ID)
    if wanted.get("name"):
        rows = rows.filter(name__icontains=wanted["name"])
    said = Session.objects.filter(workspace=OuterRef("workspace"), entity=OuterRef("pk")).order_by()
    latest = said.values("entity").annotate(at=Max("last_message_at")).values("at")
    ordered = rows.annotate(last_said=Subquery(latest)).order_by("name", "pk")
    start = (number - 1) * PAGE_SIZE
    found = list(ordered[start : start + PAGE_SIZE + 1])
    shown = tuple(_choice(request, row) for row in found[:PAGE_SIZE])
    return Choices(shown, number, has_more=len(found) > PAGE_SIZE)


def entity_of_run(request: HttpRequest, run: UUID | str) -> Entity | None:
    """The entity of a run by its id, or of a walkthrough by its name; an entity's own id serves too."""
    entities = _entities(request)
    if isinstance(run, str):
        return entities.filter(name=entity_name(run)).order_by("-created_at").first()
    of_run = visible(request, Run.objects.filter(pk=run), "workspace").values("entity")
    return entities.filter(pk__in=of_run).first() or entities.filter(pk=run).first()


def _entities(request: HttpRequest) -> QuerySet[Entity]:
    return visible(request, Entity.objects.visible(), "workspace")


def _choice(request: HttpRequest, row: Any) -> Choice:
    role = "superuser" if is_superuser(request) else roles_of(request)[row.workspace_id]
    return Choice(
        name=row.name,
        url=reverse("showcase:live_entity", kwargs={"entity_id": row.pk}),
        workspace=row.workspace.name,
        role=role,
        last_said=row.last_said and row.last_said.astimezone(row.zone),
        paused=tuple(row.paused_steps),
    )
