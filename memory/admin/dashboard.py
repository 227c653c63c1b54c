"""The first page: what stands, what waits, what failed and what it cost, of a workspace or an entity."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.timesince import timesince

from memory.admin import figures
from memory.admin.base import WORKSPACES_OFFERED
from memory.admin.charts import Chart, stacked
from memory.admin.membership import can_manage, is_superuser, visible
from memory.cascade.work import INPUTS
from memory.models import Entity, Process, Workspace

ENTITIES_SUGGESTED = 200
ENTITIES_LISTED = 10
SILENT_BEATS = 4
A_MINUTE = timedelta(minutes=1)
PROCESSES_SINCE = timedelta(days=1)
PROCESSES_SHOWN = 10


@dataclass(frozen=True)
class Choice:
    """Whose figures are shown."""

    workspaces: tuple[Workspace, ...]
    workspace: Workspace | None
    entities: tuple[Entity, ...]
    entity: Entity | None
    unknown: str
    """A name that was asked for and is not there."""

    @property
    def counted(self) -> Sequence[UUID]:
        """The entities whose rows are counted."""
        chosen = [self.entity] if self.entity else self.entities[: figures.MOST_ENTITIES]
        return [entity.pk for entity in chosen]

    @property
    def is_partial(self) -> bool:
        """Whether the workspace has more entities than are counted."""
        return self.entity is None and len(self.entities) > figures.MOST_ENTITIES


@dataclass(frozen=True)
class Budget:
    """Tokens of today beside the limit that pauses the workspace."""

    spent: int
    limit: int

    @property
    def percent(self) -> int:
        """How much is used, 100 at most."""
        return min(100, round(100 * self.spent / self.limit)) if self.limit else 0


def with_figures(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The theme's call for its first page: the same number of statements whatever memory holds."""
    chosen = choice(request)
    context["chosen"] = chosen
    context["may_make_workspaces"] = is_superuser(request)
    if chosen.workspace is None:
        return context
    context["may_manage"] = can_manage(request, chosen.workspace.pk)
    return context | _processes() | _standing(chosen) | _spending(chosen)


def choice(request: HttpRequest) -> Choice:
    """What the form above the figures asks for; the first workspace when it asks nothing."""
    rows = visible(request, Workspace.objects.order_by("name"), "pk")
    workspaces = tuple(rows[:WORKSPACES_OFFERED])
    workspace = _workspace(workspaces, request.GET)
    entities = tuple(figures.entities_of(workspace.pk)) if workspace else ()
    name = request.GET.get("entity", "").strip()
    entity = next((one for one in entities if one.name == name), None)
    if name and entity is None and workspace is not None:
        entity = Entity.objects.for_workspace(workspace.pk).filter(name=name).first()
    return Choice(workspaces, workspace, entities, entity, unknown="" if entity else name)


def _workspace(offered: Sequence[Workspace], asked: QueryDict) -> Workspace | None:
    by_id = {str(workspace.pk): workspace for workspace in offered}
    return by_id.get(asked.get("workspace", "")) or (offered[0] if offered else None)


def _standing(chosen: Choice) -> dict[str, Any]:
    assert chosen.workspace is not None  # noqa: S101  # the caller has looked
    entity = chosen.entity.pk if chosen.entity else None
    found = figures.steps(chosen.counted)
    instants = [step.oldest for step in found if step.oldest]
    return {
        "layers": figures.layers(chosen.counted),
        "steps": found,
        "oldest": min(instants) if instants else None,
        "oldest_wait": waited(min(instants)) if instants else "",
        "struggling": figures.struggling(chosen.counted),
        "failures": figures.failures(chosen.workspace.pk, entity),
        "failures_days": figures.FAILURES_SINCE.days,
        "paused": [one for one in chosen.entities if one.paused_steps and one.pk in set(chosen.counted)],
        "count_cap": figures.COUNT_CAP,
        "entities_cap": figures.MOST_ENTITIES,
        "suggested": chosen.entities[:ENTITIES_SUGGESTED],
        "listed": chosen.entities[:ENTITIES_LISTED],
    }


def waited(since: datetime) -> str:
    """How long ago, in words."""
    return timesince(since) if timezone.now() - since >= A_MINUTE else "under a minute"


def _spending(chosen: Choice) -> dict[str, Any]:
    assert chosen.workspace is not None  # noqa: S101  # the caller has looked
    spent = figures.spending(chosen.workspace.pk, chosen.entity.pk if chosen.entity else None)
    return {
        "charts": charts(spent),
        "runs_cap": figures.MOST_RUNS if spent.is_capped else 0,
        "days": figures.DAYS,
        "by_step": by_step(spent),
        "budget": None if chosen.entity else _budget(chosen.workspace, spent),
    }


def charts(spent: figures.Spending) -> tuple[Chart, ...]:
    """Tokens, cost and failures by day, one colour a step."""
    known = [str(step) for step in INPUTS]
    series = [*known, *sorted({row.step for row in spent.rows} - set(known))]
    tokens = [(row.day, row.step, row.tokens) for row in spent.rows]
    cost = [(row.day, row.step, row.cost) for row in spent.rows]
    failed = [(row.day, row.step, row.failed) for row in spent.rows]
    return (
        stacked("Tokens a day", spent.days, tokens, series=series),
        stacked("Cost a day", spent.days, cost, series=series, unit="$"),
        stacked("Failed runs a day", spent.days, failed, series=series),
    )


def by_step(spent: figures.Spending) -> list[dict[str, Any]]:
    """The days together, step by step; steps that never ran are left out."""
    listed = []
    for step in sorted({row.step for row in spent.rows}):
        rows = [row for row in spent.rows if row.step == step]
        names = ("runs", "failed", "tokens_in", "tokens_out", "cost", "priced")
        listed.append({"step": step} | {name: sum(getattr(row, name) for row in rows) for name in names})
    return listed


def _budget(workspace: Workspace, spent: figures.Spending) -> Budget:
    own = workspace.daily_token_budget
    limit = settings.MEMSEEK.budget.workspace_daily_tokens if own is None else own
    return Budget(spent.today, limit)


def _processes() -> dict[str, Any]:
    """Signs of life of the whole installation: workers serve every workspace."""
    now = timezone.now()
    silent = timedelta(seconds=settings.MEMSEEK.heartbeat_seconds * SILENT_BEATS)
    seen = Process.objects.filter(seen_at__gte=now - PROCESSES_SINCE).order_by("-seen_at")[:PROCESSES_SHOWN]
    found = [(one, one.seen_at >= now - silent) for one in seen]
    living = [one for one, is_living in found if is_living]
    workers = [process for process in living if process.kind == Process.Kind.WORKER]
    return {
        "processes": found,
        "worker": workers[0] if workers else None,
        "worker_seconds": round((now - workers[0].seen_at).total_seconds()) if workers else None,
        "is_configured_alike": len({process.configuration_hash for process in living}) < 2,
        "is_llm_fake": settings.MEMSEEK.is_llm_fake,
    }
