"""Reading request bodies: strict JSON objects within a size, a depth and a number of fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from memory.api.errors import BodyTooLarge, RequestRefused

BODY_BYTES_LIMIT = settings.MEMSEEK.limits.body_bytes
RAW_BODY = "raw_body"
"""Where a request keeps the bytes that its data were read from."""


class StrictJsonParser(BaseParser):
    """An object in UTF-8, without NaN, and without what only a crafted body has: endless nesting."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The body's object; ParseError, BodyTooLarge or RequestRefused otherwise."""
        body = stream.read(BODY_BYTES_LIMIT + 1)
        if len(body) > BODY_BYTES_LIMIT:
            raise BodyTooLarge(f"A request has at most {BODY_BYTES_LIMIT} bytes.")
        if parser_context is not None:
            setattr(parser_context["request"], RAW_BODY, body)
        try:
            value = json.loads(body.decode(), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise ParseError("The body is no JSON.") from error
        if not isinstance(value, dict):
            raise RequestRefused("The body has to be a JSON object.")
        refuse_excess(value)
        return value


def refuse_excess(value: Any) -> None:
    """RequestRefused for a JSON value of more levels or fields than a request may have."""
    limits = settings.MEMSEEK.limits
    level, keys, depth = [value], 0, 0
    while level:
        depth += 1
        keys += sum(len(item) for item in level if isinstance(item, dict))
        if depth > limits.json_depth:
            raise RequestRefused(f"The body has more than {limits.json_depth} levels.")
        if keys > limits.json_keys:
            raise RequestRefused(f"The body has more than {limits.json_keys} fields.")
        level = [
            part
            for item in level
            for part in (item.values() if isinstance(item, dict) else item)
            if isinstance(part, dict | list)
        ]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
