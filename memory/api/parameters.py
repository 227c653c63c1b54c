"""Reading query strings and bodies. Whatever is unknown is refused by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from django.http import QueryDict
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from memory.api.errors import RequestRefused
from memory.api.reading import refuse_unknown, single
from memory.ingest.entities import ENTITY_NAME_LIMIT
from memory.ingest.incoming import MESSAGES_PER_CALL, IncomingMessage
from memory.recall.timeline import LARGEST_SEQUENCE_NUMBER, TYPES, TimelineRequest
from memory.recall.timeline_records import COLLECTIONS, Collection

TIMELINE_PARAMETERS = ("entity", "status", "collections", "types", "limit", "before")
RECORDS_FIELDS = ("entity", "messages")
STATUSES = ("active", "all")
ALL_TYPES = tuple(dict.fromkeys(type for types in TYPES.values() for type in types))
DEFAULT_LIMIT = 50
LARGEST_LIMIT = 100

Name = TypeVar("Name", bound=str)
RecordType = Literal[
    "user", "assistant", "tool", "system", "persona", "episodic", "instruction", "scene", "trait"
]


class TimelineAsked(BaseModel):
    """`GET /timeline`, as it is described; the words for what is wrong are its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity: Annotated[str, Field(min_length=1)]
    status: Literal["active", "all"] = "active"
    """`active` shows what holds; `all` adds what was superseded, and earlier versions."""
    collections: tuple[Collection, ...] = ()
    """By repeating the parameter, or with commas; all when none is named."""
    types: tuple[RecordType, ...] = ()
    """Roles of messages, kinds of memories, `scene`, `trait`; all when none is named."""
    limit: Annotated[int, Field(ge=1, le=LARGEST_LIMIT)] = DEFAULT_LIMIT
    before: Annotated[int, Field(ge=1, le=LARGEST_SEQUENCE_NUMBER)] | None = None
    """The `next_before` of the page before."""


class RecordsGiven(TypedDict):
    """`POST /records`, as it is described; the messages are read one by one, so that each problem is told."""

    entity: Annotated[str, Field(min_length=1, max_length=ENTITY_NAME_LIMIT)]
    messages: Annotated[list[IncomingMessage], Field(min_length=1, max_length=MESSAGES_PER_CALL)]


@dataclass(frozen=True, slots=True)
class TimelineParameters:
    """Which entity, and what of it."""

    entity: str
    request: TimelineRequest


def read_timeline_parameters(query: QueryDict) -> TimelineParameters:
    """Read the query of `/timeline`, or raise RequestRefused naming the parameter."""
    refuse_unknown(query, TIMELINE_PARAMETERS, "parameter")
    entity = single(query, "entity")
    if not entity:
        raise RequestRefused("entity: is required.")
    return TimelineParameters(
        entity,
        TimelineRequest(
            collections=_several(query, "collections", COLLECTIONS) or COLLECTIONS,
            types=_several(query, "types", ALL_TYPES),
            is_history_shown=_one_of(query, "status", STATUSES) == "all",
            limit=_number(query, "limit", LARGEST_LIMIT) or DEFAULT_LIMIT,
            before=_number(query, "before", LARGEST_SEQUENCE_NUMBER),
        ),
    )


def read_records_body(body: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """The entity's name and the messages, as yet unread, of `POST /records`."""
    refuse_unknown(body, RECORDS_FIELDS, "field")
    entity, messages = body.get("entity"), body.get("messages")
    if not isinstance(entity, str):
        raise RequestRefused("entity: has to be a text.")
    if not isinstance(messages, list):
        raise RequestRefused("messages: has to be a list.")
    return entity, messages


def _one_of(query: QueryDict, name: str, known: Sequence[str]) -> str | None:
    value = single(query, name)
    if value is not None and value not in known:
        raise RequestRefused(f"{name}: has to be one of {', '.join(known)}.")
    return value


def _several(query: QueryDict, name: str, known: Sequence[Name]) -> tuple[Name, ...]:
    """Names given by repeating the parameter or with commas; in the order of the known ones."""
    given = {part for value in query.getlist(name) for part in value.split(",") if part}
    if given - set(known):
        raise RequestRefused(f"{name}: has to be some of {', '.join(known)}.")
    return tuple(item for item in known if item in given)


def _number(query: QueryDict, name: str, largest: int) -> int | None:
    value = single(query, name)
    if value is None:
        return None
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(largest))
    if not is_number or not 1 <= int(value) <= largest:
        raise RequestRefused(f"{name}: has to be a number from 1 to {largest}.")
    return int(value)
