"""A key, and a client that sends it."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from memory.ingest.entities import ensure_entity
from memory.ingest.workspaces import create_key
from memory.models import Entity, Workspace


@pytest.fixture
def alice(db: None) -> Entity:
    return ensure_entity(workspace=Workspace.objects.create(name="acme"), name="agent.alice")


@pytest.fixture
def bob(db: None) -> Entity:
    """Of another workspace, under the same name; nothing of his may appear."""
    return ensure_entity(workspace=Workspace.objects.create(name="globex"), name="agent.alice")


@pytest.fixture
def token(alice: Entity) -> str:
    return create_key(workspace=alice.workspace, label="test").token


class Caller:
    """Django's client with a key. Errors of views become replies, as they do for real clients."""

    def __init__(self, token: str = "") -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.client = Client(headers=headers, raise_request_exception=False)

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self.client.get(path, query)  # type: ignore[return-value]

    def post(self, path: str, body: Any) -> HttpResponse:
        return self.client.post(path, body, content_type="application/json")  # type: ignore[return-value]

    def patch(self, path: str, body: Any) -> HttpResponse:
        return self.client.patch(path, body, content_type="application/json")  # type: ignore[return-value]

    def delete(self, path: str) -> HttpResponse:
        return self.client.delete(path)  # type: ignore[return-value]


@pytest.fixture
def caller(token: str) -> Caller:
    return Caller(token)
