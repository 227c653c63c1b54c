"""Parameters of addresses, query strings and headers as OpenAPI has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memory.api.operations.shapes import JsonSchema, Shapes

PLACEHOLDER = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")
PAIRS = r"^[a-z_]+:[0-9]+(,[a-z_]+:[0-9]+)*$"
SCHEMAS: Mapping[str, JsonSchema] = {
    "uuid": {"type": "string", "format": "uuid"},
    "int": {"type": "integer", "minimum": 0},
    "str": {"type": "string", "minLength": 1},
    "path": {"type": "string", "minLength": 1},
}
WORDS: Mapping[str, str] = {
    "session": "The session as its messages were stored, slashes too, or its id.",
    "name": "The entity's name; it may hold slashes.",
    "reader": "Name of the entity that reads; it may hold slashes.",
    "number": "Number of the version.",
}
LATER = "Where the page before ended: its `next_after`, as it was given."


def path_parameters(route: str) -> Iterator[JsonSchema]:
    """Those of a route as Django writes it: `sessions/<uuid:session_id>`."""
    for found in PLACEHOLDER.finditer(route):
        name = found["name"]
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": WORDS.get(name, f"Id of the {name.removesuffix('_id').replace('_', ' ')}."),
            "schema": dict(SCHEMAS[found["kind"] or "str"]),
        }


def query_parameters(schema: JsonSchema, shapes: Shapes) -> Iterator[JsonSchema]:
    """Those of a request class; what is an object in a body is pairs in a query string."""
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        value = _in_query(field, shapes)
        description = value.pop("description", LATER if name == "after" else "")
        yield {
            "name": name,
            "in": "query",
            "required": name in required,
            **({"description": description} if description else {}),
            **({"style": "form", "explode": True} if value.get("type") == "array" else {}),
            "schema": value,
        }


def _in_query(field: JsonSchema, shapes: Shapes) -> JsonSchema:
    """Nothing is null in a query string: what is not meant is left out."""
    options = [option for option in field.get("anyOf", ()) if option != {"type": "null"}]
    rest = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    if field.get("default") not in (None, [], {}):
        rest["default"] = field["default"]
    if len(options) > 1:
        return {**rest, "anyOf": [shapes.resolved(option) for option in options]}
    value = {**shapes.resolved(options[0] if options else rest), **rest}
    value.pop("$ref", None)
    if value.get("type") == "object":
        return {"type": "string", "pattern": PAIRS, "description": value.get("description", "")}
    return value
