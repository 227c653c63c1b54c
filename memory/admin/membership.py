"""Who sees and does what in the admin: superusers everything, others by their role in a workspace.

`DUTIES` is the only place that says which role may do what; docs/admin.md shows it as a table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest

from memory.models import Member

Role = Member.Role


class Duty(StrEnum):
    """Something that only some people of a workspace may do."""

    VIEW = "view"
    CORRECT = "correct"
    REVIEW = "review"
    RETRY = "retry"
    ERASE = "erase"
    MANAGE = "manage"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a duty covers, in words for people, and who has it."""

    covers: str
    roles: frozenset[str]


_EVERYBODY = frozenset(Role.values)
_REVIEWERS = frozenset({Role.REVIEWER, Role.OPERATOR})
_OPERATORS = frozenset({Role.OPERATOR})

DUTIES: Mapping[Duty, Rule] = {
    Duty.VIEW: Rule("see the rows of the workspace, with receipts, runs and figures", _EVERYBODY),
    Duty.CORRECT: Rule(
        "retract, restore, supersede, edit, pin, merge and retire what was derived", _REVIEWERS
    ),
    Duty.REVIEW: Rule("approve, edit, reject, roll back and retire procedures", _REVIEWERS),
    Duty.RETRY: Rule("put parked inputs back in line", _OPERATORS),
    Duty.ERASE: Rule("forget and erase words, with everything drawn from them", _OPERATORS),
    Duty.MANAGE: Rule(
        "make and revoke keys; set members, pauses, budgets, designs, policies and live sources", _OPERATORS
    ),
}


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


def duties_of(role: str | None) -> frozenset[Duty]:
    """What a role in a workspace brings along; nothing without one."""
    return frozenset(duty for duty, rule in DUTIES.items() if role in rule.roles)


def may(request: HttpRequest, duty: Duty, workspace_id: UUID | None) -> bool:
    """Whether the person has a duty in one workspace; without one: whether in any."""
    if is_superuser(request):
        return True
    open_to = workspaces_for(request, duty)
    return workspace_id in open_to if workspace_id else bool(open_to)


def workspaces_for(request: HttpRequest, duty: Duty) -> frozenset[UUID]:
    """Workspaces in which the signed-in person has a duty by role."""
    roles = DUTIES[duty].roles
    return frozenset(pk for pk, role in roles_of(request).items() if role in roles)


def can_view(request: HttpRequest, workspace_id: UUID | None) -> bool:
    """Whether one workspace may be seen; without one: whether any may."""
    return may(request, Duty.VIEW, workspace_id)


def can_manage(request: HttpRequest, workspace_id: UUID | None) -> bool:
    """Whether one workspace may be managed; without one: whether any may."""
    return may(request, Duty.MANAGE, workspace_id)


def managed_workspaces(request: HttpRequest) -> frozenset[UUID]:
    """Workspaces of which the signed-in person is an operator."""
    return workspaces_for(request, Duty.MANAGE)


def visible(request: HttpRequest, rows: QuerySet[Any], path: str) -> QuerySet[Any]:
    """The rows whose workspace, found at `path`, the signed-in person may see."""
    if is_superuser(request):
        return rows
    return rows.filter(**{f"{path}__in": list(roles_of(request))})
