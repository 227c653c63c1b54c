"""The JSON schemas of tools: arguments from the request classes, results from the types of the bodies."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any, get_type_hints

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from memory.mcp.callers import ENTITY
from memory.mcp.tools import Tool

Schema = dict[str, Any]
NOTICE = {"type": "string", "description": "How to take what was returned."}


class _WithoutTitles(GenerateJsonSchema):
    """A field's title would only say its name again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False


def input_schema(tool: Tool, *, entity: str = "") -> Schema:
    """What a tool takes. With a default for the entity, naming one is left to the caller."""
    made = _schema(tool.asked, "validation")
    offered = made["properties"]
    properties = {
        name: {**_without_null(offered[name]), "description": about} for name, about in tool.fields.items()
    }
    if entity:
        properties[ENTITY] = {**properties[ENTITY], "default": entity}
    needed = [name for name in tool.fields if name in made.get("required", ())]
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in needed if name != ENTITY or not entity],
        "additionalProperties": False,
        "examples": [dict(example) for example in tool.examples],
        **_definitions(made, properties),
    }


def output_schema(tool: Tool) -> Schema:
    """What a tool returns when nothing was refused."""
    made = {"type": "object", **_schema(_shape(tool.returns), "serialization")}
    if not tool.has_words:
        return made
    return {**made, "properties": {**made.get("properties", {}), "notice": NOTICE}}


@cache
def _schema(shape: Any, mode: JsonSchemaMode) -> Schema:
    """Made once: it takes longer than most calls. Whoever is given it changes nothing in it."""
    made = TypeAdapter(shape).json_schema(mode=mode, schema_generator=_WithoutTitles)
    made.pop("title", None)
    return made


def _shape(returns: Any) -> Any:
    return get_type_hints(returns)["return"] if isinstance(returns, FunctionType) else returns


def _without_null(field: Schema) -> Schema:
    """What may be null may as well be left out; some clients cannot say null."""
    kinds = field.get("anyOf", [])
    given = [kind for kind in kinds if kind != {"type": "null"}]
    if len(given) != 1 or len(given) == len(kinds):
        return field
    rest = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    return {**given[0], **rest}


def _definitions(made: Schema, properties: Schema) -> Schema:
    """Only those that what is offered refers to, or they to each other."""
    known: Schema = made.get("$defs", {})
    wanted: dict[str, Any] = {}
    waiting = _references(properties)
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted[name] = known[name]
            waiting |= _references(known[name])
    return {"$defs": wanted} if wanted else {}


def _references(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {name for part in schema for name in _references(part)}
    if not isinstance(schema, dict):
        return set()
    own = schema.get("$ref")
    return {
        *([own.rpartition("/")[2]] if isinstance(own, str) else []),
        *(name for part in schema.values() for name in _references(part)),
    }
