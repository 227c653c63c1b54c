"""Finding the asked JSON in what a model wrote, words around it or not."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

# Words before the answer may hold a few braces of their own.
OPENINGS_TRIED = 10
FAULTS_TOLD = 5

Answer = TypeVar("Answer", bound=BaseModel)


class UnreadableAnswerError(ValueError):
    """The text holds no answer of the asked shape; the message says why without quoting the text."""


def has_asked_shape(text: str, schema: type[BaseModel]) -> bool:
    """Whether the text holds a JSON object with the answer's required keys."""
    required = {name for name, field in schema.model_fields.items() if field.is_required()}
    return any(required <= found.keys() for found in _objects(text))


def read_answer(text: str, schema: type[Answer]) -> Answer:
    """The first JSON object in the text that is a whole answer. Raises UnreadableAnswerError."""
    faults = ""
    for found in _objects(text, is_nested=False):
        try:
            return schema.model_validate(found)
        except ValidationError as error:
            faults = faults or faults_of(error)
    why = faults or "it holds no JSON object"
    raise UnreadableAnswerError(f"The answer does not fit {schema.__name__}: {why}.")


def faults_of(error: ValidationError) -> str:
    """What is wrong and where; without the values, which may be anybody's words."""
    told = [
        f"{'.'.join(map(str, fault['loc'])) or 'the whole'}: {fault['type']}"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return ", ".join(told[:FAULTS_TOLD])


def _objects(text: str, *, is_nested: bool = True) -> Iterator[dict[str, Any]]:
    """JSON objects that begin at a brace, in order; what a model thought aloud before does not count."""
    openings = re.finditer(r"\{", text.rpartition("</think>")[2])
    end = 0
    for opening in itertools.islice(openings, OPENINGS_TRIED):
        if opening.start() < end and not is_nested:
            continue
        try:
            found, end = json.JSONDecoder().raw_decode(opening.string, opening.start())
        except (ValueError, RecursionError):
            continue
        yield found
