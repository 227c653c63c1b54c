"""What the doors of runs, work and parked batches may be asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from memory.api.requests import Moment, Name, split_names
from memory.api.skill_requests import PageAsked
from memory.measuring.work import WorkState
from memory.models import Step

RunStep = Literal[
    "l1_extract", "scene_synthesis", "persona", "compaction", "promotion", "skill_extract", "answer"
]
RunState = Literal["running", "succeeded", "failed", "discarded", "abandoned"]
Steps = Annotated[tuple[Step, ...], BeforeValidator(split_names)]


class _OfEntityAsked(PageAsked):
    entity: Name | None = None
    """Without one everything of the entities that the key opens."""


class RunsAsked(_OfEntityAsked):
    """`GET /runs`."""

    step: Annotated[tuple[RunStep, ...], BeforeValidator(split_names)] = ()
    state: Annotated[tuple[RunState, ...], BeforeValidator(split_names)] = ()
    since: Moment | None = None
    """Begun at this time or later."""
    until: Moment | None = None
    """Begun before this time."""


class WorkAsked(_OfEntityAsked):
    """`GET /work`."""

    step: Steps = ()
    state: Annotated[tuple[WorkState, ...], BeforeValidator(split_names)] = ()
    """In one of these states; without one every step of every entity."""


class ParkedAsked(_OfEntityAsked):
    """`GET /parked`."""

    step: Steps = ()


class RetryGiven(BaseModel):
    """`POST /parked/retry`: everything that a step of an entity has set aside."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity: Name
    step: Step
