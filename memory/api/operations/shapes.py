"""Types as JSON schemas: pydantic classes, TypedDicts and frozen dataclasses, all in one go.

In one go, because classes of different rooms may share a name, and every name of the document has to be one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from memory.api.operations.field_words import words_of_fields

REFERENCE = "#/components/schemas/"
Direction = Literal["validation", "serialization"]
JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The schema of every type in its direction, and the components that they refer to."""

    schemas: Mapping[tuple[str, Direction], JsonSchema]
    components: Mapping[str, JsonSchema]

    def taken(self, shape: Any) -> JsonSchema:
        """The schema of what a request says."""
        return self.schemas[_key(shape), "validation"]

    def given(self, shape: Any) -> JsonSchema:
        """The schema of what a reply says."""
        return self.schemas[_key(shape), "serialization"]

    def resolved(self, schema: JsonSchema) -> JsonSchema:
        """The component that a reference names; anything else as it is."""
        name = str(schema.get("$ref", "")).removeprefix(REFERENCE)
        return self.components[name] if name else schema


def shapes_of(taken: Iterable[Any], given: Iterable[Any]) -> Shapes:
    """The schemas of what requests and replies are made of."""
    wanted: dict[tuple[str, Direction], Any] = {}
    wanted |= {(_key(shape), "validation"): shape for shape in taken}
    wanted |= {(_key(shape), "serialization"): shape for shape in given}
    schemas, definitions = TypeAdapter.json_schemas(
        [(key, direction, TypeAdapter(shape)) for (key, direction), shape in wanted.items()],
        ref_template=REFERENCE + "{model}",
        schema_generator=_DescribedSchema,
    )
    told = {key: schemas[key] for key in wanted}
    return _with_short_names(told, definitions.get("$defs", {}))


def _key(shape: Any) -> str:
    return f"{getattr(shape, '__module__', '')}:{getattr(shape, '__qualname__', shape)!s}"


class _DescribedSchema(GenerateJsonSchema):
    """Fields carry the words that stand under them; a reply has all of its fields, defaults or not."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never: the name is the title."""
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Of a reply whatever is not NotRequired."""
        if self.mode == "validation":
            return super().field_is_required(field, total)
        return bool(field.get("required", total)) if field["type"] == "typed-dict-field" else True

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """A default is the affair of requests."""
        if self.mode == "serialization":
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """A pydantic class."""
        return _described(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """A frozen dataclass."""
        return _described(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        """A TypedDict."""
        return _described(super().typed_dict_schema(schema), schema.get("cls", dict))


def _described(schema: JsonSchemaValue, cls: type) -> JsonSchemaValue:
    words = words_of_fields(cls)
    properties = {
        name: {"description": words[name], **field} if name in words else field
        for name, field in schema.get("properties", {}).items()
    }
    kept = {name: value for name, value in schema.items() if name not in ("title", "properties")}
    return {**kept, "properties": properties}


def _with_short_names(
    schemas: Mapping[tuple[str, Direction], JsonSchema], components: Mapping[str, JsonSchema]
) -> Shapes:
    """Where pydantic tells classes of one name apart by their modules, the name is written as one word."""
    names = {name: _one_word(name) for name in components}

    def renamed(value: Any) -> Any:
        text = json.dumps(value)
        for old, new in names.items():
            text = text.replace(f'"{REFERENCE}{old}"', f'"{REFERENCE}{new}"')
        return json.loads(text)

    return Shapes(
        {key: renamed(schema) for key, schema in schemas.items()},
        {names[name]: renamed(schema) for name, schema in components.items()},
    )


def _one_word(name: str) -> str:
    """`memory__skills__records__LineRecord` as `SkillsRecordsLineRecord`."""
    if "__" not in name:
        return name.replace("-", "")
    parts = re.split(r"_+|-", name.removeprefix("memory__"))
    return "".join(part[:1].upper() + part[1:] for part in parts)
