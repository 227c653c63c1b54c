"""Reading request bodies: strict JSON objects within a size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from memory.api.errors import BodyTooLarge, RequestRefused

BODY_BYTES_LIMIT = 16 * 1024 * 1024


class StrictJsonParser(BaseParser):
    """An object in UTF-8, without NaN, and without what only a crafted body has: endless nesting."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The body's object; ParseError or BodyTooLarge otherwise."""
        body = stream.read(BODY_BYTES_LIMIT + 1)
        if len(body) > BODY_BYTES_LIMIT:
            raise BodyTooLarge(f"A request has at most {BODY_BYTES_LIMIT} bytes.")
        try:
            value = json.loads(body.decode(), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise ParseError("The body is no JSON.") from error
        if not isinstance(value, dict):
            raise RequestRefused("The body has to be a JSON object.")
        return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
