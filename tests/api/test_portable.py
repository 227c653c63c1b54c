"""Export and import over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpResponse
from django.test import AsyncClient, Client

from memory.api import portable_views
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Message, Workspace
from tests.cascade.story import an_entity
from tests.factories import make_message
from tests.stewardship.exporting.files import empty_the_place, exported

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Entity:
    entity = an_entity("agent/alice")
    make_message(entity, "I live in Oslo.")
    return entity


def headers_of(workspace: Workspace, *scopes: str) -> dict[str, Any]:
    token = create_key(workspace=workspace, label="test", scopes=scopes or ("admin",)).token
    return {"Authorization": f"Bearer {token}"}


def post(path: str, body: bytes, headers: dict[str, Any]) -> HttpResponse:
    client = Client(headers=headers, raise_request_exception=False)
    return client.post(path, body, content_type="application/x-ndjson")  # type: ignore[return-value]


def test_a_memory_goes_out_and_comes_in(alice: Entity) -> None:
    reply = Client(headers=headers_of(alice.workspace)).get("/api/v1/entities/agent/alice/export")
    file = b"".join(reply.streaming_content)  # type: ignore[attr-defined]
    assert (reply.status_code, reply["Content-Type"]) == (200, "application/x-ndjson")
    assert int(reply["Content-Length"]) == len(file)
    assert file == exported(alice)
    empty_the_place()

    workspace = Workspace.objects.create(name="other")
    brought = post("/api/v1/entities/agent.copy/import", file, headers_of(workspace))

    assert brought.status_code == 201
    assert (brought.json()["entity"], brought.json()["rows"]["message"]) == ("agent.copy", 1)
    assert Message.objects.get().entity.name == "agent.copy"


def test_an_asynchronous_server_streams_it_too(alice: Entity) -> None:
    headers = headers_of(alice.workspace)

    async def read() -> bytes:
        reply = await AsyncClient().get("/api/v1/entities/agent/alice/export", headers=headers)
        return b"".join([piece async for piece in reply.streaming_content])  # type: ignore[attr-defined]

    assert async_to_sync(read)() == exported(alice)


@pytest.mark.parametrize("scopes", [("read",), ("write",)])
def test_lesser_keys_carry_nothing_out_or_in(alice: Entity, scopes: tuple[str, ...]) -> None:
    headers = headers_of(alice.workspace, *scopes)
    out = Client(headers=headers).get("/api/v1/entities/agent/alice/export")
    back = post("/api/v1/entities/agent.copy/import", exported(alice), headers)
    denied = {"error": "permission_denied", "detail": "This key has no admin scope."}
    assert [(reply.status_code, reply.json()) for reply in (out, back)] == [(403, denied)] * 2


def test_a_key_of_another_workspace_finds_nothing(alice: Entity) -> None:
    headers = headers_of(Workspace.objects.create(name="other"))
    reply = Client(headers=headers).get("/api/v1/entities/agent/alice/export")
    assert (reply.status_code, reply.json()["error"]) == (404, "not_found")


def test_a_bound_key_makes_no_entity(alice: Entity) -> None:
    headers = headers_of(alice.workspace)
    Key.objects.update(is_bound=True)
    reply = post("/api/v1/entities/agent.copy/import", exported(alice), headers)
    assert (reply.status_code, reply.json()["error"]) == (403, "permission_denied")


def test_what_is_no_export_is_refused_with_its_line(alice: Entity) -> None:
    reply = post("/api/v1/entities/agent.copy/import", b"{}\n", headers_of(alice.workspace))
    assert (reply.status_code, reply.json()) == (
        400,
        {"error": "invalid", "detail": "line 1: this is no export of an entity. Nothing was imported."},
    )


def test_an_empty_body_is_told(alice: Entity) -> None:
    reply = post("/api/v1/entities/agent.copy/import", b"", headers_of(alice.workspace))
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid")


def test_a_body_that_is_too_large_is_not_read(alice: Entity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable_views, "IMPORT_BYTES_LIMIT", 1)
    reply = post("/api/v1/entities/agent.copy/import", b"{}\n", headers_of(alice.workspace))
    assert (reply.status_code, reply.json()["error"]) == (413, "too_large")
