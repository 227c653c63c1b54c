"""A procedure's way round the loop, and what a visitor may do about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from memory.admin.membership import Duty, may
from memory.models import ProcedureVersion
from memory.recall.short_ids import short_id
from memory.walkthrough.naming import PREFIX, RUN_ID_VARIABLE
from showcase.access import Scope
from showcase.parts import Action, Code
from showcase.skills.reading import Rows, Status
from showcase.skills.records import Chosen, Loop, Station, Waiting
from showcase.skills.telling import traces_of, versions_of


def loop_of(request: HttpRequest, scope: Scope, rows: Rows) -> Loop:
    """Everything about a procedure; who may review it gets the ways to the forms of the admin.

    Only members of the workspace are told who decided.
    """
    draft = next((row for row in rows.versions if row.status == Status.DRAFT), None)
    waiting = waiting_of(request, scope, draft, rows.procedure.active_number) if draft else None
    url, numbers = skill_url(rows.procedure), [row.number for row in rows.versions]
    traces = traces_of(scope, rows)
    return Loop(
        title=rows.procedure.title or rows.procedure.slug,
        stations=_stations(rows, len(traces)),
        versions=versions_of(
            scope, rows, waiting, names_people=may(request, Duty.VIEW, scope.entity.workspace_id)
        ),
        older_url=f"{url}?before={numbers[-1]}" if rows.has_older else "",
        newest_url=url if numbers and numbers[0] < rows.procedure.newest_number else "",
        traces=traces,
        use_count=rows.uses[0].total if rows.uses else 0,
        feedback_count=rows.feedback[0].total if rows.feedback else 0,
    )


def skill_url(procedure: Any) -> str:
    """The page of a procedure."""
    return reverse("showcase:skill", args=[procedure.pk])


def choices(procedures: Iterable[Any], here: Any) -> tuple[Chosen, ...]:
    """The list of procedures, each with how it stands."""
    return tuple(
        Chosen(row.title or row.slug, _standing(row), skill_url(row), row.pk == here.pk) for row in procedures
    )


def _standing(row: Any) -> str:
    if row.status != "live":
        return str(row.status)
    said = [f"version {row.active_number} is active"] if row.active_number else []
    said += [f"draft {row.draft_number} waits"] if row.draft_number else []
    return ", ".join(said) or "no version is active"


def _stations(rows: Rows, traces: int) -> tuple[Station, ...]:
    procedure, reviewed = rows.procedure, any(row.reviews.all() for row in rows.versions)
    draft, active = procedure.draft_number, procedure.active_number
    uses = rows.uses[0].total if rows.uses else 0
    opinions = rows.feedback[0].total if rows.feedback else 0
    is_next = bool(active and draft)
    return (
        Station("Trace", _counted(traces, "task"), "traces", "done" if traces else "ahead"),
        Station(
            "Draft", f"version {rows.versions[-1].number}" if rows.versions else "none", "versions", "done"
        ),
        Station(
            "Review",
            "waits for a reviewer" if draft else "decided" if reviewed else "none yet",
            f"version-{draft}" if draft else "versions",
            "waits" if draft else "done" if reviewed else "ahead",
        ),
        Station(
            "Active",
            f"version {active}" if active else "none yet",
            f"version-{active}",
            "done" if active else "ahead",
        ),
        Station("Use", _counted(uses, "use"), f"version-{active}", "done" if uses else "ahead"),
        Station(
            "Feedback",
            f"{opinions} given" if opinions else "none yet",
            f"version-{active}",
            "done" if opinions else "ahead",
        ),
        Station(
            "Next draft",
            f"version {draft}" if is_next else "none yet",
            f"version-{draft}",
            "waits" if is_next else "ahead",
        ),
    )


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}" if count else "none yet"


def waiting_of(request: HttpRequest, scope: Scope, draft: ProcedureVersion, active: int | None) -> Waiting:
    """What can be done about a draft: forms of the admin for reviewers, the command for everybody else."""
    is_reviewer = may(request, Duty.REVIEW, scope.entity.workspace_id)
    sign_in = f"{reverse('admin:login')}?{urlencode({'next': request.get_full_path()})}"
    return Waiting(
        actions=_forms(draft, active) if is_reviewer else (),
        code=Code(_command(scope, draft), "At a terminal of this machine"),
        sign_in_url="" if request.user.is_authenticated else sign_in,
    )


def _forms(draft: ProcedureVersion, active: int | None) -> tuple[Action, ...]:
    base = f"?{urlencode({'base': active})}" if active else ""
    page = "admin:memory_procedureversion"
    return (
        Action("Approve", reverse(f"{page}_do", args=[draft.pk, "approve"]) + base),
        Action("Edit and approve", reverse(f"{page}_edit", args=[draft.pk])),
        Action("Reject", reverse(f"{page}_do", args=[draft.pk, "reject"])),
    )


def _command(scope: Scope, draft: ProcedureVersion) -> str:
    run = shlex.quote(scope.entity.name.removeprefix(PREFIX))
    start = f"{RUN_ID_VARIABLE}={run} python manage.py walkthrough --no-tour"
    return f"{start}\nprocedure approve {short_id(draft.pk)}"
