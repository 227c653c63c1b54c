"""Types as JSON schemas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from memory.api.operations import DescribedAs
from memory.api.operations.inspecting import operation_id
from memory.api.operations.parameters import path_parameters, query_parameters
from memory.api.operations.shapes import shapes_of


@dataclass(frozen=True, slots=True)
class Part:
    """A part of it."""

    id: UUID
    weight: float = 1.0
    """In kilograms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongPart(Part):
    """A part, and how long it is."""

    length: int
    """In millimetres."""


class Whole(TypedDict):
    """All of it."""

    parts: tuple[LongPart, ...]
    use: NotRequired[UUID]
    """Which one names it."""


class Step(BaseModel):
    """A step."""

    text: str


class Asked(BaseModel):
    """A question."""

    words: Annotated[str, Field(min_length=1)]
    kinds: tuple[Literal["a", "b"], ...] = ()
    """Several."""
    after: str | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    budgets: dict[str, int] = Field(default_factory=dict)
    steps: Annotated[list[dict[str, Any]], DescribedAs(list[Step])] | None = None


def test_a_reply_has_all_of_its_fields_with_their_words() -> None:
    shapes = shapes_of([], [Whole])
    assert shapes.resolved(shapes.given(Whole)) == {
        "type": "object",
        "description": "All of it.",
        "properties": {
            "parts": {"type": "array", "items": {"$ref": "#/components/schemas/LongPart"}},
            "use": {"type": "string", "format": "uuid", "description": "Which one names it."},
        },
        "required": ["parts"],
    }
    assert shapes.components["LongPart"] == {
        "type": "object",
        "description": "A part, and how long it is.",
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "weight": {"type": "number", "description": "In kilograms."},
            "length": {"type": "integer", "description": "In millimetres."},
        },
        "required": ["id", "weight", "length"],
    }


def test_what_is_read_later_is_described_as_what_it_is() -> None:
    shapes = shapes_of([Asked], [])
    steps = shapes.resolved(shapes.taken(Asked))["properties"]["steps"]
    assert steps["anyOf"][0] == {"type": "array", "items": {"$ref": "#/components/schemas/Step"}}
    assert shapes.components["Step"]["required"] == ["text"]


def test_classes_of_one_name_are_told_apart_by_their_rooms() -> None:
    from memory.recall.records import LineDifference as OfScenes
    from memory.skills.records import LineDifference as OfProcedures

    shapes = shapes_of([], [OfScenes, OfProcedures])
    assert set(shapes.components) >= {"RecallRecordsLineDifference", "SkillsRecordsLineDifference"}
    assert shapes.given(OfScenes) == {"$ref": "#/components/schemas/RecallRecordsLineDifference"}


def test_a_query_string_knows_no_null_and_no_objects() -> None:
    shapes = shapes_of([Asked], [])
    found = {
        found.pop("name"): found
        for found in query_parameters(shapes.resolved(shapes.taken(Asked)), shapes)
        if found["name"] != "steps"
    }
    assert found == {
        "words": {"in": "query", "required": True, "schema": {"type": "string", "minLength": 1}},
        "kinds": {
            "in": "query",
            "required": False,
            "description": "Several.",
            "style": "form",
            "explode": True,
            "schema": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        },
        "after": {
            "in": "query",
            "required": False,
            "description": "Where the page before ended: its `next_after`, as it was given.",
            "schema": {"type": "string"},
        },
        "limit": {
            "in": "query",
            "required": False,
            "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50},
        },
        "budgets": {
            "in": "query",
            "required": False,
            "schema": {"type": "string", "pattern": "^[a-z_]+:[0-9]+(,[a-z_]+:[0-9]+)*$"},
        },
    }


def test_the_parameters_of_an_address() -> None:
    told = [
        (found["name"], found["description"], found["schema"])
        for found in path_parameters("scenes/<uuid:scene_id>/versions/<int:number>")
    ]
    assert told == [
        ("scene_id", "Id of the scene.", {"type": "string", "format": "uuid"}),
        ("number", "Number of the version.", {"type": "integer", "minimum": 0}),
    ]


@pytest.mark.parametrize(
    ("path", "method", "id"),
    [
        ("/health", "GET", "getRootHealth"),
        ("/api/v1/scenes", "GET", "getScenes"),
        ("/api/v1/scenes/{scene_id}", "PATCH", "patchScene"),
        ("/api/v1/sessions/{session_id}/turns", "POST", "postSessionTurns"),
        ("/api/v1/entities/{name}", "GET", "getEntity"),
        ("/api/v1/openapi.json", "GET", "getOpenapiJson"),
    ],
)
def test_ids_of_operations_are_read_off_their_addresses(path: str, method: str, id: str) -> None:
    assert operation_id(path, method) == id
