"""What the endpoints of the graph may be asked."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from memory.api.requests import Asked, Moment, Words, storable
from memory.models.atoms import SUBJECT_ID_LIMIT, SUBJECT_KIND_LIMIT

Kind = Annotated[str, Field(min_length=1, max_length=SUBJECT_KIND_LIMIT), AfterValidator(storable)]
Identifier = Annotated[str, Field(min_length=1, max_length=SUBJECT_ID_LIMIT), AfterValidator(storable)]


class FactsAsked(Asked):
    """`GET /graph`: by a query, or by a thing."""

    query: Words | None = None
    subject_kind: Kind | None = None
    subject_id: Identifier | None = None
    depth: Annotated[int, Field(ge=0, le=3)] = 1
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    as_of: Moment | None = None

    @model_validator(mode="after")
    def begins_somewhere(self) -> Self:
        """A query, or kind and id of a thing; not both."""
        is_thing_whole = (self.subject_kind is None) == (self.subject_id is None)
        if not is_thing_whole or (self.query is None) == (self.subject_id is None):
            raise ValueError("give either query, or subject_kind and subject_id")
        return self


class RefreshAsked(Asked):
    """`POST /graph/refresh`."""
