"""Schemas that every endpoint bears."""

from datetime import date
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from memory.cascade.contract import ExtractAnswer, PersonaAnswer, SynthesisAnswer
from memory.llm.schemas import portable_schema, schema_text


class Part(BaseModel):
    title: str = Field(default="", max_length=80, description="What it is called.")
    kind: Literal["a", "b"] = "a"
    day: date | None = None


class Whole(BaseModel):
    """The answer."""

    items: list[Part] = Field(min_length=1)
    best: Part


PART = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "What it is called. (at most 80 characters)"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "day": {"anyOf": [{"type": "string", "description": "(in the form of a date)"}, {"type": "null"}]},
    },
    "required": ["title", "kind", "day"],
    "additionalProperties": False,
}


def test_a_schema_is_strict_flat_and_keeps_its_limits_as_words() -> None:
    assert portable_schema(Whole) == {
        "description": "The answer.",
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": PART, "description": "(at least 1 items)"},
            "best": PART,
        },
        "required": ["items", "best"],
        "additionalProperties": False,
    }


BORNE = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "description",
}


def keywords(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*(keywords(item) for item in node)) if node else set()
    if not isinstance(node, dict):
        return set()
    inner = {name: value for name, value in node.items() if name != "properties"}
    named = node.get("properties", {}).values()
    return set(node) | keywords(list(inner.values())) | keywords(list(named))


@pytest.mark.parametrize("answer", [ExtractAnswer, SynthesisAnswer, PersonaAnswer])
def test_the_answers_of_all_steps_use_borne_keywords_only(answer: type[BaseModel]) -> None:
    schema = portable_schema(answer)

    assert keywords(schema) - BORNE == set()
    assert schema_text(schema) == schema_text(portable_schema(answer))
