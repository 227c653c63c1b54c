"""Forgetting and erasing over HTTP: two steps with a token, and an audit."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from memory.indexing.step import index_entity
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Message
from tests.api.conftest import Caller
from tests.cascade.story import an_entity
from tests.factories import make_atom, make_message, make_workspace

pytestmark = pytest.mark.django_db(transaction=True)

ALICE = "agent.alice"


@pytest.fixture
def alice() -> Entity:
    """Two lockers, each claim on its own words."""
    with transaction.atomic():
        entity = an_entity(ALICE)
        for place, number in (("work", 12), ("the gym", 15)):
            said = make_message(entity, f"My locker at {place} is {number}.", session=place)
            make_atom(entity, f"Alice's locker at {place} is {number}.", [said], terms=["locker"])
    index_entity(entity_id=entity.pk)
    return entity


def caller(*scopes: str, workspace: str = "demo") -> Caller:
    return Caller(create_key(workspace=make_workspace(workspace), label="a key", scopes=scopes).token)


def words() -> list[str]:
    return list(Message.objects.order_by("seq").values_list("text", flat=True))


def test_what_is_forgotten_is_listed_confirmed_and_told(alice: Entity) -> None:
    agent, person = caller("write"), caller("admin")
    listed = agent.post("/api/v1/forget", {"entity": ALICE, "text": "forget my locker at work"})
    body = listed.json()
    assert listed.status_code == 200
    assert [match["text"] for match in body["matches"]] == ["Alice's locker at work is 12."]
    assert [said["text"] for said in body["matches"][0]["messages"]] == ["My locker at work is 12."]
    assert (body["matter"], body["wants_old"], body["erasure"]["status"]) == (
        "my locker at work",
        False,
        "planned",
    )
    confirmation = {"entity": ALICE, "token": body["token"]}

    denied = agent.post("/api/v1/forget/confirm", confirmation)
    assert (denied.status_code, len(words())) == (403, 2)
    done = person.post("/api/v1/forget/confirm", confirmation)

    assert (done.status_code, done.json()["erasure"]["status"]) == (200, "done")
    assert words() == ["My locker at the gym is 15."]
    again = person.post("/api/v1/forget/confirm", confirmation)
    assert (again.status_code, again.json()["error"]) == (409, "refused")
    audit = person.get("/api/v1/erasures", entity=ALICE).json()
    assert [(found["status"], found["key"], found["counts"]["messages"]) for found in audit["erasures"]] == [
        ("done", "a key", 1)
    ]


def test_what_is_to_be_kept_stays(alice: Entity) -> None:
    person = caller("admin")
    body = person.post("/api/v1/forget", {"entity": ALICE, "text": "forget my locker"}).json()
    assert len(body["matches"]) == 2
    confirmation = {"entity": ALICE, "token": body["token"], "keep": [body["matches"][1]["id"]]}
    assert person.post("/api/v1/forget/confirm", confirmation).status_code == 200
    assert words() == ["My locker at the gym is 15."]


@pytest.mark.parametrize(
    "scope",
    [
        {"kind": "session", "sessions": ["work"]},
        {"kind": "period", "until": "2026-06-02T09:00:30Z"},
    ],
)
def test_an_erase_is_counted_and_then_confirmed(alice: Entity, scope: dict[str, Any]) -> None:
    person = caller("admin")
    planned = person.post("/api/v1/erase", {"entity": ALICE, "scope": scope, "reason": "asked by mail"})
    body = planned.json()
    assert (planned.status_code, body["erasure"]["status"], len(words())) == (200, "planned", 2)
    done = person.post("/api/v1/erase/confirm", {"entity": ALICE, "token": body["token"]})
    assert done.json()["erasure"]["counts"]["messages"] == body["erasure"]["counts"]["messages"]
    assert "My locker at work is 12." not in words()


def test_a_whole_entity_goes_and_its_erasure_is_told(alice: Entity) -> None:
    person = caller("admin")
    body = person.post("/api/v1/erase", {"entity": ALICE, "scope": {"kind": "entity"}}).json()
    done = person.post("/api/v1/erase/confirm", {"entity": ALICE, "token": body["token"]})
    assert done.status_code == 200
    assert (words(), Entity.objects.count()) == ([], 0)
    assert [found["scope"] for found in person.get("/api/v1/erasures").json()["erasures"]] == ["entity"]
    assert person.get("/api/v1/erasures", entity=ALICE).status_code == 404


@pytest.mark.parametrize("path", ["erase", "erase/confirm", "forget/confirm"])
def test_taking_away_needs_scope_admin(alice: Entity, path: str) -> None:
    reply = caller("write").post(f"/api/v1/{path}", {"entity": ALICE})
    assert (reply.status_code, reply.json()["detail"]) == (403, "This key has no admin scope.")


def test_asking_needs_scope_write(alice: Entity) -> None:
    reply = caller("read").post("/api/v1/forget", {"entity": ALICE, "text": "forget my locker"})
    assert reply.status_code == 403


def test_another_workspace_finds_and_confirms_nothing(alice: Entity) -> None:
    token = caller("admin").post("/api/v1/forget", {"entity": ALICE, "text": "my locker"}).json()["token"]
    stranger = caller("admin", workspace="elsewhere")
    an_entity(ALICE, workspace="elsewhere")
    reply = stranger.post("/api/v1/forget/confirm", {"entity": ALICE, "token": token})
    assert (reply.status_code, len(words())) == (409, 2)
    assert stranger.get("/api/v1/erasures").json()["erasures"] == []


def test_a_bound_key_sees_the_erasures_of_its_entities_alone(alice: Entity) -> None:
    bound = caller("admin")
    Key.objects.update(is_bound=True)
    assert bound.get("/api/v1/erasures").status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": ""}, 400),
        ({"text": "forget everything"}, 409),
        ({"text": "forget my locker", "keep": ["no id"]}, 400),
        ({"text": "forget my locker", "force": True}, 400),
    ],
)
def test_what_cannot_be_asked_is_told(alice: Entity, body: dict[str, Any], status: int) -> None:
    assert caller("write").post("/api/v1/forget", {"entity": ALICE, **body}).status_code == status


def test_nothing_found_gives_no_token(alice: Entity) -> None:
    body = caller("write").post("/api/v1/forget", {"entity": ALICE, "text": "forget my passport"}).json()
    assert (body["matches"], body["erasure"], body["token"]) == ([], None, None)


def test_the_audit_has_pages(alice: Entity) -> None:
    person = caller("admin")
    for _ in range(3):
        person.post("/api/v1/forget", {"entity": ALICE, "text": "forget my locker"})
    first = person.get("/api/v1/erasures", limit=2).json()
    second = person.get("/api/v1/erasures", limit=2, after=first["next_after"]).json()
    assert [len(first["erasures"]), len(second["erasures"]), second["next_after"]] == [2, 1, None]
