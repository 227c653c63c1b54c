"""Who sees and manages which workspace in the admin: superusers all, others those they are a member of."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest

from memory.models import Member


def is_superuser(request: HttpRequest) -> bool:
    """Whether every workspace is open to the signed-in person."""
    return bool(request.user.is_active and request.user.is_superuser)


def roles_of(request: HttpRequest) -> Mapping[UUID, str]:
    """The signed-in person's role by workspace; read once a request."""
    if request.user.pk is None:
        return {}
    found: Mapping[UUID, str] | None = getattr(request, "workspace_roles", None)
    if found is None:
        members = Member.objects.filter(user_id=request.user.pk)
        found = dict(members.values_list("workspace_id", "role"))
        request.workspace_roles = found  # type: ignore[attr-defined]
    return found


def can_view(request: HttpRequest, workspace_id: UUID | None) -> bool:
    """Whether one workspace may be seen; without one: whether any may."""
    if is_superuser(request):
        return True
    return workspace_id in roles_of(request) if workspace_id else bool(roles_of(request))


def can_manage(request: HttpRequest, workspace_id: UUID | None) -> bool:
    """Whether one workspace may be managed; without one: whether any may."""
    if is_superuser(request):
        return True
    managed = managed_workspaces(request)
    return workspace_id in managed if workspace_id else bool(managed)


def managed_workspaces(request: HttpRequest) -> frozenset[UUID]:
    """Workspaces of which the signed-in person is an operator."""
    operators = (pk for pk, role in roles_of(request).items() if role == Member.Role.OPERATOR)
    return frozenset(operators)


def visible(request: HttpRequest, rows: QuerySet[Any], path: str) -> QuerySet[Any]:
    """The rows whose workspace, found at `path`, the signed-in person may see."""
    if is_superuser(request):
        return rows
    return rows.filter(**{f"{path}__in": list(roles_of(request))})
