"""Links: made by a key that reads, for what it opens itself, and closed with it."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core import signing
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.ingest.entities import ensure_entity
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Scene, Share
from memory.stewardship.links import SALT
from tests.api.conftest import Caller
from tests.factories import NewLine, make_message, make_rule, make_scene

LINKS = "/api/v1/links"
HOST = "http://testserver/shared/"
WORDS = "Never deploy without approval."


@pytest.fixture
def reader(alice: Entity) -> Caller:
    return Caller(create_key(workspace=alice.workspace, label="reader", scopes=[Key.Scope.READ]).token)


def scene_of(entity: Entity) -> Scene:
    rule = make_rule(entity, WORDS, [make_message(entity, WORDS)])
    return make_scene(entity, "Deploying", [NewLine("prohibitions", WORDS, [rule])]).scene


def token_of(reply: Any) -> str:
    return str(reply.json()["url"]).removeprefix(HOST).rstrip("/")


def test_a_reading_key_makes_a_link_to_a_timeline(reader: Caller, alice: Entity) -> None:
    before = timezone.now()
    reply = reader.post(LINKS, {"entity": "agent.alice"})
    body = reply.json()
    expires_at = datetime.fromisoformat(body.pop("expires_at"))
    assert body.pop("url").startswith(HOST)
    assert (reply.status_code, reply["Cache-Control"], body) == (
        201,
        "no-store",
        {"target": "timeline", "entity": "agent.alice", "scene": None},
    )
    assert before + timedelta(minutes=59) < expires_at <= timezone.now() + timedelta(hours=1)


def test_the_token_holds_ids_and_an_end_and_nothing_else(reader: Caller, alice: Entity) -> None:
    scene = scene_of(alice)
    body = reader.post(LINKS, {"scene": str(scene.pk), "lifetime_seconds": 600}).json()
    assert (body["target"], body["entity"], body["scene"]) == ("scene", "agent.alice", str(scene.pk))
    told = signing.loads(body["url"].removeprefix(HOST).rstrip("/"), salt=SALT)
    key = Key.objects.get(label="reader")
    assert told == {
        "version": 1,
        "workspace": alice.workspace_id.hex,
        "entity": alice.pk.hex,
        "scene": scene.pk.hex,
        "key": key.pk.hex,
        "until": int(datetime.fromisoformat(body["expires_at"]).timestamp()),
    }


def test_a_link_ends_with_its_key(alice: Entity) -> None:
    ends_at = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=5)
    key = create_key(workspace=alice.workspace, label="short", scopes=["read"], expires_at=ends_at)
    reply = Caller(key.token).post(LINKS, {"entity": "agent.alice", "lifetime_seconds": 86_400})
    assert datetime.fromisoformat(reply.json()["expires_at"]) == ends_at


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({}, "body: entity, scene: give one of them."),
        (
            {"entity": "agent.alice", "scene": str(UUID(int=1))},
            "body: entity, scene: give one of them.",
        ),
        (
            {"entity": "agent.alice", "lifetime_seconds": 86_401},
            "lifetime_seconds: has to be less than or equal to 86400.",
        ),
        (
            {"entity": "agent.alice", "lifetime_seconds": 59},
            "lifetime_seconds: has to be greater than or equal to 60.",
        ),
        (
            {"entity": "agent.alice", "until": 1},
            "Unknown field: until. Known are entity, scene, lifetime_seconds.",
        ),
    ],
)
def test_what_cannot_be_taken_is_refused(reader: Caller, given: dict[str, Any], detail: str) -> None:
    reply = reader.post(LINKS, given)
    assert (reply.status_code, reply.json()) == (400, {"error": "invalid", "detail": detail})


def test_nothing_is_linked_that_the_key_does_not_open_itself(alice: Entity, bob: Entity) -> None:
    other = ensure_entity(workspace=alice.workspace, name="agent.other")
    Share.objects.create(workspace=alice.workspace, entity=alice, reader=other, reason="")
    bound = Caller(create_key(workspace=alice.workspace, label="bound", entities=[other]).token)
    for given in (
        {"entity": "agent.alice"},
        {"entity": "nobody"},
        {"scene": str(scene_of(alice).pk)},
        {"scene": str(scene_of(bob).pk)},
    ):
        reply = bound.post(LINKS, given)
        assert (reply.status_code, reply.json()["error"]) == (404, "not_found")
    assert bound.get("/timeline", entity="agent.alice").status_code == 200


def test_a_scene_that_has_ended_is_not_linked(reader: Caller, alice: Entity) -> None:
    scene = scene_of(alice)
    Scene.objects.filter(pk=scene.pk).update(status="retired", slot=None)
    reply = reader.post(LINKS, {"scene": str(scene.pk)})
    assert (reply.status_code, reply.json()) == (
        409,
        {"error": "refused", "detail": "The scene has ended: a link shows what holds."},
    )


def test_a_link_is_made_in_a_few_statements_and_stores_nothing(reader: Caller, alice: Entity) -> None:
    scene = scene_of(alice)
    reader.post(LINKS, {"entity": "agent.alice"})
    for given, most in (({"entity": "agent.alice"}, 2), ({"scene": str(scene.pk)}, 3)):
        with CaptureQueriesContext(connection) as captured:
            assert reader.post(LINKS, given).status_code == 201
        told = [str(one["sql"]) for one in captured]
        writes = [sql for sql in told if re.search(r"\b(?:INSERT|UPDATE|DELETE)\b", sql)]
        assert (len(told) <= most, writes) == (True, [])


def test_who_made_a_link_stands_in_the_log_and_the_link_does_not(
    reader: Caller, alice: Entity, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        token = token_of(reader.post(LINKS, {"entity": "agent.alice"}))
    key = Key.objects.get(label="reader")
    told = [record.getMessage() for record in caplog.records]
    assert [line for line in told if line.startswith(f"a link was made by key {key.pk} to a timeline")]
    assert [line for line in told if token in line] == []
