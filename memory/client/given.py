"""What a caller hands in: turns, messages, subjects and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Self
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Role = Literal["user", "assistant", "tool", "system"]


class Authority(StrEnum):
    """Who stands behind a claim; a lower one never overrides a higher one."""

    application = "application"
    tool = "tool"
    user = "user"
    inference = "inference"

    @classmethod
    def _missing_(cls, value: object) -> Authority | None:
        # As the server tells it of what stands.
        return cls.inference if value == "agent inference" else None


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SubjectRef(BaseModel):
    """What a claim is about: kind `customer`, identifier `customer-123`."""

    model_config = ConfigDict(frozen=True)

    kind: str
    identifier: str


class Evidence(_Given):
    """What a claim rests on: a stored message, or something outside by its kind and reference."""

    kind: str | None = None
    reference: str | None = None
    authority: Authority | None = None
    message: UUID | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        is_outside = self.kind is not None and self.reference is not None
        has_outside = (self.kind, self.reference, self.authority) != (None, None, None)
        if (self.message is not None and has_outside) or (self.message is None and not is_outside):
            raise ValueError("evidence is a message, or kind and reference")
        return self


class NewTurn(_Given):
    """A turn to be added. `occurred_at` left out is now; None is for what nobody knows the time of."""

    role: Role
    content: str = Field(default="", serialization_alias="text")
    speaker: str = ""
    attachment_text: str = ""
    tool_name: str = ""
    tool_calls: list[dict[str, Any]] = []
    """In OpenAI's shape, or with `id`, `name` and `arguments`; objects of an SDK are taken as well."""
    tool_call_id: str = ""
    parent: UUID | None = None
    metadata: dict[str, Any] = {}
    occurred_at: datetime | None = None
    dedupe_key: str | None = None
    """Under one key a turn is stored once, however often it is sent. Without one it gets a random key."""

    @field_validator("content", mode="before")
    @classmethod
    def _no_content(cls, value: Any) -> Any:
        # A model that calls tools says nothing beside.
        return "" if value is None else value

    @field_validator("tool_calls", mode="before")
    @classmethod
    def _plain_calls(cls, value: Any) -> Any:
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
            return [call.model_dump() if hasattr(call, "model_dump") else call for call in value]
        return [] if value is None else value

    def sent(self) -> dict[str, Any]:
        """As the API takes it, with a key under which a second try is the same turn."""
        told = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if self.dedupe_key is None and told.get("ordinal") is None:
            told["dedupe_key"] = f"client-{uuid4().hex}"
        return told


class NewMessage(NewTurn):
    """A message for a session by its name. With an `ordinal` it has a fixed place, and needs no key."""

    session: str
    ordinal: int | None = None


class NewStep(_Given):
    """A step of a trace: an `instruction`, an `action`, a `result`, a `check` or a `note`."""

    kind: Literal["instruction", "action", "result", "check", "note"]
    text: str
    tool_name: str = ""
    message: UUID | None = None
    """The stored turn that it was."""


def evidence_sent(evidence: Iterable[Evidence]) -> list[dict[str, Any]]:
    """As the API takes it."""
    return [item.model_dump(mode="json", exclude_none=True) for item in evidence]


def names(given: Sequence[str] | str) -> tuple[str, ...]:
    """Several names; a single one may stand by itself."""
    return (given,) if isinstance(given, str) else tuple(given)


def told(**fields: Any) -> dict[str, Any]:
    """A request's fields as JSON values, without those that were not given."""
    return {name: _plain(value) for name, value in fields.items() if value is not None and value != ()}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value
