"""Exact lists: rules, sessions, replay, atoms. Every row stands on one page, whatever is stored meanwhile."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.workspaces import create_key
from memory.models import Atom, Entity, Message
from tests.api.conftest import Caller
from tests.factories import make_atom, make_message, make_rule, make_session, repeat

DAY = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
PATHS = ["/api/v1/rules", "/api/v1/sessions", "/api/v1/sessions/first/messages", "/api/v1/atoms"]

UNKNOWN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"


def pages(
    caller: Caller,
    path: str,
    rows: str,
    *,
    meanwhile: Callable[[], object] = lambda: None,
    **query: Any,
) -> list[list[dict[str, Any]]]:
    """All pages of a list; `meanwhile` happens before each page but the first."""
    found: list[list[dict[str, Any]]] = []
    after: dict[str, str] = {}
    while True:
        page = caller.get(path, entity="agent.alice", **query, **after).json()
        found.append(page[rows])
        if page["next_after"] is None:
            return found
        after = {"after": page["next_after"]}
        meanwhile()


def texts(found: list[list[dict[str, Any]]]) -> list[str]:
    return [row["text"] for page in found for row in page]


def test_three_hundred_rules_are_listed_over_pages(caller: Caller, alice: Entity) -> None:
    said = [make_message(alice, "Many rules.")]
    for number in range(300):
        make_rule(alice, f"Rule {number}.", said, priority=70 + number % 30)
    make_rule(alice, "Below the floor.", said, priority=69)
    found = pages(caller, "/api/v1/rules", "rules", limit=100)
    assert [len(page) for page in found] == [100, 100, 100]
    assert sorted(texts(found)) == sorted(f"Rule {number}." for number in range(300))
    priorities = [rule["priority"] for page in found for rule in page]
    assert priorities == sorted(priorities, reverse=True)


def test_rules_tell_their_floor_and_how_many_there_are(caller: Caller, alice: Entity) -> None:
    said = [make_message(alice, "Two rules.")]
    make_rule(alice, "Ask first.", said, priority=95, scope="in reviews")
    make_rule(alice, "Be brief.", said, priority=70)
    page = caller.get("/api/v1/rules", entity="agent.alice", floor=90).json()
    (rule,) = page.pop("rules")
    assert page == {"entity": "agent.alice", "floor": 90, "total": 1, "next_after": None}
    assert (rule["text"], rule["scope"], rule["short_id"]) == ("Ask first.", "in reviews", rule["id"][-8:])


def test_rules_that_are_made_while_paging_double_and_hide_none(caller: Caller, alice: Entity) -> None:
    said = [make_message(alice, "Many rules.")]
    for number in range(7):
        make_rule(alice, f"Rule {number}.", said, priority=80)
    numbers = iter(range(100))

    def add() -> None:
        for priority in (70, 80, 95):
            make_rule(alice, f"Late {next(numbers)}.", said, priority=priority)

    found = texts(pages(caller, "/api/v1/rules", "rules", limit=2, meanwhile=add))
    assert [text for text in found if text.startswith("Rule")] == [f"Rule {number}." for number in range(7)]
    assert len(found) == len(set(found))


def test_an_atom_is_listed_with_all_that_is_stored(caller: Caller, alice: Entity) -> None:
    said = [make_message(alice, "Until July."), make_message(alice, "No: October.")]
    old = make_atom(alice, "Until July.", said[:1])
    new = make_atom(alice, "Until October.", said[1:], replaces=old, topic="billing", subject="Alice")
    repeat(new, make_message(alice, "October, as said."))
    (listed,) = caller.get("/api/v1/atoms", entity="agent.alice").json()["atoms"]
    assert listed == {
        "id": str(new.pk),
        "seq": new.seq,
        "text": "Until October.",
        "kind": "episodic",
        "priority": 50,
        "topic": "billing",
        "subject": "Alice",
        "scope": "",
        "authority": "user",
        "status": "live",
        "said_at": "2026-06-02T09:01:00Z",
        "happened_from": None,
        "happened_until": None,
        "receipts": 2,
        "superseded_by": None,
        "assertion": None,
        "short_id": str(new.pk)[-8:],
        "chain": str(old.chain_id),
        "decision": "merge",
        "merge_reason": "value",
        "last_seen_at": "2026-06-02T09:01:00Z",
        "created_at": listed["created_at"],
        "citations": [str(message.pk) for message in (said[1], Message.objects.latest("seq"))],
        "outside": [],
    }


@pytest.fixture
def atoms(alice: Entity) -> dict[str, Atom]:
    """One atom of every kind and state, a day apart."""
    said = [make_message(alice, f"Word {day}.", occurred_at=DAY + timedelta(days=day)) for day in range(4)]
    undated = make_message(alice, "Some time.", occurred_at=None)
    old = make_atom(alice, "old", said[:1], topic="billing")
    return {
        "old": old,
        "new": make_atom(alice, "new", said[1:2], replaces=old, topic="billing", priority=40),
        "rule": make_rule(alice, "rule", said[2:3], topic="deploys, nightly", priority=90),
        "taste": make_atom(alice, "taste", said[3:4], kind="persona", priority=60, status="contested"),
        "undated": make_atom(alice, "undated", [undated], priority=10),
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["new", "rule", "undated"]),
        ({"state": "all"}, ["old", "new", "rule", "taste", "undated"]),
        ({"state": "superseded,contested"}, ["old", "taste"]),
        ({"state": ["superseded", "live"]}, ["old", "new", "rule", "undated"]),
        ({"kind": "instruction"}, ["rule"]),
        ({"kind": "episodic,persona", "state": "all"}, ["old", "new", "taste", "undated"]),
        ({"priority_from": 40}, ["new", "rule"]),
        ({"priority_from": 40, "priority_to": 40}, ["new"]),
        ({"topic": "billing", "state": "all"}, ["old", "new"]),
        ({"topic": ["deploys, nightly", "billing"]}, ["new", "rule"]),
        ({"since": "2026-06-03T09:00:00Z"}, ["new", "rule"]),
        ({"since": "2026-06-03T11:00:00+02:00", "until": "2026-06-04T09:00:00Z"}, ["new"]),
        ({"topic": "nothing"}, []),
    ],
)
def test_a_filter_lets_through_what_it_names(
    caller: Caller, atoms: dict[str, Atom], query: dict[str, Any], expected: list[str]
) -> None:
    page = caller.get("/api/v1/atoms", entity="agent.alice", **query).json()
    assert ([atom["text"] for atom in page["atoms"]], page["total"]) == (expected, len(expected))


def test_atoms_that_are_made_while_paging_come_last(caller: Caller, alice: Entity) -> None:
    said = [make_message(alice, "Many claims.")]
    for number in range(5):
        make_atom(alice, f"Claim {number}.", said)
    numbers = iter(range(2))

    def add() -> None:
        for number in numbers:
            make_atom(alice, f"Late {number}.", said)
            return

    found = pages(caller, "/api/v1/atoms", "atoms", limit=2, meanwhile=add)
    assert texts(found) == [*(f"Claim {number}." for number in range(5)), "Late 0.", "Late 1."]


def test_sessions_are_listed_in_the_order_of_their_opening(caller: Caller, alice: Entity) -> None:
    for number in range(5):
        make_session(alice, f"s{number}", title=f"Talk {number}")
    make_message(alice, "Hello.", session="s1", occurred_at=DAY)
    make_message(alice, "Bye.", session="s1", occurred_at=DAY + timedelta(hours=1))
    found = [row for page in pages(caller, "/api/v1/sessions", "sessions", limit=2) for row in page]
    assert [row["session"] for row in found] == ["s0", "s1", "s2", "s3", "s4"]
    assert {name: found[1][name] for name in ("title", "messages", "first_said_at", "last_said_at")} == {
        "title": "Talk 1",
        "messages": 2,
        "first_said_at": "2026-06-02T09:00:00Z",
        "last_said_at": "2026-06-02T10:00:00Z",
    }
    assert (found[0]["messages"], found[0]["last_said_at"], found[0]["ended_at"]) == (0, None, None)


def test_a_replayed_message_holds_everything_that_was_stored(caller: Caller, alice: Entity) -> None:
    first = make_message(alice, "Deploy?", session="a/b c")
    stored = make_message(
        alice,
        "你好 \u202e👩‍👩‍👧\n",
        session="a/b c",
        role="assistant",
        speaker="Helper",
        attachment_text="a photo",
        parent=first,
        tool_name="deploy",
        tool_calls=[{"id": "1"}],
        tool_call_id="call-1",
        metadata={"n": [1, None]},
        dedupe_key="key-1",
        occurred_at=None,
        consumed_by_id=None,
    )
    page = caller.get("/api/v1/sessions/a%2Fb%20c/messages", entity="agent.alice").json()
    assert page["messages"][1] == {
        "id": str(stored.pk),
        "seq": stored.seq,
        "ordinal": 1,
        "role": "assistant",
        "speaker": "Helper",
        "text": "你好 \u202e👩‍👩‍👧\n",
        "attachment_text": "a photo",
        "parent": str(first.pk),
        "tool_name": "deploy",
        "tool_calls": [{"id": "1"}],
        "tool_call_id": "call-1",
        "metadata": {"n": [1, None]},
        "said_at": None,
        "recorded_at": page["messages"][1]["recorded_at"],
        "dedupe_key": "key-1",
        "content_hash": stored.content_hash.hex(),
        "state": "pending",
    }
    assert (page["session"]["session"], page["total"], page["next_after"]) == ("a/b c", 2, None)
    assert page["messages"][0]["state"] == "read"


def test_a_session_is_replayed_in_order_over_pages(caller: Caller, alice: Entity) -> None:
    for number in range(7):
        make_message(alice, f"Word {number}.")
    make_message(alice, "Elsewhere.", session="second")
    found = pages(
        caller,
        "/api/v1/sessions/first/messages",
        "messages",
        limit=3,
        meanwhile=lambda: make_message(alice, "Meanwhile."),
    )
    assert texts(found) == [*(f"Word {number}." for number in range(7)), "Meanwhile.", "Meanwhile."]


def test_a_session_is_found_by_its_id_too_and_its_name_goes_first(caller: Caller, alice: Entity) -> None:
    plain = make_message(alice, "Plain.", session="plain").session
    make_message(alice, "Named like it.", session=str(plain.pk))

    def replayed(name: str) -> list[str]:
        page = caller.get(f"/api/v1/sessions/{name}/messages", entity="agent.alice").json()
        return [message["text"] for message in page["messages"]]

    assert (replayed("plain"), replayed(str(plain.pk)), replayed(plain.pk.hex)) == (
        ["Plain."],
        ["Named like it."],
        ["Plain."],
    )


@pytest.mark.parametrize("name", ["nothing", UNKNOWN_ID, "a%00b"])
def test_an_unknown_session_is_not_found(caller: Caller, alice: Entity, name: str) -> None:
    reply = caller.get(f"/api/v1/sessions/{name}/messages", entity="agent.alice")
    assert (reply.status_code, reply.json()) == (
        404,
        {"error": "not_found", "detail": "The entity has no such session."},
    )


@pytest.mark.parametrize(
    ("path", "query", "detail"),
    [
        ("rules", {"mood": "good"}, "Unknown parameter: mood. Known are entity, after, limit, floor."),
        ("sessions", {"floor": "1"}, "Unknown parameter: floor. Known are entity, after, limit."),
        ("rules", {"floor": "101"}, "floor: has to be less than or equal to 100."),
        ("rules", {"limit": "0"}, "limit: has to be greater than or equal to 1."),
        ("atoms", {"limit": "101"}, "limit: has to be less than or equal to 100."),
        ("atoms", {"limit": ["1", "2"]}, "limit: is given 2 times."),
        ("atoms", {"kind": "belief"}, "kind.0: has to be 'persona', 'episodic' or 'instruction'."),
        ("atoms", {"since": "2026-06-02T09:00:00"}, "since: has to have timezone info."),
        (
            "atoms",
            {"since": "0001-01-01T00:00:00+14:00"},
            "since: has to lie between the years 2 and 9998.",
        ),
        (
            "atoms",
            {"until": "9999-12-31T23:59:59-12:00"},
            "until: has to lie between the years 2 and 9998.",
        ),
        ("atoms", {"topic": "a\0"}, "topic.0: holds the character U+0000."),
    ],
)
def test_a_wrong_parameter_is_named(
    caller: Caller, alice: Entity, path: str, query: dict[str, Any], detail: str
) -> None:
    reply = caller.get(f"/api/v1/{path}", entity="agent.alice", **query)
    assert (reply.status_code, reply.json()) == (400, {"error": "invalid", "detail": detail})


def cursor(*place: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


@pytest.mark.parametrize(
    "word",
    [
        "",
        "x",
        "é",
        "[]",
        cursor(),
        cursor("messages", 5),
        cursor("atoms", -1),
        cursor("atoms", 2**63),
        cursor("atoms", "1"),
        cursor("atoms", True),
        cursor("atoms", 1, 2),
        base64.urlsafe_b64encode(b"5").decode(),
        base64.urlsafe_b64encode(b"[" * 9_000).decode(),
    ],
)
def test_a_word_that_is_no_cursor_of_the_list_is_refused(caller: Caller, alice: Entity, word: str) -> None:
    for path in ("rules", "sessions", "atoms"):
        reply = caller.get(f"/api/v1/{path}", entity="agent.alice", after=word)
        assert (reply.status_code, reply.json()) == (
            400,
            {"error": "invalid", "detail": "after: is no cursor of this list."},
        )


@pytest.mark.parametrize("path", PATHS)
def test_a_list_needs_a_key_and_its_entity(caller: Caller, alice: Entity, bob: Entity, path: str) -> None:
    make_message(alice, "Hello.")
    bound = create_key(workspace=alice.workspace, label="bound", entities=[make_other(alice)])
    assert [
        Caller().get(path, entity="agent.alice").status_code,
        caller.get(path).status_code,
        caller.get(path, entity="agent.nobody").status_code,
        Caller(bound.token).get(path, entity="agent.alice").status_code,
        caller.get(path, entity="agent.alice").status_code,
    ] == [401, 400, 404, 404, 200]


def make_other(alice: Entity) -> Entity:
    return Entity.objects.create(workspace=alice.workspace, name="agent.other")


def test_nothing_of_another_workspace_is_listed(caller: Caller, alice: Entity, bob: Entity) -> None:
    said = [make_message(bob, "His secret.")]
    make_rule(bob, "His rule.", said, priority=99)
    make_session(alice, "first")
    found = [caller.get(path, entity="agent.alice").json() for path in PATHS]
    assert [page["total"] for page in found] == [0, 1, 0, 0]
    assert "His" not in json.dumps(found)


def test_statements_do_not_grow_with_the_memory(caller: Caller, alice: Entity) -> None:
    def grow(count: int) -> None:
        for number in range(count):
            said = [make_message(alice, "Word.", session=name) for name in ("first", f"{count}-{number}")]
            make_rule(alice, f"Rule {count} {number}.", said, priority=80)

    grow(1)
    caller.get(PATHS[0], entity="agent.alice")  # notes the key's use, once a minute
    few = [statements(caller, path) for path in PATHS]
    grow(10)
    assert [statements(caller, path) for path in PATHS] == few == [4, 5, 5, 4]


def statements(caller: Caller, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert caller.get(path, entity="agent.alice", limit=100).status_code == 200
    return len(captured)
