"""`GET /records`, and one message or atom with its evidence in both directions."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.workspaces import create_key
from memory.models import Entity, Message
from tests.api.conftest import Caller
from tests.cast import note_skip
from tests.factories import (
    NewLine,
    make_atom,
    make_message,
    make_pending_message,
    make_run,
    make_scene,
    repeat,
)

DAY = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
NO_RECORD = {"error": "not_found", "detail": "The entity has no record with such an id."}


def told(message: Message, **values: Any) -> dict[str, Any]:
    """The message as the API tells it."""
    return {
        "id": str(message.pk),
        "seq": message.seq,
        "ordinal": message.ordinal,
        "role": "user",
        "speaker": "Alice",
        "text": message.text,
        "attachment_text": "",
        "parent": None,
        "tool_name": "",
        "tool_calls": [],
        "tool_call_id": "",
        "metadata": {},
        "said_at": message.occurred_at and message.occurred_at.isoformat().replace("+00:00", "Z"),
        "recorded_at": message.recorded_at.isoformat().replace("+00:00", "Z"),
        "dedupe_key": None,
        "content_hash": bytes(message.content_hash).hex(),
        "state": "read",
        "session": message.session.external_id,
        **values,
    }


def neighbour(layer: str | None, kind: str, id: UUID, text: str, facts: dict[str, str]) -> dict[str, Any]:
    return {
        "layer": layer,
        "kind": kind,
        "id": str(id),
        "short_id": id.hex[-8:],
        "text": text,
        "facts": facts,
    }


@pytest.fixture
def said(alice: Entity) -> list[Message]:
    """Four messages, a day apart, the last one of unknown time."""
    rows = [
        make_message(alice, "Monday.", occurred_at=DAY),
        make_message(alice, "Tuesday.", occurred_at=DAY + timedelta(days=1), role="assistant"),
        make_message(alice, "Wednesday.", occurred_at=DAY + timedelta(days=2), session="b", speaker="Bea"),
        make_pending_message(alice, "Some day.", occurred_at=None, session="b"),
    ]
    return list(Message.objects.filter(pk__in=[row.pk for row in rows]).order_by("seq"))


def test_messages_are_listed_word_for_word(caller: Caller, alice: Entity, said: list[Message]) -> None:
    assert caller.get("/api/v1/records", entity="agent.alice").json() == {
        "entity": "agent.alice",
        "total": 4,
        "records": [
            told(said[0]),
            told(said[1], role="assistant"),
            told(said[2], speaker="Bea"),
            told(said[3], state="pending"),
        ],
        "next_after": None,
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"session": "b"}, ["Wednesday.", "Some day."]),
        ({"session": "c"}, []),
        ({"role": "assistant"}, ["Tuesday."]),
        ({"role": "user,assistant"}, ["Monday.", "Tuesday.", "Wednesday.", "Some day."]),
        ({"speaker": "Bea"}, ["Wednesday."]),
        ({"since": "2026-06-03T09:00:00Z", "until": "2026-06-04T09:00:00Z"}, ["Tuesday."]),
        ({"until": "2026-06-03T09:00:00Z"}, ["Monday."]),
        ({"since": "2026-06-04T00:00:00Z"}, ["Wednesday.", "Some day."]),
    ],
)
def test_a_filter_narrows_the_messages(
    caller: Caller, said: list[Message], query: dict[str, str], expected: list[str]
) -> None:
    page = caller.get("/api/v1/records", entity="agent.alice", **query).json()
    assert ([row["text"] for row in page["records"]], page["total"]) == (expected, len(expected))


def test_messages_are_paged_while_others_are_stored(caller: Caller, alice: Entity) -> None:
    for number in range(5):
        make_message(alice, f"Word {number}.", session=f"s{number % 2}")
    texts: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = caller.get("/records", entity="agent.alice", limit=2, **after).json()
        texts += [row["text"] for row in page["records"]]
        if page["next_after"] is None:
            break
        after = {"after": page["next_after"]}
        if len(texts) == 2:
            make_message(alice, "Meanwhile.")
    assert texts == [*(f"Word {number}." for number in range(5)), "Meanwhile."]


def test_a_message_is_read_with_what_was_taken_from_it(caller: Caller, alice: Entity) -> None:
    message = make_message(alice, "Until July, and never deploy.")
    message.refresh_from_db()
    atom = make_atom(alice, "Until July.", [message])
    make_scene(alice, "Billing", [NewLine("work_context", "July.", [atom])])
    assert caller.get(f"/api/v1/records/{message.pk}").json() == {
        "entity": "agent.alice",
        "record": told(message),
        "rests_on": [],
        "used_by": [
            neighbour(
                "L1",
                "atom",
                atom.pk,
                "Until July.",
                {"kind": "episodic", "priority": "50", "status": "live"},
            )
        ],
    }


def test_an_atom_is_read_with_the_words_below_and_the_lines_above(caller: Caller, alice: Entity) -> None:
    first, second = make_message(alice, "Until July."), make_message(alice, "July, as I said.")
    atom = make_atom(alice, "Until July.", [first], topic="billing")
    repeat(atom, second)
    version = make_scene(alice, "Billing", [NewLine("work_context", "July.", [atom])])
    line = version.lines.get()
    body = caller.get(f"/api/v1/atoms/{atom.pk}").json()
    [listed] = caller.get("/api/v1/atoms", entity="agent.alice").json()["atoms"]
    facts = {"speaker": "Alice", "said": "2026-06-02 09:00 UTC", "session": "first"}
    later = facts | {"said": "2026-06-02 09:01 UTC", "receipt": "repeats it"}
    assert body == {
        "entity": "agent.alice",
        "atom": listed,
        "rests_on": [
            neighbour("L0", "message", first.pk, "Until July.", facts),
            neighbour("L0", "message", second.pk, "July, as I said.", later),
        ],
        "used_by": [
            neighbour("L2", "line", line.pk, "July.", {"section": "Work Context", "scene": "Billing"})
        ],
    }


def test_what_a_message_changed_is_told_layer_by_layer(caller: Caller, alice: Entity) -> None:
    run = make_run(alice)
    old = make_atom(alice, "Until July.", [make_message(alice, "Until July.")])
    message = make_message(alice, "No: October. And never deploy.", run=run)
    new = make_atom(alice, "Until October.", [message], replaces=old, run=run)
    repeat(old, message)
    note_skip(run, old, message, "repeats a1")
    body = caller.get(f"/api/v1/records/{message.pk}/changes").json()
    changes = body.pop("changes")
    assert body == {"entity": "agent.alice"}
    [merge] = changes.pop("merged")
    [skip] = changes.pop("skipped")
    assert (merge["new"]["id"], [atom["id"] for atom in merge["old"]], merge["reason"]) == (
        str(new.pk),
        [str(old.pk)],
        "value",
    )
    assert skip == {
        "text": "Until July.",
        "reason": f"repeats {old.pk.hex[-8:]}",
        "atom": str(old.pk),
        "receipts": 2,
    }
    assert changes == {
        "messages": 1,
        "stored": [],
        "dropped": [],
        "parked": [],
        "scenes": [],
        "traits": [],
        "reasons": {},
    }


@pytest.fixture
def rows(alice: Entity) -> tuple[UUID, UUID]:
    said = [make_message(alice, "Hello.")]
    return said[0].pk, make_atom(alice, "Hello.", said).pk


@pytest.mark.parametrize("path", ["records/{0}", "records/{0}/changes", "atoms/{1}"])
def test_a_row_that_a_key_does_not_open_is_not_found(
    alice: Entity, bob: Entity, rows: tuple[UUID, UUID], path: str
) -> None:
    other = Entity.objects.create(workspace=alice.workspace, name="agent.other")
    address = f"/api/v1/{path.format(*rows)}"
    keys = [
        create_key(workspace=bob.workspace, label="elsewhere").token,
        create_key(workspace=alice.workspace, label="bound", entities=[other]).token,
    ]
    replies = [Caller(key).get(address) for key in keys]
    assert [(reply.status_code, reply.json()) for reply in replies] == [(404, NO_RECORD)] * 2
    assert Caller().get(address).status_code == 401


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"role": "robot"}, "role.0: has to be 'user', 'assistant', 'tool' or 'system'."),
        ({"mood": "good"}, "Unknown parameter: mood. Known are entity, after, limit, session, role, "),
        ({"after": "x"}, "after: is no cursor of this list."),
    ],
)
def test_a_wrong_parameter_is_named(
    caller: Caller, alice: Entity, query: dict[str, str], detail: str
) -> None:
    reply = caller.get("/api/v1/records", entity="agent.alice", **query)
    assert (reply.status_code, reply.json()["detail"][: len(detail)]) == (400, detail)


def test_statements_do_not_grow_with_the_memory(caller: Caller, alice: Entity) -> None:
    message = make_message(alice, "Hello.")
    atom = make_atom(alice, "Hello.", [message])
    extra: list[Message] = []

    def grow(count: int) -> None:
        for number in range(count):
            extra.append(make_message(alice, f"Word {number}.", session=f"{count}-{number}"))
            repeat(atom, extra[-1])
            other = make_atom(alice, f"Other {count} {number}.", [message])
            make_scene(alice, f"Scene {count} {number}", [NewLine("work_context", "x", [atom, other])])

    def counted() -> list[int]:
        paths = [
            ("records", {"entity": "agent.alice", "limit": "100"}),
            (f"records/{message.pk}", {}),
            (f"records/{message.pk}/changes", {}),
            (f"atoms/{atom.pk}", {}),
        ]
        return [statements(caller, path, query) for path, query in paths]

    grow(1)
    counted()
    few = counted()
    grow(10)
    assert counted() == few


def statements(caller: Caller, path: str, query: dict[str, str]) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert caller.get(f"/api/v1/{path}", **query).status_code == 200
    return len(captured)


def test_storing_still_needs_scope_write(alice: Entity) -> None:
    reader = Caller(create_key(workspace=alice.workspace, label="reader", scopes=["read"]).token)
    body = {"entity": "agent.alice", "messages": [{"session": "s", "role": "user", "text": "Hello."}]}
    assert reader.post("/api/v1/records", body).status_code == 403
    assert reader.get("/api/v1/records", entity="agent.alice").status_code == 200
