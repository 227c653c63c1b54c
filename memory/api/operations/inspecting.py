"""A view's method as an operation of OpenAPI."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from rest_framework.permissions import SAFE_METHODS
from rest_framework.status import HTTP_204_NO_CONTENT, HTTP_412_PRECONDITION_FAILED

from memory.api.operations import JSON, Operation, operation_of
from memory.api.operations.examples import Example, example_of
from memory.api.operations.failures import FAILURES, statuses_of_failure
from memory.api.operations.groups import group_of
from memory.api.operations.parameters import path_parameters, query_parameters
from memory.api.operations.shapes import JsonSchema, Shapes

SUCCESSES: Mapping[int, str] = {
    200: "Done.",
    201: "Stored.",
    202: "Taken on; a worker does it.",
    204: "Done; there is nothing to tell.",
}
PREFIX = "/api/v1/"
NAMES: Mapping[str, str] = {
    "/api/v1/traces/{trace_id}": "TaskTrace",
    "/api/v1/parked/{run_id}/retry": "ParkedBatchRetry",
}
"""Where the address alone would give an id that another operation has."""


class UndescribedError(LookupError):
    """A method of a view has no description."""


def described(view: Any, method: str) -> Operation:
    """How the view's method is described; UndescribedError for one that is not."""
    found = operation_of(getattr(view, method.lower()))
    if found is None:
        raise UndescribedError(f"{type(view).__name__}.{method.lower()} has no @operation.")
    return found


def operation_id(path: str, method: str) -> str:
    """`/api/v1/sessions/{session_id}/turns` read is `getSessionTurns`."""
    if path in NAMES:
        return method.lower() + NAMES[path]
    parts = path.removeprefix(PREFIX).strip("/").split("/")
    words = [
        _singular(part) if following.startswith("{") else part
        for part, following in zip(parts, [*parts[1:], ""], strict=True)
        if not part.startswith("{")
    ]
    root = [] if path.startswith(PREFIX) else ["root"]
    told = re.split(r"\W", "-".join([*root, *words]))
    return method.lower() + "".join(word[:1].upper() + word[1:] for word in told)


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


def names_a_row(schema: JsonSchema) -> bool:
    """Whether a field names an entity, or anything else by its id."""
    properties = schema.get("properties", {})
    return "entity" in properties or any('"uuid"' in json.dumps(field) for field in properties.values())


