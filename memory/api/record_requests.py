"""What the doors of messages may be asked."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BeforeValidator, Field

from memory.api.requests import LARGEST_PAGE, Asked, ListAsked, Moment, Name, split_names
from memory.recall.messages import MessageFilter

Role = Literal["user", "assistant", "tool", "system"]


class RecordsAsked(ListAsked):
    """`GET /records`."""

    session: Name | None = None
    """The name that they were stored under."""
    role: Annotated[tuple[Role, ...], BeforeValidator(split_names)] = ()
    speaker: Name | None = None
    since: Moment | None = None
    """Said at this time or later; a message without a time counts as said when it was recorded."""
    until: Moment | None = None
    """Said before this time."""

    def wanted(self) -> MessageFilter:
        """As the room takes it."""
        return MessageFilter(self.session, self.role, self.speaker, self.since, self.until)


class ChangesAsked(Asked):
    """`GET /records/changes`."""

    record: Annotated[
        tuple[UUID, ...], BeforeValidator(split_names), Field(min_length=1, max_length=LARGEST_PAGE)
    ]
    """Ids of messages."""
