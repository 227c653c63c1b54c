"""Whether a reply is one that the document promises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from memory.api.operations.document import openapi_document
from memory.api.operations.failures import FAILURES

ROOTS = ("/health", "/timeline", "/records")
PREFIX = "/api/v1/"
PLACEHOLDER = re.compile(r"<(?:\w+:)?(\w+)>")
ERRORS_SHOWN = 3


def is_of_the_api(path: str) -> bool:
    """Whether the document speaks of the address."""
    return path in ROOTS or path.startswith(PREFIX)


def template_of(route: str) -> str:
    """A route as Django writes it, as the document does."""
    return "/" + PLACEHOLDER.sub(r"{\1}", route)


def problems_of(
    *, route: str | None, method: str, status: int, headers: Mapping[str, str], body: bytes | None
) -> Iterator[str]:
    """What a reply does that the document does not say; no body for one that is a stream."""
    answer = _answer(route, method, status)
    if answer is None:
        yield f"status {status} is not documented"
        return
    for name, header in answer.get("headers", {}).items():
        if _resolved(header).get("required") and name not in headers:
            yield f"{status} has no header {name}"
    media_type = headers.get("Content-Type", "").partition(";")[0]
    content = answer.get("content", {})
    if content and media_type not in content:
        yield f"{status} has the content type {media_type!r}, documented are {sorted(content)}"
    elif media_type == "application/json" and body and "Idempotency-Replayed" not in headers:
        yield from _problems_of_body(json.dumps(content[media_type]["schema"]), json.loads(body))
    elif body and not content:
        yield f"{status} has a body"


def _problems_of_body(schema: str, value: Any) -> Iterator[str]:
    found = sorted(_validator(schema).iter_errors(value), key=lambda error: list(map(str, error.path)))
    for error in found[:ERRORS_SHOWN]:
        yield f"{'.'.join(map(str, error.absolute_path)) or 'body'}: {error.message[:500]}"


def _answer(route: str | None, method: str, status: int) -> dict[str, Any] | None:
    """What is promised for the status of an operation; every other address answers 404, or 405."""
    operations = openapi_document()["paths"].get(template_of(route), {}) if route is not None else {}
    operation = operations.get(method.lower())
    if operation is not None:
        answer = operation["responses"].get(str(status))
        return None if answer is None else _resolved(answer)
    failure = FAILURES.get(status)
    return openapi_document()["components"]["responses"][failure.name] if failure else None


def _resolved(value: dict[str, Any]) -> dict[str, Any]:
    found: Any = value
    if "$ref" in value:
        found = openapi_document()
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
    return dict(found)


@cache
def _validator(schema: str) -> Draft202012Validator:
    whole = {**json.loads(schema), "components": {"schemas": _closed_components()}}
    return Draft202012Validator(whole, format_checker=FormatChecker())


@cache
def _closed_components() -> Any:
    return closed(openapi_document()["components"]["schemas"])


def closed(schema: Any) -> Any:
    """The same where no object has more than its documented properties: clients take more, tests do not."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        told.setdefault("additionalProperties", False)
    return told
