"""What the doors that read scenes may be asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memory.api.requests import ListAsked, split_names

SceneStatus = Literal["live", "merged", "retired"]
LARGEST_NUMBER = 2**31 - 1


class ScenesAsked(ListAsked):
    """`GET /scenes`."""

    status: Annotated[tuple[SceneStatus, ...], BeforeValidator(split_names)] = ()
    """Without one all of them, those that live first."""


class DifferenceAsked(BaseModel):
    """`GET /scenes/{id}/difference`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    from_number: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)] | None = None
    """Number of the older version; the one before without it, nothing with 0."""
    to_number: Annotated[int, Field(ge=1, le=LARGEST_NUMBER)] | None = None
    """Number of the newer version; the current one without it."""
