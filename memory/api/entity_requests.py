"""What the doors of entities and shares may be asked."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memory.api.requests import Name, Words
from memory.api.skill_requests import PageAsked
from memory.models import Step
from memory.recall.entities import EntityFilter
from memory.stewardship.sharing import REASON_LIMIT


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EntitiesAsked(PageAsked):
    """`GET /entities`."""

    name: Name | None = None
    prefix: Name | None = None
    """The beginning of the name."""
    group_id: Words | None = None
    user_id: Words | None = None

    def wanted(self) -> EntityFilter:
        """As the room takes it."""
        return EntityFilter(self.name, self.prefix, self.group_id, self.user_id)


class EntityGiven(_Given):
    """`POST /entities`."""

    name: Name
    time_zone: Name | None = None
    """A name of the time zone database; UTC without one."""
    group_id: Words = ""
    user_id: Words = ""


class EntityChanged(_Given):
    """`PATCH /entities/{name}`; what is left out stays."""

    time_zone: Name | None = None
    paused_steps: Annotated[tuple[Step, ...], Field(max_length=len(Step))] | None = None
    """All steps that are to pause: the others go on."""

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.time_zone is None and self.paused_steps is None:
            raise ValueError("time_zone or paused_steps is required")
        return self


class SharesAsked(PageAsked):
    """`GET /entities/{name}/shares`."""

    direction: Literal["given", "received"] = "given"
    """`given`: who may read this entity's memory; `received`: whose memory it may read."""


class ShareGiven(_Given):
    """`POST /entities/{name}/shares`."""

    reader: Name
    """The entity that may read the one of the address."""
    reason: Annotated[Words, Field(max_length=REASON_LIMIT)] = ""
