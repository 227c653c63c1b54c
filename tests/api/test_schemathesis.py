"""Requests that nobody thought of, made from the document: whatever comes back is documented, and no fault.

Over a memory that holds something: half of the ids and names in the requests are of what is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from memory.api.operations.document import openapi_document
from memory.models import Workspace
from tests.api.contract.keeping import closed
from tests.api.contract.story import ALICE, CHAPTERS, Story, a_memory_moves, words_are_taken_away

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "8"))
"""For each operation, as many that keep to the document as that do not."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    ignored_auth,
]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
NAMES = {"name": ALICE, "entity": ALICE, "session": "tour-1", "reader": "agent.bob"}
UNASKED = {"GET /api/v1/events"}
"""A stream does not end; `tests/events` reads it."""
UNTOUCHED = {"key_id"}
"""A revoked key would end the run."""

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]


@schemathesis.serializer("application/x-ndjson")
def lines(context: Any, value: Any) -> dict[str, Any]:
    """A file of lines as it is."""
    return {"data": str(value).encode(errors="replace")}


def a_story() -> Story:
    """Everything but the chapters that take it away again."""
    story = Story(Workspace.objects.create(name="northwind"))
    for chapter in CHAPTERS:
        if chapter not in (words_are_taken_away, a_memory_moves):
            chapter(story)
    return story


def operations() -> Iterator[Any]:
    document = closed(openapi_document())
    schema = schemathesis.openapi.from_dict(document)
    schema.app = get_wsgi_application()
    for found in schema.get_all_operations():
        if found.ok().label not in UNASKED:
            yield found.ok()


def known(story: Story, value: Any) -> None:
    """Put what is there in the place of ids and names."""
    if isinstance(value, dict):
        there = {name: id for name, id in story.ids.items() if name not in UNTOUCHED} | NAMES
        value.update({name: there[name] for name in value if name in there})


def asked(case: Any, story: Story, is_known: bool) -> Any:
    """The same case about what is there, and named as no other request was."""
    if is_known:
        for part in (case.path_parameters, case.query, case.body):
            known(story, part)
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = uuid4().hex
    return case


def failures(operation: Any, story: Story, mode: GenerationMode) -> Iterator[str]:
    """What went wrong with an operation, in words."""
    scope = operation.definition.raw.get("x-scope", "")
    headers = {"Authorization": story.authorization(scope)} if scope else {}

    @given(case=operation.as_strategy(generation_mode=mode), is_known=st.booleans())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any, is_known: bool) -> None:
        is_known = is_known and mode is GenerationMode.POSITIVE
        asked(case, story, is_known).call_and_validate(headers=headers, checks=CHECKS)

    try:
        ask()
    except FailureGroup as group:
        yield from (f"{operation.label}: {failure}" for failure in group.exceptions)


def test_whatever_is_asked_the_reply_is_documented() -> None:
    story = a_story()
    found = [
        failure
        for operation in operations()
        for mode in MODES
        if mode is GenerationMode.POSITIVE or takes_something(operation)
        for failure in failures(operation, story, mode)
    ]
    assert found == [], "\n\n".join(found)


def takes_something(operation: Any) -> bool:
    """Whether there is anything that could be wrong about a request."""
    return any(True for _ in operation.iter_parameters()) or bool(operation.body)
