"""What the dashboard counts, each figure bounded whatever the tables hold.

A count stops at a cap. Above it, messages and atoms are told by the search index's own counts, which lag by
what waits to be indexed; any other figure says that it is more than the cap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Min, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from memory import queries
from memory.cascade.work import INPUTS
from memory.models import (
    Atom,
    Entity,
    Layer,
    LayerCount,
    Message,
    Run,
    Scene,
    SceneVersion,
    Session,
    Step,
    Trait,
    TraitVersion,
    Unindexed,
    Work,
)

COUNT_CAP = 5_000
MOST_ENTITIES = 1_000
MOST_RUNS = 20_000
DAYS = 30
ROWS_SHOWN = 8
FAILURES_SINCE = timedelta(days=7)
INDEX_STEP = "index"
_WAITS_SINCE = ("queued_at", "recorded_at", "created_at")
"""The columns, one of which every table of inputs has; a session waits since its fold was asked for."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of rows: exact, or `at least` the cap, or estimated by what the index counted."""

    number: int
    is_capped: bool = False
    is_estimate: bool = False

    def __str__(self) -> str:
        mark = "≈ " if self.is_estimate else ""
        return f"{mark}{self.number:,}{'+' if self.is_capped else ''}"


@dataclass(frozen=True, slots=True)
class LayerFigures:
    """One layer: what holds now, and everything that it keeps."""

    name: str
    title: str
    table: str
    heads: Counted
    heads_word: str
    kept: Counted | None
    kept_word: str


@dataclass(frozen=True, slots=True)
class StepFigures:
    """The inputs of one step: how many wait, since when, how many are set aside."""

    step: str
    table: str
    waiting: Counted
    oldest: datetime | None
    parked: Counted


@dataclass(frozen=True, slots=True)
class Spent:
    """What the runs of one step used on one day."""

    day: date
    step: str
    runs: int
    failed: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    priced: int

    @property
    def tokens(self) -> int:
        """In and out together, as budgets count them."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Spending:
    """What was used in the days that the charts show."""

    days: tuple[date, ...]
    rows: tuple[Spent, ...]
    is_capped: bool

    @property
    def today(self) -> int:
        """Tokens since midnight UTC."""
        return sum(row.tokens for row in self.rows if row.day == self.days[-1])


def entities_of(workspace_id: UUID) -> list[Entity]:
    """The newest entities of a workspace, one more than are counted."""
    found = Entity.objects.for_workspace(workspace_id).order_by("-pk")
    return list(found.only("name", "paused_steps", "created_at")[: MOST_ENTITIES + 1])


def layers(entities: Sequence[UUID]) -> tuple[LayerFigures, ...]:
    """The four layers of some entities: seven capped counts and the index's own."""
    indexed = _indexed(entities)
    atoms, scenes, traits = (_of(model, entities) for model in (Atom, Scene, Trait))
    return (
        LayerFigures(
            *("L0", "Messages", "message"),
            _counted(_of(Message, entities), indexed.get(Layer.MESSAGE)),
            *("kept word for word", None, ""),
        ),
        LayerFigures(
            *("L1", "Atoms", "atom"),
            _counted(atoms.filter(status=Atom.Status.LIVE), indexed.get(Layer.ATOM)),
            *(
                "hold now",
                _counted(atoms.exclude(status=Atom.Status.LIVE)),
                "superseded, contested or retracted",
            ),
        ),
        LayerFigures(
            *("L2", "Scenes", "scene"),
            _counted(scenes.filter(status=Scene.Status.LIVE)),
            *("live", _counted(_of(SceneVersion, entities)), "versions"),
        ),
        LayerFigures(
            *("L3", "Traits", "trait"),
            _counted(traits.filter(status=Trait.Status.LIVE)),
            *("live", _counted(_of(TraitVersion, entities)), "wordings"),
        ),
    )


