"""What one message must look like before it may be stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeVar
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from memory.ingest.instants import in_utc
from memory.ingest.problems import IngestError, Problem, refused
from memory.ingest.storable import is_blank, json_problem, mended, text_problem
from memory.models.messages import MESSAGE_TEXT_LIMIT, METADATA_BYTES_LIMIT, SPEAKER_LIMIT

MESSAGES_PER_CALL = 100
SESSION_NAME_LIMIT = 128
DEDUPE_KEY_LIMIT = 200
TOOL_NAME_LIMIT = 128
TOOL_CALLS_BYTES_LIMIT = 65_536
ORDINAL_LIMIT = 1_000_000_000
FIELD_NAME_SHOWN = 64


def _problem(kind: str, text: str) -> PydanticCustomError:
    return PydanticCustomError(kind, "{text}", {"text": text})


def _storable_text(value: Any) -> Any:
    problem = text_problem(value) if isinstance(value, str) else None
    if problem:
        raise _problem("unstorable", problem)
    return value


def _said_text(value: Any) -> Any:
    return _storable_text(mended(value)) if isinstance(value, str) else value


def _visible_text(value: Any) -> Any:
    if isinstance(value, str) and is_blank(value):
        raise _problem("blank", "is blank")
    return _storable_text(value)


def _metadata(value: Any) -> Any:
    return _checked_json(value, METADATA_BYTES_LIMIT)


def _tool_calls(value: Any) -> Any:
    return _checked_json(value, TOOL_CALLS_BYTES_LIMIT)


def _checked_json(value: Any, bytes_limit: int) -> Any:
    problem = json_problem(value, bytes_limit=bytes_limit)
    if problem:
        raise _problem("unstorable", problem)
    return value


def read_instant(value: Any) -> datetime | None:
    """An instant in UTC from a datetime or an ISO 8601 text; None stays None.

    Raises ValueError (as PydanticCustomError) without a time zone, since whose midday it was is never
    guessed, and outside the years that every time zone has.
    """
    if isinstance(value, str):
        value = _from_iso(value)
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise _problem("instant", "is no ISO 8601 time")
    if value.utcoffset() is None:
        raise _problem("naive", "has no time zone: add Z or an offset such as +02:00")
    try:
        return in_utc(value)
    except ValueError as error:
        raise _problem("instant", str(error)) from error


def _from_iso(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise _problem("instant", "is no ISO 8601 time") from error


def _identifier(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return UUID(value)
    except ValueError as error:
        raise _problem("identifier", "is no UUID") from error


Item = TypeVar("Item", bound=BaseModel)
Text = Annotated[str, BeforeValidator(_storable_text)]
Words = Annotated[str, BeforeValidator(_said_text)]
"""What was said: half a character in it is mended, since the rest must not be lost for it."""
VisibleText = Annotated[str, BeforeValidator(_visible_text)]


class Said(BaseModel):
    """What is said, wherever it stands; texts are kept byte for byte, but for halves of characters.

    One of `text`, `attachment_text` and `tool_calls` says something.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)

    role: Literal["user", "assistant", "tool", "system"]
    """Who speaks; nothing is learned from `system`."""
    text: Words = Field(default="", max_length=MESSAGE_TEXT_LIMIT)
    """The words."""
    speaker: Text = Field(default="", max_length=SPEAKER_LIMIT)
    """The name of whoever speaks, where there are several or it is to be known."""
    attachment_text: Words = Field(default="", max_length=MESSAGE_TEXT_LIMIT)
    """The text of what was attached, such as the caption of a picture."""
    dedupe_key: VisibleText | None = Field(default=None, max_length=DEDUPE_KEY_LIMIT)
    """The sender's own id of the message: the same one again stores nothing."""
    occurred_at: Annotated[datetime | None, BeforeValidator(read_instant)] = None
    """When it was said, ISO 8601 with an offset. Left out it is now; null means that nobody knows."""
    parent: Annotated[UUID | None, BeforeValidator(_identifier)] = None
    """The id of an earlier stored message that this one belongs to."""
    tool_name: Text = Field(default="", max_length=TOOL_NAME_LIMIT)
    """The tool whose result it is."""
    tool_calls: Annotated[list[dict[str, Any]], BeforeValidator(_tool_calls)] = []
    """The calls of tools that it makes, as the model's provider writes them."""
    tool_call_id: Text = Field(default="", max_length=TOOL_NAME_LIMIT)
    """The call that it is the result of."""
    metadata: Annotated[dict[str, Any], BeforeValidator(_metadata)] = {}
    """Anything else, kept and given back."""
    _as_sent: Self | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if is_blank(self.text) and is_blank(self.attachment_text) and not self.tool_calls:
            raise _problem("nothing_said", "is blank")
        return self

    @property
    def is_said_now(self) -> bool:
        """Whether its time is the moment of recording."""
        return "occurred_at" not in self.model_fields_set

    @property
    def as_sent(self) -> Self:
        """The same before anything was taken out of it."""
        return self._as_sent or self

    def redacted(self, fields: Mapping[str, Any]) -> Self:
        """The same with these fields in the place of its own; what was sent is compared, and never stored."""
        done = self.model_copy(update=fields)
        done._as_sent = self.as_sent
        return done


class IncomingMessage(Said):
    """One message as a caller hands it in, with the session that it belongs to."""

    session: VisibleText = Field(max_length=SESSION_NAME_LIMIT)
    """The conversation that it belongs to, by the sender's own name."""
    ordinal: int | None = Field(default=None, ge=0, le=ORDINAL_LIMIT)
    """Its place in the session; left out it comes after what is there."""


class IncomingTurn(Said):
    """One turn of a session that an agent has opened: it stands behind those that are there."""

    def in_session(self, name: str) -> IncomingMessage:
        """The same as a message of the session with this external id."""
        message = IncomingMessage.model_validate({**self.model_dump(exclude_unset=True), "session": name})
        if self._as_sent is not None:
            message._as_sent = self._as_sent.in_session(name)
        return message


def refuse_size(items: Sequence[Any], items_name: str = "messages") -> None:
    """Raise IngestError unless there are 1 to 100."""
    if not 1 <= len(items) <= MESSAGES_PER_CALL:
        raise refused(items_name, f"holds {len(items)} {items_name}, 1 to {MESSAGES_PER_CALL} are taken")


def read_messages(items: Sequence[Any]) -> list[IncomingMessage]:
    """Read messages from JSON-like values, or raise IngestError with every problem of every item."""
    return read_items(IncomingMessage, items)


def read_items(schema: type[Item], items: Sequence[Any], items_name: str = "messages") -> list[Item]:
    """1 to 100 items of a class, or IngestError with every problem of every item."""
    refuse_size(items, items_name)
    found: list[Item] = []
    problems: list[Problem] = []
    for index, item in enumerate(items):
        try:
            found.append(schema.model_validate(item))
        except ValidationError as error:
            problems += [_named(schema, index, detail) for detail in error.errors(include_input=False)]
    if problems:
        raise IngestError(problems)
    return found


def _named(schema: type[BaseModel], index: int, detail: ErrorDetails) -> Problem:
    if detail["type"] == "nothing_said":
        return Problem(index, "text", detail["msg"])
    field = ".".join(str(part) for part in detail["loc"]) or "message"
    is_unknown = detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1
    problem = f"is unknown; known are {', '.join(schema.model_fields)}" if is_unknown else detail["msg"]
    return Problem(index, field[:FIELD_NAME_SHOWN], problem)
