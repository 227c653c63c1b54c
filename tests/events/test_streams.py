"""What streams tell, to whom, and how they end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from django.test import Client

from memory.events.places import Place, Token, read_token
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Outbox, Share
from memory.stewardship.actors import Actor
from memory.stewardship.erasing import Scope, erase, plan_erasure
from tests.events.serving import Reader, Told


def say(entity: Entity, text: str = "The badge word is ORCHID.") -> str:
    message = IncomingMessage(session="s1", role="user", text=text)
    return str(append_messages(entity=entity, messages=[message]).messages[0].id)


def emit(entity: Entity, event: str = "step.done", **ids: Any) -> None:
    Outbox.objects.create(workspace_id=entity.workspace_id, entity=entity, event=event, ids=ids)


def opened(reader: Reader) -> str:
    """A token of now."""
    with reader.opened() as reply:
        next(reader.events(reply))
    assert reader.last_id is not None
    return reader.last_id


def ending(reader: Reader) -> Told:
    """The last event of a stream that ends by itself."""
    with reader.opened() as reply:
        *_, last = (event for event in reader.events(reply) if event)
    return last


def test_a_stored_message_is_told_by_its_ids_alone(reader: Reader, alice: Entity) -> None:
    with reader.opened() as reply:
        events = reader.events(reply)
        assert next(events) is None
        stored = say(alice)
        told = next(event for event in events if event)
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (reply.headers["cache-control"], reply.headers["x-accel-buffering"]) == ("no-store", "no")
    assert len(reply.headers["x-request-id"]) == 32
    row = Outbox.objects.get()
    assert told == Told(
        "message.stored",
        {
            "entity": "agent.alice",
            "entity_id": str(alice.pk),
            "ids": {"messages": [stored]},
            "at": row.created_at.isoformat(),
        },
        told.id,
    )
    assert told.id is not None
    assert read_token(told.id).place == Place(row.transaction, row.pk)


def test_only_what_was_asked_for_is_told(
    reader: Reader, alice: Entity, bob: Entity, stranger: Entity
) -> None:
    opened(reader)
    reader.query["events"] = ["step.done", "step.failed"]
    for entity in (stranger, bob, alice):
        say(entity)
        emit(entity, run=entity.name)
        emit(entity, "step.failed", run=entity.name)
    assert [(told.kind, told.data["entity_id"]) for told in reader.take(2)] == [
        ("step.done", str(alice.pk)),
        ("step.failed", str(alice.pk)),
    ]


def test_without_a_name_it_is_all_that_the_key_opens(
    reader: Reader, alice: Entity, bob: Entity, stranger: Entity
) -> None:
    reader.query = {}
    opened(reader)
    for entity in (stranger, bob, alice):
        emit(entity)
    carol = Entity.objects.create(workspace=alice.workspace, name="agent.carol")
    emit(carol)
    assert [told.data["entity"] for told in reader.take(3)] == ["agent.bob", "agent.alice", "agent.carol"]


def test_a_bound_key_hears_of_its_entities_and_of_those_it_may_read(
    url: str, alice: Entity, bob: Entity
) -> None:
    key = create_key(workspace=alice.workspace, label="bound", entities=[alice])
    mine = Reader(url, key.token)
    opened(mine)
    emit(bob)
    emit(alice)
    assert [told.data["entity"] for told in mine.take(1)] == ["agent.alice"]
    with Reader(url, key.token, {"entity": "agent.bob"}).opened() as reply:
        assert reply.status_code == 404
    Share.objects.create(workspace=alice.workspace, entity=bob, reader=alice)
    shared = Reader(url, key.token, {"entity": "agent.bob"}, last_id=opened(mine))
    emit(bob)
    assert [told.data["entity"] for told in shared.take(1)] == ["agent.bob"]
    Share.objects.all().delete()
    with Reader(url, key.token, {"entity": "agent.bob"}).opened() as reply:
        assert reply.status_code == 404


def test_a_share_that_is_taken_back_ends_the_stream(url: str, alice: Entity, bob: Entity) -> None:
    key = create_key(workspace=alice.workspace, label="bound", entities=[alice])
    share = Share.objects.create(workspace=alice.workspace, entity=bob, reader=alice)
    shared = Reader(url, key.token, {"entity": "agent.bob"})
    with shared.opened() as reply:
        events = shared.events(reply)
        assert next(events) is None
        share.delete()
        last = next(event for event in events if event)
    assert (last.kind, last.data) == ("end", {"reason": "access"})


@pytest.mark.parametrize("change", [{"revoked_at": datetime.now(UTC)}, {"expires_at": datetime.now(UTC)}])
def test_a_key_that_is_over_ends_its_streams(reader: Reader, change: dict[str, Any]) -> None:
    with reader.opened() as reply:
        events = reader.events(reply)
        assert next(events) is None
        Key.objects.update(**change)
        last = next(event for event in events if event)
    assert (last.kind, last.data) == ("end", {"reason": "key"})


def test_an_entity_that_is_erased_is_told_and_ends_its_streams(
    reader: Reader, token: str, alice: Entity, bob: Entity
) -> None:
    everything = Reader(reader.url, token)
    opened(everything)
    with reader.opened() as reply:
        events = reader.events(reply)
        assert next(events) is None
        plan = plan_erasure(entity=alice, scope=Scope("entity"), actor=Actor(name="test"))
        erase(erasure=plan, actor=Actor(name="test"))
        told = [event for event in events if event]
    assert [(event.kind, event.data.get("ids") or event.data) for event in told] == [
        ("erased", {"erasure": str(plan.pk)}),
        ("end", {"reason": "erased"}),
    ]
    emit(bob)
    heard = [(event.kind, event.data["entity"], event.data["entity_id"]) for event in everything.take(2)]
    assert heard == [("erased", None, str(alice.pk)), ("step.done", "agent.bob", str(bob.pk))]


def test_a_token_older_than_what_is_kept_is_told(reader: Reader, alice: Entity) -> None:
    now = read_token(opened(reader))
    before = datetime.now(UTC) - timedelta(days=alice.workspace.event_days)
    reader.last_id = str(Token(now.place, int(before.timestamp())))
    emit(alice)
    told = reader.take(1)
    assert [(event.kind, event.data) for event in told] == [("reset", {"reason": "expired"})]


def test_a_token_of_another_database_is_told(reader: Reader) -> None:
    now = read_token(opened(reader))
    reader.last_id = str(Token(Place(now.place.transaction + 10_000, 1), now.at))
    assert [(event.kind, event.data) for event in reader.take(1)] == [("reset", {"reason": "unknown"})]


def test_a_stream_has_an_end_and_is_resumed(reader: Reader, alice: Entity, events_set: Any) -> None:
    events_set(stream_seconds=0.2, heartbeat_seconds=0.05)
    last = ending(reader)
    assert (last.kind, last.data, last.id) == ("end", {"reason": "lifetime"}, None)
    emit(alice, run="between")
    events_set(stream_seconds=60.0)
    assert [told.data["ids"] for told in reader.take(1)] == [{"run": "between"}]


def test_signs_of_life_move_the_place_on(reader: Reader, alice: Entity, bob: Entity, events_set: Any) -> None:
    events_set(heartbeat_seconds=0.05)
    with reader.opened() as reply:
        events = reader.events(reply)
        assert next(events) is None
        emit(bob)
        place = Outbox.objects.values_list("transaction", "id").get()
        while read_token(str(reader.last_id)).place != Place(*place):
            assert next(events) is None


def test_a_slow_reader_is_cut_off_and_resumes(reader: Reader, alice: Entity, events_set: Any) -> None:
    opened(reader)
    events_set(waiting=3, heartbeat_seconds=0.05)
    with reader.opened() as reply:
        events = reader.events(reply)
        # The opening, and a sign of life: what was missed has been read by then.
        assert [next(events), next(events)] == [None, None]
        rows = [
            Outbox(workspace_id=alice.workspace_id, entity=alice, event="step.done", ids={"n": number})
            for number in range(8)
        ]
        Outbox.objects.bulk_create(rows)
        last = next(event for event in events if event)
    assert (last.kind, last.data) == ("end", {"reason": "slow"})
    assert [told.data["ids"]["n"] for told in reader.take(8)] == list(range(8))


def test_streams_are_counted_by_key_and_by_process(reader: Reader, token: str, events_set: Any) -> None:
    other = Reader(reader.url, token)
    with reader.opened() as reply:
        events = reader.events(reply)
        assert next(events) is None
        for limits, status in (({"streams_of_key": 1}, 429), ({"streams": 1}, 503)):
            events_set(**limits)
            with other.opened() as refused:
                refused.read()
                assert (refused.status_code, refused.json()["error"]) == (status, "too_many_streams")
                assert refused.headers["retry-after"] == "5"
                assert len(refused.headers["x-request-id"]) == 32


@pytest.mark.parametrize(
    ("query", "headers", "status", "error"),
    [
        ({"entity": "agent.nobody"}, {}, 404, "not_found"),
        ({"events": "gossip"}, {}, 400, "invalid"),
        ({"since": "1"}, {}, 400, "invalid"),
        ({"after": "nonsense"}, {}, 400, "invalid"),
        ({}, {"Last-Event-ID": "***"}, 400, "invalid"),
        ({}, {"Authorization": "Bearer msk_none"}, 401, "authentication_failed"),
        ({}, {"Host": "elsewhere.example"}, 400, "unknown_host"),
    ],
)
def test_what_cannot_be_heard_is_refused_with_the_one_body(
    reader: Reader, query: dict[str, str], headers: dict[str, str], status: int, error: str
) -> None:
    reader.query = query
    with reader.opened(**headers) as reply:
        reply.read()
    assert (reply.status_code, reply.json()["error"]) == (status, error)
    assert reply.headers["content-type"] == "application/json"
    assert len(reply.headers["x-request-id"]) == 32


def test_an_origin_that_may_call_may_listen(reader: Reader, settings: Any) -> None:
    settings.CORS_ALLOWED_ORIGINS = ["http://127.0.0.1:4321"]
    with reader.opened(Origin="http://127.0.0.1:4321") as reply:
        assert reply.headers["access-control-allow-origin"] == "http://127.0.0.1:4321"
    with reader.opened(Origin="http://127.0.0.1:4322") as reply:
        assert "access-control-allow-origin" not in reply.headers
    asked = {"Origin": "http://127.0.0.1:4321", "Access-Control-Request-Method": "GET"}
    wanted = {"Access-Control-Request-Headers": "authorization,last-event-id"}
    preflight = httpx.options(f"{reader.url}/api/v1/events", headers=asked | wanted)
    assert "last-event-id" in preflight.headers["access-control-allow-headers"]


def test_a_server_with_a_thread_for_each_request_says_what_is_needed(alice: Entity, token: str) -> None:
    reply = Client(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/events")
    assert (reply.status_code, reply.json()) == (
        501,
        {
            "error": "not_implemented",
            "detail": "Streams need an ASGI server: uvicorn memseek_site.asgi:application.",
        },
    )


def test_other_methods_are_refused(reader: Reader, token: str) -> None:
    reply = httpx.post(f"{reader.url}/api/v1/events", headers={"Authorization": f"Bearer {token}"}, json={})
    assert (reply.status_code, reply.json()["error"], reply.headers["allow"]) == (
        405,
        "method_not_allowed",
        "GET, HEAD, OPTIONS",
    )
