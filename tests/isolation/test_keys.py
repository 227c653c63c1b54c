"""What a key opens, at every operation: its scopes, its end, and how it is found."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.ingest import access
from memory.ingest.workspaces import create_key
from memory.mcp.catalog import TOOLS
from memory.models import Entity, Key
from tests.isolation.addresses import filled
from tests.isolation.test_api_walk import API, operations, route_in_document
from tests.isolation.walking import ask, bearer
from tests.isolation.world import World

COVERED: Mapping[str, tuple[str, ...]] = {
    "read": ("read",),
    "write": ("read", "write"),
    "admin": ("read", "write", "admin"),
}
"""A key's scope, with those of the operations that it covers."""
LOWER = {"write": "read", "admin": "write"}


def every_operation(world: World) -> list[tuple[str, str, str]]:
    """Method, an address of one's own, and the scope that the document names."""
    described = operations()
    found = []
    for door in API:
        for method in ("get", "post", "put", "patch", "delete"):
            operation = described.get((route_in_document(door), method))
            if operation is not None:
                found.append((method, filled(door, world, "own")[0], operation.get("x-scope", "")))
    return found


@pytest.fixture
def keys(world: World) -> Mapping[str, str]:
    workspace = world.entities["own"].workspace
    return {scope: create_key(workspace=workspace, label=scope, scopes=[scope]).token for scope in COVERED}


def test_a_key_without_the_scope_of_an_operation_is_refused_before_anything_is_read(
    world: World, keys: Mapping[str, str]
) -> None:
    wrong = []
    asked = [each for each in every_operation(world) if each[2] in LOWER]
    for method, address, scope in asked:
        answer = ask(bearer(keys[LOWER[scope]]), method, address, None if method == "get" else {})
        if answer.status != 403 or f"no {scope} scope" not in answer.text:
            wrong.append(answer.told)
    assert wrong == []
    assert len(asked) > 40


@pytest.mark.parametrize("state", ["none", "unknown", "expired", "revoked"])
def test_a_key_that_is_no_more_opens_no_operation(state: str, world: World) -> None:
    client = bearer(token_of(state, world)) if state != "none" else Client(raise_request_exception=False)
    wrong = [
        answer.told
        for method, address, scope in every_operation(world)
        if scope and (answer := ask(client, method, address, None if method == "get" else {})).status != 401
    ]
    assert wrong == []


def token_of(state: str, world: World) -> str:
    if state == "unknown":
        return Key.new_token()
    issued = create_key(
        workspace=world.entities["own"].workspace, label=state, scopes=["read", "write", "admin"]
    )
    now = timezone.now()
    ended = {"expires_at": now} if state == "expired" else {"revoked_at": now}
    Key.objects.filter(pk=issued.key.pk).update(**ended)
    return issued.token


def test_a_key_whose_entities_are_gone_opens_no_other(world: World) -> None:
    """A bound key that has outlived its entities is not a key to the whole workspace."""
    workspace = world.entities["own"].workspace
    gone = Entity.objects.create(workspace=workspace, name="agent.gone")
    token = create_key(workspace=workspace, label="bound", entities=[gone]).token
    gone.delete()
    client = bearer(token)
    name = world.entities["own"].name
    assert [ask(client, "get", f"/api/v1/{path}", entity=name).status for path in ("atoms", "persona")] == [
        404,
        404,
    ]
    assert ask(client, "get", "/api/v1/entities").shows([name]) == []


def test_every_tool_names_a_scope() -> None:
    assert {tool.scope for tool in TOOLS.values()} <= set(COVERED)


def test_a_token_is_found_by_its_digest_and_compared_with_nothing(world: World) -> None:
    """What is looked up is a hash: how long it takes says nothing of a token that is nearly right."""
    token = world.tokens["workspace"]
    with CaptureQueriesContext(connection) as captured:
        assert access.open_access(token) is not None
    told = repr(captured.captured_queries)
    assert (token in told, token[8:] in told) == (False, False)
    nearly = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert access.open_access(nearly) is None
    assert "==" not in inspect.getsource(access.open_access)
    stored = Key.objects.get(digest=Key.digest_of(token))
    assert (len(stored.digest), len(stored.prefix)) == (64, 8)
    held = [str(value) for value in vars(stored).values()]
    assert [value for value in held if token in value or token[8:] in value] == []


def test_a_token_cannot_be_guessed() -> None:
    tokens = {Key.new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) >= len("msk_") + 43 for token in tokens} == {True}


def test_expiry_is_looked_at_with_every_request(world: World) -> None:
    issued: Any = create_key(
        workspace=world.entities["own"].workspace,
        label="short",
        expires_at=timezone.now() + timedelta(hours=1),
    )
    path, name = "/api/v1/persona", world.entities["own"].name
    assert ask(bearer(issued.token), "get", path, entity=name).status == 200
    Key.objects.filter(pk=issued.key.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert ask(bearer(issued.token), "get", path, entity=name).status == 401
