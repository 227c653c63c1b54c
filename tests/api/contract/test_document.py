"""The OpenAPI document itself: valid, whole, and with examples that keep to it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator, FormatChecker
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from memory.api.operations import operation, operation_of
from memory.api.operations.document import openapi_document
from memory.api.operations.examples import Example, all_examples, example_of
from memory.api.operations.failures import FAILURES, Code
from memory.api.operations.groups import GROUP_OF, GROUPS
from memory.ingest.workspaces import create_key
from memory.models import Workspace
from tests.api.contract.keeping import closed, is_of_the_api, template_of

METHODS = ("get", "post", "put", "patch", "delete")
# Of these there is nothing to show: the document itself, and files.
WITHOUT_RESPONSE = {"getOpenapiJson", "getEntityExport", "deleteEntityShare"}
WITHOUT_BODY = {"postEntityImport"}
DOCUMENT = openapi_document()
OPERATIONS = {
    told["operationId"]: (path, method, told)
    for path, operations in DOCUMENT["paths"].items()
    for method, told in operations.items()
}


def routes(patterns: Any = None, prefix: str = "") -> Iterator[tuple[str, type[APIView]]]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and hasattr(pattern.callback, "cls"):
            yield route, pattern.callback.cls


def test_it_is_valid_openapi() -> None:
    validate_schema(DOCUMENT)
    assert DOCUMENT["openapi"] == "3.1.0"


def test_every_method_of_every_address_is_in_it() -> None:
    found = {
        (template_of(route), method)
        for route, view in routes()
        for method in METHODS
        if hasattr(view, method) and is_of_the_api(template_of(route))
    }
    documented = {(path, method) for path, method, _ in OPERATIONS.values()}
    assert (found - documented, documented - found) == (set(), set())


def test_ids_are_unique_and_nothing_goes_without_words() -> None:
    assert len(OPERATIONS) == sum(len(operations) for operations in DOCUMENT["paths"].values())
    wordless = [
        id
        for id, (_, _, told) in OPERATIONS.items()
        if not (told["summary"] and len(told["description"]) > len("Needs no key.") and told["tags"])
    ]
    assert wordless == []
    assert set(GROUP_OF.values()) == set(GROUPS)


def test_every_component_is_named_for_what_it_is_and_described() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    undescribed = [
        name for name, schema in schemas.items() if "properties" in schema and not schema.get("description")
    ]
    assert (undescribed, [name for name in schemas if "_" in name]) == ([], [])


def test_every_code_belongs_to_a_status() -> None:
    codes = [code for failure in FAILURES.values() for code in failure.codes]
    assert set(codes) == set(get_args(Code))
    assert DOCUMENT["components"]["schemas"]["ErrorBody"]["properties"]["error"]["enum"] == list(
        get_args(Code)
    )


def test_every_example_is_of_an_operation() -> None:
    assert set(all_examples()) - set(OPERATIONS) == set()


@pytest.mark.parametrize("id", sorted(OPERATIONS))
def test_every_operation_has_an_example_that_keeps_to_it(id: str) -> None:
    _, _, told = OPERATIONS[id]
    example = example_of(id) or Example(status=200)
    assert list(problems_of_parameters(told, example)) == []
    if "requestBody" in told and id not in WITHOUT_BODY:
        assert list(problems(one_content(told["requestBody"])["schema"], example.body)) == []
    if id not in WITHOUT_RESPONSE:
        answer = one_content(told["responses"][str(example.status)])
        assert answer["examples"]["story"]["value"] == example.response
        assert list(problems(answer["schema"], example.response)) == []


def problems_of_parameters(told: dict[str, Any], example: Example) -> Iterator[str]:
    """What is wrong with the parameters; in a query string a list of one may stand as its item."""
    known = {found["name"]: found for found in told.get("parameters", ()) if "name" in found}
    yield from (f"{name}: unknown" for name in set(example.parameters) - set(known))
    for name, found in known.items():
        value = example.parameters.get(name)
        if value is None:
            yield from [f"{name}: is required"] * bool(found["required"])
        else:
            schema = found["schema"]
            is_list, is_number = schema.get("type") == "array", schema.get("type") == "integer"
            sent = value.split(",") if is_list else int(value) if is_number else value
            yield from (f"{name}: {problem}" for problem in problems(schema, sent))


def one_content(value: dict[str, Any]) -> dict[str, Any]:
    [content] = value["content"].values()
    return dict(content)


def problems(schema: dict[str, Any], value: Any) -> Iterator[str]:
    whole = {**schema, "components": {"schemas": closed(DOCUMENT["components"]["schemas"])}}
    found = Draft202012Validator(whole, format_checker=FormatChecker()).iter_errors(value)
    return (f"{list(error.absolute_path)}: {error.message[:300]}" for error in found)


NO_ONE = {"name": "agent", "reader": "agent", "session": "monday", "number": "1"}
LESSER = {"write": "read", "admin": "write"}
GUARDED = [id for id, (_, _, told) in OPERATIONS.items() if told.get("x-scope") in LESSER]
KEYED = [id for id, (_, _, told) in OPERATIONS.items() if told["security"]]


def address_of(path: str) -> str:
    """The address of something that is not there."""
    return re.sub(r"\{(\w+)\}", lambda found: NO_ONE.get(found[1]) or str(uuid4()), path)


@pytest.mark.parametrize("id", GUARDED)
def test_a_key_with_less_is_refused(id: str, db: None) -> None:
    path, method, told = OPERATIONS[id]
    lesser = LESSER[told["x-scope"]]
    key = create_key(workspace=Workspace.objects.create(name="acme"), label="lesser", scopes=[lesser])
    client = Client(headers={"Authorization": f"Bearer {key.token}"})
    reply = client.generic(method.upper(), address_of(path))
    refusal = {"error": "permission_denied", "detail": f"This key has no {told['x-scope']} scope."}
    assert (reply.status_code, reply.json()) == (403, refusal)


@pytest.mark.parametrize("id", KEYED)
def test_without_a_key_nothing_is_told(id: str, db: None) -> None:
    path, method, _ = OPERATIONS[id]
    reply = Client().generic(method.upper(), address_of(path))
    assert (reply.status_code, reply.json()["error"]) == (401, "not_authenticated")


def test_it_is_served_without_a_key(db: None) -> None:
    reply = Client().get("/api/v1/openapi.json")
    assert (reply.status_code, reply["Content-Type"]) == (200, "application/json")
    assert reply.json() == json.loads(json.dumps(DOCUMENT))


def test_a_described_method_is_the_method_itself() -> None:
    def get(request: Any) -> None:
        """Nothing."""

    before = get
    described = operation("Nothing", returns=dict[str, Any])(get)
    assert described is before
    found = operation_of(described)
    assert found is not None
    assert replace(found, summary="") == replace(found, summary="", statuses={200: ""})
    assert operation_of(test_it_is_valid_openapi) is None


def test_serving_imports_nothing_of_what_makes_the_document() -> None:
    script = (
        "import sys, django; django.setup(); import memory.api.urls;"
        "print([name for name in sys.modules if name.startswith(('drf_spectacular.', 'jsonschema'))])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": "."},
    )
    assert ran.stdout.strip() == "[]"


def test_views_without_a_description_are_refused() -> None:
    from memory.api.operations.inspecting import UndescribedError, described

    class Undescribed(APIView):
        def get(self, request: Any) -> None:
            """Nothing."""

    view = Undescribed()
    view.request = APIRequestFactory().get("/")
    with pytest.raises(UndescribedError, match=r"Undescribed\.get has no @operation"):
        described(view, "GET")
