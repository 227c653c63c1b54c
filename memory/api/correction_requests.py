"""What the doors of corrections may be asked: why, and which version the person saw where that matters."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memory.api.requests import Kind, Name, Priority, Words

Number = Annotated[int, Field(ge=1)]
MOST_LINES = 500


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OwnedAsked(_Given):
    """`GET /scenes` and `GET /traits`: those of an entity, ended ones too."""

    entity: Name


class SceneAsked(_Given):
    """`GET /scenes/{id}`."""

    number: Annotated[int, Field(ge=1)] | None = None
    """An earlier version; None for the current one."""


class ReasonGiven(_Given):
    """A change that needs no more than why."""

    reason: Words = ""


class ClaimCorrected(ReasonGiven):
    """`PATCH /atoms/{id}`; what is left out is taken over."""

    text: Words
    kind: Kind | None = None
    priority: Priority | None = None
    topic: Words | None = None
    scope: Words | None = None


class SceneDrafted(_Given):
    """`POST /scenes/{id}/preview`."""

    markdown: Words
    summary: Words = ""
    base: Number
    """Number of the version that the person saw."""


class SceneEdited(SceneDrafted, ReasonGiven):
    """`PATCH /scenes/{id}`."""


class LinesPinned(ReasonGiven):
    """`POST /scenes/{id}/pins`."""

    lines: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=MOST_LINES)]
    is_pinned: bool
    base: Number


class SceneMerged(ReasonGiven):
    """`POST /scenes/{id}/merge`: the scene whose lines come into the one of the address."""

    other: UUID


class VersionRestored(ReasonGiven):
    """`POST /scenes/{id}/restore` and `POST /traits/{id}/restore`; without a number as it was last."""

    number: Number | None = None


class TraitWorded(ReasonGiven):
    """`POST /traits`."""

    entity: Name
    slot: Name
    text: Words
