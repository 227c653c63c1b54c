"""JSON schemas that every endpoint bears, made from pydantic classes.

Strict structured output asks that every property is required and no other allowed, and refuses length and
range keywords, defaults and references with siblings; grammars of local servers grow with `maxLength`. So
limits are moved into descriptions, where the model reads them, and checked when the answer is validated.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

DROPPED_KEYWORDS = frozenset({"default", "title"})
# Ordered: the words appear in this order in a description.
LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
    "format": "in the form of a {}",
}


def portable_schema(answer: type[BaseModel]) -> Schema:
    """The class's JSON schema in the common subset described above; the same bytes for the same class."""
    schema = answer.model_json_schema()
    definitions = schema.pop("$defs", {})
    result = _portable(schema, definitions)
    if not isinstance(result, dict):
        raise TypeError(f"{answer.__name__} has no object schema.")
    return result


def schema_text(schema: Schema) -> str:
    """The schema for a prompt: compact, keys in their own order."""
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _portable(node: Any, definitions: Schema) -> Any:
    if isinstance(node, list):
        return [_portable(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[-1]
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        return _portable({**definitions[name], **siblings}, definitions)
    kept = {
        key: _properties(value, definitions) if key == "properties" else _portable(value, definitions)
        for key, value in node.items()
        if key not in DROPPED_KEYWORDS and key not in LIMITS
    }
    return _closed(_described(kept, node))


def _properties(properties: Schema, definitions: Schema) -> Schema:
    """Property names are not keywords: a field may be called `title`."""
    return {name: _portable(value, definitions) for name, value in properties.items()}


def _described(kept: Schema, node: Schema) -> Schema:
    limits = ", ".join(words.format(node[key]) for key, words in LIMITS.items() if key in node)
    if not limits:
        return kept
    text = kept.pop("description", "")
    return {**kept, "description": f"{text} ({limits})".strip()}


def _closed(node: Schema) -> Schema:
    if node.get("type") == "object" and "properties" in node:
        return {**node, "required": list(node["properties"]), "additionalProperties": False}
    return node
