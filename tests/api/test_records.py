"""`POST /records`."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.incoming import IncomingMessage
from memory.models import Entity, Message
from tests.api.conftest import Caller


def body(*messages: dict[str, Any], entity: str = "agent.alice") -> dict[str, Any]:
    filled = [{"session": "s1", "role": "user", "text": "hi"} | message for message in messages]
    return {"entity": entity, "messages": filled}


@pytest.mark.parametrize("path", ["/records", "/api/v1/records"])
def test_a_batch_is_stored_and_its_places_are_told(caller: Caller, alice: Entity, path: str) -> None:
    reply = caller.post(path, body({"text": "Grüße 🎉"}, {"session": "s2", "dedupe_key": "k"}))
    first, second = Message.objects.for_entity(alice).order_by("seq")
    assert (reply.status_code, reply.json()) == (
        201,
        {
            "entity": "agent.alice",
            "records": [
                {"id": str(first.pk), "seq": first.seq, "session": "s1", "ordinal": 0, "created": True},
                {"id": str(second.pk), "seq": second.seq, "session": "s2", "ordinal": 0, "created": True},
            ],
            "redacted": {},
            "erased": [],
        },
    )
    assert first.text == "Grüße 🎉"
    again = caller.post(path, body({"session": "s2", "dedupe_key": "k"}))
    assert again.json()["records"] == [reply.json()["records"][1] | {"created": False}]


def test_times_are_now_given_or_unknown(caller: Caller, alice: Entity) -> None:
    caller.post(
        "/records",
        body({}, {"occurred_at": "2023-05-08T15:56:00+02:00"}, {"occurred_at": None}),
    )
    now, given, unknown = Message.objects.for_entity(alice).order_by("ordinal")
    assert now.occurred_at is not None
    assert (given.occurred_at, unknown.occurred_at) == (datetime(2023, 5, 8, 13, 56, tzinfo=UTC), None)


def test_a_new_entity_is_made(caller: Caller, alice: Entity) -> None:
    assert caller.post("/records", body({}, entity="agent.new")).status_code == 201
    assert Entity.objects.filter(workspace=alice.workspace, name="agent.new").exists()


def test_every_problem_is_named_and_nothing_is_stored(caller: Caller) -> None:
    reply = caller.post("/records", body({}, {"text": " "}, {"role": "robot", "mood": 1}, entity="agent.new"))
    role = "Input should be 'user', 'assistant', 'tool' or 'system'"
    unknown = f"is unknown; known are {', '.join(IncomingMessage.model_fields)}"
    assert (reply.status_code, reply.json()) == (
        400,
        {
            "error": "invalid",
            "detail": f"messages[1].text: is blank; messages[2].role: {role}; messages[2].mood: {unknown}",
            "problems": [
                {"index": 1, "field": "text", "problem": "is blank"},
                {"index": 2, "field": "role", "problem": role},
                {"index": 2, "field": "mood", "problem": unknown},
            ],
        },
    )
    assert not Message.objects.exists()
    assert not Entity.objects.filter(name="agent.new").exists()


def test_a_conflict_is_told(caller: Caller) -> None:
    caller.post("/records", body({"dedupe_key": "k"}))
    reply = caller.post("/records", body({"text": "new"}, {"text": "ho", "dedupe_key": "k"}))
    assert (reply.status_code, reply.json()["error"]) == (409, "conflict")
    assert reply.json()["detail"] == "messages[1].dedupe_key: already stands for another message"
    assert Message.objects.count() == 1


@pytest.mark.parametrize(("field", "text"), [("text", "\\u0000"), ("speaker", "\\ud83c")])
def test_what_cannot_be_stored_is_refused(caller: Caller, field: str, text: str) -> None:
    given = f'"session": "s", "role": "user", "text": "a", "{field}": "a{text}"'
    raw = f'{{"entity": "agent.alice", "messages": [{{{given}}}]}}'
    reply = caller.client.post("/records", raw, content_type="application/json")
    assert (reply.status_code, reply.json()["problems"][0]["field"]) == (400, field)


@pytest.mark.parametrize(
    ("sent", "detail"),
    [
        ([], "The body has to be a JSON object."),
        ({}, "entity: has to be a text."),
        ({"entity": 7, "messages": []}, "entity: has to be a text."),
        ({"entity": "a"}, "messages: has to be a list."),
        ({"entity": "a", "messages": []}, "messages: holds 0 messages, 1 to 100 are taken"),
        ({"entity": "a", "messages": [{}] * 101}, "messages: holds 101 messages, 1 to 100 are taken"),
        ({"entity": "a", "messages": [], "mood": 1}, "Unknown field: mood. Known are entity, messages."),
        ({"entity": " a", "messages": [{"session": "s", "role": "user", "text": "x"}]}, None),
    ],
)
def test_a_wrong_shape_is_told(caller: Caller, sent: Any, detail: str | None) -> None:
    reply = caller.post("/records", sent)
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid")
    if detail is not None:
        assert reply.json()["detail"] == detail


def test_a_body_has_a_size(caller: Caller) -> None:
    reply = caller.client.post("/records", b" " * (16 * 1024 * 1024 + 1), content_type="application/json")
    assert (reply.status_code, reply.json()["error"]) == (413, "too_large")


def test_statements_do_not_grow_with_the_batch(caller: Caller) -> None:
    caller.post("/records", body({}))
    counts = []
    for size in (2, 100):
        with CaptureQueriesContext(connection) as captured:
            caller.post("/records", body(*[{"session": f"s{size}"}] * size))
        counts.append(len(captured))
    assert counts[0] == counts[1]
