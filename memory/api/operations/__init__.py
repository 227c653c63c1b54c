"""How an operation of the API is described, and the OpenAPI document that is made of the descriptions.

A view's method says in one place what it takes, gives back and refuses:

    @operation("List claims", query=ClaimsAsked, returns=ClaimsBody)
    def get(self, request: Request) -> Response: ...

Everything else is read from the code: the method's docstring, the scope of its permission classes, the
address's parameters, the statuses that any operation of its kind may end with. A body that is returned is a
TypedDict (of `typing_extensions`: pydantic reads no other) or a frozen dataclass. Nothing of this is looked
at while a request is served, and nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

JSON = "application/json"
JSON_LINES = "application/x-ndjson"
EVENT_STREAM = "text/event-stream"
ATTRIBUTE = "described_as"

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Operation:
    """What the code of a method does not say by itself."""

    summary: str
    returns: Any
    """Type of the body; None for a reply that is a stream of text."""
    query: type[BaseModel] | None
    body: Any
    """Type of the request's body: a pydantic class or a TypedDict, or a union of them."""
    statuses: Mapping[int, str]
    """Statuses of success (or of a reply that has the same body), each with when it comes."""
    errors: Sequence[int]
    """Statuses beyond those that every operation of its kind may end with, such as 409 and 410."""
    needs: str
    """What more the key has to hold, as a sentence; the scope itself is read from the permissions."""
    media_type: str
    body_media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers of the reply that only this operation has."""


def operation(
    summary: str,
    *,
    returns: Any = None,
    query: type[BaseModel] | None = None,
    body: Any = None,
    status: int | Mapping[int, str] = 200,
    errors: Sequence[int] = (),
    needs: str = "",
    media_type: str = JSON,
    body_media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> Callable[[Method], Method]:
    """Describe a view's method; the method itself is given back unchanged."""
    described = Operation(
        summary=summary,
        returns=returns,
        query=query,
        body=body,
        statuses={status: ""} if isinstance(status, int) else dict(status),
        errors=tuple(errors),
        needs=needs,
        media_type=media_type,
        body_media_type=body_media_type,
        headers=dict(headers or {}),
    )

    def describe(method: Method) -> Method:
        setattr(method, ATTRIBUTE, described)
        return method

    return describe


def operation_of(method: Callable[..., Any]) -> Operation | None:
    """How a method is described, None for one that is not."""
    found = getattr(method, ATTRIBUTE, None)
    return found if isinstance(found, Operation) else None


@dataclass(frozen=True, slots=True)
class DescribedAs:
    """In an Annotated field: a value that is read later than its model, described as what it is read as."""

    shape: Any

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema of the other type in the place of the field's own."""
        return handler(TypeAdapter(self.shape).core_schema)
