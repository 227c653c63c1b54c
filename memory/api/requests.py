"""What the endpoints of recall may be asked: strict pydantic classes, for query strings and bodies alike."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from memory.ingest.instants import in_utc
from memory.ingest.storable import text_problem
from memory.recall.compiling.request import DEFAULT_BUDGET, MOST_DEPTH, Strategy

LARGEST_PAGE = 100
WORDS_LIMIT = 65_536
LONGEST_WAIT_MILLISECONDS = 10_000
MOST_NAMES = 50
SECONDS = re.compile(r"\s*[+-]?[\d._]+(?:[eE][+-]?\d+)?\s*")


def storable(text: str) -> str:
    problem = text_problem(text)
    if problem:
        raise ValueError(problem)
    return text


def split_names(given: Any) -> Any:
    """`a,b` in a query string is two names."""
    if isinstance(given, (list, tuple)) and all(isinstance(part, str) for part in given):
        return tuple(name for part in given for name in part.split(",") if name)
    return given


def _pairs(given: Any) -> Any:
    """`rules:500,memory:800` in a query string is what an object is in a body."""
    parts = split_names(given)
    if not isinstance(parts, tuple):
        return given
    return dict(part.partition(":")[::2] for part in parts)


def _told(given: Any) -> Any:
    """A time as people read it; pydantic would also take a text of digits, as seconds since 1970."""
    if not isinstance(given, str):
        return given
    if SECONDS.fullmatch(given):
        raise ValueError("has to be an ISO 8601 time")
    try:
        return datetime.fromisoformat(given.upper())
    except ValueError:
        return given


def _listed(given: Any) -> Any:
    """A single name in a body is a list of one; a name may hold commas, so that none is split."""
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, list) else given


Text = Annotated[str, Field(min_length=1, max_length=WORDS_LIMIT), AfterValidator(storable)]
Words = Annotated[str, Field(max_length=WORDS_LIMIT), AfterValidator(storable)]
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(storable)]
Names = Annotated[tuple[Name, ...], Field(max_length=MOST_NAMES)]
Moment = Annotated[AwareDatetime, AfterValidator(in_utc), BeforeValidator(_told)]
Priority = Annotated[int, Field(ge=0, le=100)]
PageSize = Annotated[int, Field(ge=1, le=LARGEST_PAGE)]
Milliseconds = Annotated[int, Field(ge=1, le=LONGEST_WAIT_MILLISECONDS)]
Kind = Literal["persona", "episodic", "instruction"]
Kinds = Annotated[tuple[Kind, ...], BeforeValidator(split_names)]
State = Literal["live", "superseded", "contested", "retracted", "all"]
States = Annotated[tuple[State, ...], BeforeValidator(split_names), Field(min_length=1)]
LayerName = Literal["message", "atom", "section", "trait"]
Layers = Annotated[tuple[LayerName, ...], BeforeValidator(split_names)]
Budgets = Annotated[dict[str, int], BeforeValidator(_pairs)]


class Asked(BaseModel):
    """Any request: whose memory."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity: Name


class ListAsked(Asked):
    """A page of a list."""

    after: str | None = None
    """The cursor that the page before ended with."""
    limit: PageSize = 50


class RulesAsked(ListAsked):
    """`GET /rules`."""

    floor: Priority | None = None
    """None takes the design's."""


class AtomsAsked(ListAsked):
    """`GET /atoms`."""

    kind: Kinds = ()
    state: States = ("live",)
    topic: Names = ()
    priority_from: Priority = 0
    priority_to: Priority = 100
    since: Moment | None = None
    until: Moment | None = None


class Narrowed(BaseModel):
    """What of the memory is looked at."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    layers: Layers = ()
    kinds: Kinds = ()
    topics: Names = ()
    since: Moment | None = None
    until: Moment | None = None


class FilteredAsked(Narrowed, Asked):
    """What narrows a search."""

    session: Name | None = None
    meaning: bool = True


class SharedAsked(Asked):
    """What is taken in of other entities' memories."""

    shared: Annotated[Names, BeforeValidator(_listed)] = ()
    """Entities whose memory is shared with this one, by name; `all` for each of them."""


class _SharedOrSession(SharedAsked, FilteredAsked):
    @model_validator(mode="after")
    def _is_of_no_session(self) -> Self:
        if self.shared and self.session is not None:
            raise ValueError("shared: a session is of one entity; leave one of the two out")
        return self


class RecallAsked(_SharedOrSession):
    """`/recall`."""

    query: Words
    limit: PageSize = 20
    words: bool = True
    words_milliseconds: Milliseconds | None = None
    meaning_milliseconds: Milliseconds | None = None


class RecordedAsked(BaseModel):
    """What becomes of a rendered context besides the reply."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    record_use: bool = False
    """Store what was handed out, so that feedback can name it."""
    keep_text: bool = False
    """... with its words, and those of the request."""

    @model_validator(mode="after")
    def _keeps_what_is_recorded(self) -> Self:
        if self.keep_text and not self.record_use:
            raise ValueError("keep_text: belongs to record_use")
        return self


class ContextAsked(RecordedAsked, _SharedOrSession):
    """`/context`."""

    task: Words
    budgets: Budgets = Field(default_factory=dict)
    """Tokens by block; in a query string `rules:500,memory:800`."""
    total: int | None = None
    rules_floor: Priority | None = None
    as_of: Moment | None = None
    evolution_record: bool = False
    model: Name | None = None
    """The model that will read it: some cut text into more tokens."""

    @model_validator(mode="after")
    def _keeps_no_words_of_others(self) -> Self:
        if self.shared and self.keep_text:
            raise ValueError("keep_text: keeps no words of others; leave it or shared out")
        return self


class ReplyAsked(BaseModel):
    """What the context of a session's next reply is made with."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: Words | None = None
    """None takes the newest words of a user."""
    strategy: Strategy = "hybrid"
    depth: int | None = Field(default=None, ge=0, le=MOST_DEPTH)
    budget: int = DEFAULT_BUDGET
    rules_floor: Priority | None = None
    as_of: Moment | None = None
    live: bool = True
    model: Name | None = None
    """The model that will read it: some cut text into more tokens."""


class CompileAsked(RecordedAsked, Narrowed, ReplyAsked):
    """`POST /sessions/{id}/context`."""


class AnswerAsked(SharedAsked):
    """`POST /answer`."""

    question: Text


class TraceAsked(Asked):
    """`GET /trace`."""

    id: Name