class OperationSchema(AutoSchema):
    """Reads descriptions where drf-spectacular would look for serializers."""

    view: Any
    shapes: Shapes

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> JsonSchema:
        """The operation at an address."""
        self.path, self.path_regex, self.method, self.registry = path, path_regex, method, registry
        operation: JsonSchema = {
            "operationId": operation_id(path, method),
            "summary": self.described.summary,
            "description": self._description(),
            "tags": [group_of(path)],
            "parameters": self._all_parameters(),
            "security": [{"bearer": []}] if self.scope else [],
            "responses": self._responses(),
        }
        if self.takes_body:
            operation["requestBody"] = self._body()
        if self.scope:
            operation["x-scope"] = self.scope
        return {name: value for name, value in operation.items() if value or name == "security"}

    @cached_property
    def described(self) -> Operation:
        """What the method's decorator says."""
        return described(self.view, self.method)

    @cached_property
    def example(self) -> Example | None:
        """How it was used in the product's own story."""
        return example_of(operation_id(self.path, self.method))

    @property
    def takes_body(self) -> bool:
        """Whether a request has a body."""
        return self.method not in SAFE_METHODS and (
            self.described.body is not None or self.described.body_media_type != JSON
        )

    @property
    def is_tagged(self) -> bool:
        """Whether the body has a tag, so that it is sent again only when it has changed."""
        return bool(self.scope) and self.method == "GET" and self.described.media_type == JSON

    @property
    def is_done_once(self) -> bool:
        """Whether the operation takes an Idempotency-Key."""
        return self.method not in SAFE_METHODS and bool(self.scope) and not self.view.is_repeatable

    @property
    def scope(self) -> str:
        """What a key needs; empty where none is asked for."""
        permissions = self.view.get_permissions()
        return next((str(found.scope) for found in permissions if hasattr(found, "scope")), "")

    def _description(self) -> str:
        words = inspect.getdoc(getattr(self.view, self.method.lower())) or ""
        scope = f"Needs a key with scope `{self.scope}`." if self.scope else "Needs no key."
        return "\n\n".join(part for part in (words, f"{scope} {self.described.needs}".strip()) if part)

    def _all_parameters(self) -> list[JsonSchema]:
        given = [*path_parameters(self.path_regex), *self._query()]
        for parameter in given:
            value = self.example and self.example.parameters.get(parameter["name"])
            if value is not None:
                parameter["example"] = value
        shared = ["IfNoneMatch"] * self.is_tagged + ["IdempotencyKey"] * self.is_done_once
        shared += ["IfMatch"] * (HTTP_412_PRECONDITION_FAILED in self.described.errors)
        return [*given, *({"$ref": f"#/components/parameters/{name}"} for name in shared)]

    def _query(self) -> list[JsonSchema]:
        query = self.described.query
        if query is None:
            return []
        return list(query_parameters(self.shapes.resolved(self.shapes.taken(query)), self.shapes))

    def _body(self) -> JsonSchema:
        media_type, shape = self.described.body_media_type, self.described.body
        schema = {"type": "string"} if shape is None else self.shapes.taken(shape)
        content: JsonSchema = {"schema": schema}
        if self.example and self.example.body is not None:
            content["examples"] = {"story": {"value": self.example.body}}
        return {"required": True, "content": {media_type: content}}

    def _responses(self) -> JsonSchema:
        answers: JsonSchema = {
            str(status): {"$ref": f"#/components/responses/{FAILURES[status].name}"}
            for status in {*self._usual_failures(), *self.described.errors}
        }
        if self.is_tagged:
            answers["304"] = {"$ref": "#/components/responses/NotModified"}
        answers |= {str(status): self._success(status) for status in self.described.statuses}
        return dict(sorted(answers.items()))

    def _usual_failures(self) -> set[int]:
        taken = [shape for shape in (self.described.query, self.described.body) if shape is not None]
        schemas = [self.shapes.resolved(self.shapes.taken(shape)) for shape in taken]
        return set(
            statuses_of_failure(
                is_keyed=bool(self.scope),
                takes_something=self.takes_body or bool(taken),
                takes_body=self.takes_body,
                names_something="<" in self.path_regex or any(map(names_a_row, schemas)),
                writes=self.method not in SAFE_METHODS and self.scope in ("write", "admin"),
                is_done_once=self.is_done_once,
            )
        )

    def _success(self, status: int) -> JsonSchema:
        described = self.described
        own = {
            name: {"description": words, "schema": {"type": "string"}}
            for name, words in described.headers.items()
        }
        answer: JsonSchema = {
            "description": described.statuses[status] or SUCCESSES[status],
            "headers": {**self._shared_headers(), **own},
        }
        if status != HTTP_204_NO_CONTENT:
            answer["content"] = {described.media_type: self._content(status)}
        return answer

    def _shared_headers(self) -> JsonSchema:
        names = {"X-Request-ID": "RequestId"}
        if self.is_tagged:
            names["ETag"] = "ETag"
        if self.is_done_once:
            names["Idempotency-Replayed"] = "Replayed"
        if self.scope:
            names |= {f"RateLimit-{name}": f"RateLimit{name}" for name in ("Limit", "Remaining", "Reset")}
        return {header: {"$ref": f"#/components/headers/{name}"} for header, name in names.items()}

    def _content(self, status: int) -> JsonSchema:
        shape = self.described.returns
        content: JsonSchema = {"schema": {"type": "string"} if shape is None else self.shapes.given(shape)}
        if self.example and self.example.status == status and self.example.response is not None:
            content["examples"] = {"story": {"value": self.example.response}}
        return content
