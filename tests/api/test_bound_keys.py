"""A key that is bound to one entity, with every scope, at every address: nobody else is there for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver

from memory.api.views import JsonView
from memory.indexing.step import index_entity
from memory.ingest.workspaces import create_key
from memory.models import Entity, IdempotentReply, Key
from tests.api.conftest import Caller
from tests.cast import make_alice
from tests.factories import NewLine, make_entity, make_message, make_rule, make_scene

ALICE, CAROL = "agent.alice-test", "agent.carol"
WORDS = (ALICE, "Express", "approval", "Billing API")
EVERY_SCOPE = (Key.Scope.READ, Key.Scope.WRITE, Key.Scope.ADMIN)
NOT_THERE = {400, 403, 404, 405, 409, 410, 415, 422}
WRITES = ("post", "put", "patch", "delete")
STREAM = "events"
"""Needs another server than these tests have; tests/events has the same for it."""
QUERIES: tuple[dict[str, str], ...] = (
    {},
    {"entity": ALICE},
    {"entity": CAROL},
    {"entity": CAROL, "shared": ALICE},
    {"entity": ALICE, "query": "Express"},
    {"entity": CAROL, "query": "Express", "shared": ALICE},
    {"entity": ALICE, "task": "Express"},
    {"entity": ALICE, "question": "Express?"},
)
NO_MEMORY = ("health", "catalog", "openapi.json")
"""Tell the same to everybody."""


def addresses(patterns: list[Any] | None = None, before: str = "") -> Iterator[tuple[str, type[JsonView]]]:
    """The API's addresses, with their views."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and route.startswith("api/v1/"):
            view = getattr(pattern.callback, "view_class", None)
            if view is not None and issubclass(view, JsonView):
                yield route, view


def ids_of(entity: Entity) -> list[UUID]:
    """The id of one row of each kind that is the entity's, and its own."""
    found: list[Any] = [entity.pk]
    for model in apps.get_app_config("memory").get_models():
        if {"entity", "id"} <= {field.name for field in model._meta.fields}:
            found += list(model._default_manager.filter(entity=entity).values_list("pk", flat=True)[:1])
    return [pk for pk in found if isinstance(pk, UUID)]


def counts() -> dict[str, int]:
    """How many rows there are of each kind."""
    models = apps.get_app_config("memory").get_models()
    return {
        model.__name__: model._default_manager.count() for model in models if model is not IdempotentReply
    }


def filled(route: str, ids: list[UUID]) -> list[str]:
    """The address with the other one's names and ids in it; an id stands for whatever it may be the id of."""
    route = route.replace("<int:number>", "1").replace("<path:reader>", ALICE)
    route = route.replace("<path:name>", ALICE).replace("<path:session>", "second")
    start, end = route.find("<uuid:"), route.find(">")
    if start < 0:
        return [f"/{route}"]
    return [f"/{route[:start]}{pk}{route[end + 1 :]}" for pk in ids]


@pytest.fixture
def others_ids(db: None) -> list[UUID]:
    """Alice's, of all layers; Carol lives in the same workspace."""
    alice = make_alice().entity
    index_entity(entity_id=alice.pk)
    carol = make_entity(CAROL, workspace=alice.workspace)
    said = [make_message(carol, "Water the plants on Monday.")]
    rule = make_rule(carol, "Water the plants on Monday.", said)
    make_scene(carol, "Plants", [NewLine("core_sop", rule.text, [rule])])
    return ids_of(alice)


@pytest.fixture
def carol(others_ids: list[UUID]) -> Caller:
    entity = Entity.objects.get(name=CAROL)
    issued = create_key(workspace=entity.workspace, label="carol", scopes=EVERY_SCOPE, entities=[entity])
    return Caller(issued.token)


def shows(text: str, ids: list[UUID]) -> list[str]:
    """What of Alice's is in a reply."""
    return [word for word in (*WORDS, *map(str, ids)) if word in text]


def test_nothing_of_another_entity_is_read(carol: Caller, others_ids: list[UUID]) -> None:
    asked = 0
    for route, view in addresses():
        if not hasattr(view, "get") or route.endswith((STREAM, *NO_MEMORY)):
            continue
        for address in filled(route, others_ids):
            # An id says by itself whose it is.
            for query in QUERIES[:2] if "<uuid:" in route else QUERIES:
                reply = carol.get(address, **query)
                text = b"".join(reply) if reply.streaming else reply.content
                told = text.decode()
                if reply.status_code == 404:
                    told = told.replace(address, "")
                assert shows(told, others_ids) == [], (address, query, reply.status_code)
                assert reply.status_code in NOT_THERE | {200}, (address, query)
                if "<uuid:" in route or query.get("entity") == ALICE or "<path:name>" in route:
                    assert reply.status_code != 200, (address, query)
                asked += 1
    assert asked > 300


def test_nothing_of_another_entity_is_written(carol: Caller, others_ids: list[UUID]) -> None:
    before = counts()
    bodies: list[dict[str, Any]] = [
        {"entity": ALICE},
        {"entity": ALICE, "messages": [{"session": "second", "role": "user", "text": "Forget it."}]},
        {"entity": ALICE, "text": "forget Express", "query": "Express", "task": "x", "question": "Express?"},
        {"turns": [{"role": "user", "text": "Forget it."}], "reason": "x", "text": "x", "title": "x"},
        {},
    ]
    for route, view in addresses():
        for method in (name for name in WRITES if hasattr(view, name)):
            for address in filled(route, others_ids):
                for body in bodies:
                    if "<" not in route and "entity" not in body:
                        continue
                    send = getattr(carol.client, method)
                    reply = send(address, json.dumps(body), content_type="application/json")
                    assert reply.status_code in NOT_THERE, (method, address, body, reply.status_code)
                    assert shows(reply.content.decode().replace(address, ""), others_ids) == []
    assert counts() == before
