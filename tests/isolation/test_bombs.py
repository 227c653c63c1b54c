"""Bodies that are small to send and large to take."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from tests.isolation.addresses import filled
from tests.isolation.test_api_walk import API, operations, route_in_document
from tests.isolation.walking import REFUSALS, bearer
from tests.isolation.world import World, state_of

DEEP = "[" * 100_000
NESTED = '{"a":' * 40 + "1" + "}" * 40
MANY = json.dumps({f"f{number}": 1 for number in range(20_000)})
LONG_NUMBER = '{"limit": ' + "9" * 100_000 + "}"
BOMBS = {"deep": DEEP, "nested": NESTED, "many": MANY, "number": LONG_NUMBER}


def writing(world: World) -> list[tuple[str, str]]:
    described = operations()
    return [
        (method, filled(door, world, "own")[0])
        for door in API
        for method in ("post", "put", "patch", "delete")
        if "requestBody" in described.get((route_in_document(door), method), {})
    ]


@pytest.mark.parametrize("bomb", sorted(BOMBS))
def test_no_operation_takes_a_body_that_is_a_trap(bomb: str, world: World) -> None:
    client = bearer(world.tokens["workspace"])
    before = state_of(world.entities["own"].workspace_id)
    wrong = []
    for method, address in writing(world):
        reply = getattr(client, method)(address, BOMBS[bomb], content_type="application/json")
        if reply.status_code not in REFUSALS | {413}:
            wrong.append(f"{method} {address}: {reply.status_code}")
    assert wrong == []
    assert {
        name: value
        for name, value in state_of(world.entities["own"].workspace_id).items()
        if value != before[name]
    }.keys() <= {"memory_key"}


def test_a_packed_body_is_not_unpacked(world: World) -> None:
    """What is said to be gzip is read as it came: no JSON, whatever would be inside."""
    packed = gzip.compress(b'{"entity": "' + b"a" * 10_000_000 + b'"}')
    client = bearer(world.tokens["workspace"])
    for method, address in writing(world):
        reply: Any = getattr(client, method)(
            address, packed, content_type="application/json", headers={"Content-Encoding": "gzip"}
        )
        assert reply.status_code in {400, 409, 415}, (address, reply.content)


def test_forms_of_pages_have_a_size_and_a_number_of_fields(world: World) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(world.people["own"])
    many = {f"f{number}": "x" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)}
    large = {"text": "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}
    for path in ("/showcase/agent-memory/try/say/", "/admin/login/", "/showcase/theme/"):
        for body in (many, large):
            reply = client.post(
                path,
                "&".join(f"{name}={value}" for name, value in body.items()),
                content_type="application/x-www-form-urlencoded",
            )
            assert reply.status_code in {400, 413}, (path, reply.status_code)