def steps(entities: Sequence[UUID]) -> tuple[StepFigures, ...]:
    """What waits and what is parked, step by step; two statements each."""
    found = [_step(step, model, entities) for step, model in INPUTS.items()]
    waiting, oldest = _waiting(_of(Unindexed, entities), "queued_at")
    return (*found, StepFigures(INDEX_STEP, "unindexed", waiting, oldest, Counted(0)))


def spending(workspace_id: UUID, entity_id: UUID | None) -> Spending:
    """Tokens, cost, runs and failures by day and step, of the newest `MOST_RUNS` runs of `DAYS` days."""
    today = timezone.now().astimezone(timezone.get_fixed_timezone(0)).date()
    days = tuple(today - timedelta(days=back) for back in reversed(range(DAYS)))
    since = datetime.combine(days[0], time.min, tzinfo=timezone.get_fixed_timezone(0))
    found = queries.rows(
        "admin_spending", workspace=workspace_id, entity=entity_id, since=since, most=MOST_RUNS
    )
    rows = tuple(Spent(*row) for row in found)
    return Spending(days, rows, is_capped=sum(row.runs for row in rows) >= MOST_RUNS)


def struggling(entities: Sequence[UUID]) -> list[Work]:
    """Steps that failed in a row, the worst first."""
    failing = Work.objects.filter(entity__in=entities, failures__gt=0).select_related("entity")
    return list(failing.order_by("-failures", "-pk")[:ROWS_SHOWN])


def failures(workspace_id: UUID, entity_id: UUID | None) -> list[Run]:
    """The newest failed runs of the last days."""
    failed = Run.objects.failed().filter(
        workspace_id=workspace_id, started_at__gte=timezone.now() - FAILURES_SINCE
    )
    if entity_id is not None:
        failed = failed.filter(entity_id=entity_id)
    wanted = ("started_at", "step", "error_kind", "model", "entity__name")
    return list(failed.select_related("entity").only(*wanted).order_by("-started_at")[:ROWS_SHOWN])


def _step(step: Step, model: type[Any], entities: Sequence[UUID]) -> StepFigures:
    table = str(model._meta.model_name)
    rows = model.objects.filter(entity__in=entities)
    waiting, oldest = _waiting(rows.pending(), _since(model))
    return StepFigures(str(step), table, waiting, oldest, _counted(rows.parked()))


def _since(model: type[Any]) -> str | Coalesce:
    if model is Session:
        return Coalesce("fold_asked_at", "ended_at", "last_message_at")
    columns = {field.name for field in model._meta.fields}
    return next(name for name in _WAITS_SINCE if name in columns)


def _waiting(rows: QuerySet[Any], since: str | Coalesce) -> tuple[Counted, datetime | None]:
    """How many, and since when the oldest of those that were counted."""
    instant = F(since) if isinstance(since, str) else since
    some = rows.order_by().values(instant=instant)[: COUNT_CAP + 1]
    found = some.aggregate(number=Count("*"), oldest=Min("instant"))
    return _capped(found["number"]), found["oldest"]


def _of(model: type[Any], entities: Sequence[UUID]) -> QuerySet[Any]:
    rows: QuerySet[Any] = model.objects.filter(entity__in=entities)
    return rows


def _counted(rows: QuerySet[Any], indexed: int | None = None) -> Counted:
    counted = _capped(rows.order_by().values("pk")[: COUNT_CAP + 1].count())
    if counted.is_capped and indexed and indexed > COUNT_CAP:
        return Counted(indexed, is_estimate=True)
    return counted


def _capped(number: int) -> Counted:
    return Counted(min(number, COUNT_CAP), is_capped=number > COUNT_CAP)


def _indexed(entities: Sequence[UUID]) -> dict[int, int]:
    """Units by layer, as the index step counted them."""
    counts = LayerCount.objects.filter(entity__in=entities).values("layer").annotate(found=Sum("units"))
    return dict(counts.values_list("layer", "found"))
