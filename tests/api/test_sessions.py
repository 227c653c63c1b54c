"""The doors of sessions: opened, added to, folded, ended, and read."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.incoming import IncomingTurn
from memory.ingest.sessions import open_session
from memory.ingest.workspaces import create_key
from memory.models import Digest, Entity, Message, Session, Workspace
from memory.models.base import new_id
from tests.api.conftest import Caller
from tests.cascade.story import answer, settle
from tests.cascade.talks import digest_item, folding, talk_of

PATH = "/api/v1/sessions"
TURN_FIELDS = ", ".join(IncomingTurn.model_fields)
NO_SESSION = {"error": "not_found", "detail": "There is no such session for this key."}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


@pytest.fixture
def session(alice: Entity) -> Session:
    return open_session(workspace=alice.workspace, entity_name=alice.name, external_id="chat").session


def bound(entity: Entity, *scopes: str) -> Caller:
    key = create_key(
        workspace=entity.workspace, label="bound", entities=[entity], scopes=scopes or ("read", "write")
    )
    return Caller(key.token)


def at(session: Session, door: str = "") -> str:
    return f"{PATH}/{session.pk}{door and '/'}{door}"


def test_a_session_is_opened_and_resumed(caller: Caller, alice: Entity) -> None:
    asked = {"group_id": "acme", "user_id": "customer-123", "external_id": "chat-7", "title": "Plans"}
    reply = caller.post(PATH, asked)
    stored = Session.objects.get(external_id="chat-7")
    assert (reply.status_code, reply.json()) == (
        201,
        {
            "id": str(stored.pk),
            "external_id": "chat-7",
            "entity": "acme/customer-123",
            "group_id": "acme",
            "user_id": "customer-123",
            "title": "Plans",
            "created_at": reply.json()["created_at"],
            "last_message_at": None,
            "ended_at": None,
            "turns": 0,
            "folded_until": 0,
            "compaction": "idle",
            "summary": None,
            "brief": None,
        },
    )
    again = caller.post(PATH, asked)
    assert (again.status_code, again.json()) == (200, reply.json())
    assert caller.get(f"{PATH}/{stored.pk}").json() == reply.json()
    assert caller.post(PATH, {"entity": "agent.alice"}).status_code == 201
    assert [row["session"] for row in caller.get(PATH, entity="agent.alice").json()["sessions"]] != []


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (
            {"mood": 1},
            "Unknown field: mood. Known are group_id, user_id, entity, external_id, title, time_zone.",
        ),
        ({}, "entity: has to be named, by itself or by group_id and user_id"),
        ({"entity": 7}, "entity: has to be a valid string."),
        ({"user_id": "u", "time_zone": "Mars"}, "time_zone: is not in the time zone database"),
    ],
)
def test_what_cannot_be_opened_is_told(caller: Caller, body: dict[str, Any], detail: str) -> None:
    reply = caller.post(PATH, body)
    assert (reply.status_code, reply.json()["error"], reply.json()["detail"]) == (400, "invalid", detail)


def test_turns_are_added_and_read_as_a_tree(caller: Caller, session: Session) -> None:
    one = caller.post(at(session, "turns"), {"role": "user", "text": "Weather?", "speaker": "Alice"})
    root = Message.objects.get()
    assert (one.status_code, one.json()) == (
        201,
        {
            "session": str(session.pk),
            "turns": [{"id": str(root.pk), "seq": root.seq, "ordinal": 0, "created": True}],
            "redacted": {},
            "erased": [],
        },
    )
    several = [
        {"role": "assistant", "tool_calls": [CALL], "parent": str(root.pk), "dedupe_key": "k1"},
        {"role": "tool", "text": "21 °C", "tool_call_id": "c1", "tool_name": "weather", "dedupe_key": "k2"},
    ]
    replies = [caller.post(at(session, "turns"), {"turns": several}).json()["turns"] for _ in range(2)]
    assert [[turn["created"] for turn in turns] for turns in replies] == [[True, True], [False, False]]
    page = caller.get(at(session, "turns"), limit=2).json()
    assert (page["total"], [turn["ordinal"] for turn in page["turns"]]) == (3, [0, 1])
    [last] = caller.get(at(session, "turns"), after=page["next_after"]).json()["turns"]
    assert last == {
        "id": replies[0][1]["id"],
        "seq": replies[0][1]["seq"],
        "ordinal": 2,
        "role": "tool",
        "speaker": "",
        "text": "21 °C",
        "attachment_text": "",
        "parent": None,
        "children": 0,
        "tool_name": "weather",
        "tool_calls": [],
        "tool_call_id": "c1",
        "metadata": {},
        "said_at": last["said_at"],
        "recorded_at": last["recorded_at"],
        "dedupe_key": "k2",
        "folded": False,
    }
    below = caller.get(at(session, "turns"), parent=str(root.pk)).json()
    roots = caller.get(at(session, "turns"), parent="none").json()
    assert ([turn["ordinal"] for turn in below["turns"]], roots["total"]) == ([1], 2)
    assert roots["turns"][0]["children"] == 1


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        ({"role": "user"}, 400, "turns[0].text: is blank"),
        ({"turns": []}, 400, "turns: holds 0 turns, 1 to 100 are taken"),
        ({"turns": {}}, 400, "turns: has to be a list."),
        ({"turns": [], "mood": 1}, 400, "Unknown field: mood. Beside turns none is taken."),
        (
            {"role": "user", "text": "x", "mood": 1},
            400,
            f"turns[0].mood: is unknown; known are {TURN_FIELDS}",
        ),
        (
            {"role": "tool", "text": "x", "tool_call_id": "c"},
            400,
            "turns[0].tool_call_id: names no call of an earlier turn of this session",
        ),
        (
            {"role": "user", "text": "x", "parent": "01890a5d-ac96-774b-bcce-b302099a8057"},
            400,
            "turns[0].parent: is no stored message of this entity",
        ),
    ],
)
def test_a_turn_that_cannot_be_taken_is_told(
    caller: Caller, session: Session, body: dict[str, Any], status: int, detail: str
) -> None:
    reply = caller.post(at(session, "turns"), body)
    assert (reply.status_code, reply.json()["detail"]) == (status, detail)
    assert Message.objects.count() == 0


def test_a_session_is_folded_and_ended(caller: Caller, alice: Entity, session: Session) -> None:
    talk_of(session, 4)
    assert caller.post(at(session, "compact"), {}).status_code == 202
    assert caller.get(at(session)).json()["compaction"] == "waiting"
    with folding(kept=2):
        settle(alice, compaction=answer(digest_item("summary", "Apples.")))
    stored = caller.get(at(session)).json()
    assert (stored["compaction"], stored["folded_until"], stored["summary"]) == ("idle", 2, "Apples.")
    turns = caller.get(at(session, "turns")).json()["turns"]
    assert [turn["folded"] for turn in turns] == [True, True, False, False]
    ended = [caller.post(at(session, "end"), {}) for _ in range(2)]
    assert [reply.status_code for reply in ended] == [200, 200]
    assert ended[0].json() == ended[1].json()
    assert (ended[0].json()["ended_at"] is None, ended[0].json()["compaction"]) == (False, "waiting")
    refused = caller.post(at(session, "turns"), {"role": "user", "text": "x"})
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "turns[0].session: has ended and takes no more messages",
    )
    assert caller.post(at(session, "compact"), {}).status_code == 409
    settle(alice, compaction=answer(digest_item("brief", "A talk of apples.")))
    done = caller.get(at(session)).json()
    assert (done["compaction"], done["brief"]) == ("done", "A talk of apples.")


def test_digests_are_told_with_what_they_cover(caller: Caller, alice: Entity, session: Session) -> None:
    turns = talk_of(session, 3)
    for kept in (2, 1):
        caller.post(at(session, "compact"), {})
        with folding(kept=kept):
            settle(alice, compaction=answer(digest_item("summary", "Apples.")))
    caller.post(at(session, "end"), {})
    settle(alice, compaction=answer(digest_item("brief", "A talk of apples.")))
    current = caller.get(at(session, "digests")).json()
    assert [(row["kind"], row["number"], row["until_ordinal"]) for row in current["digests"]] == [
        ("brief", 1, 3),
        ("summary", 2, 2),
    ]
    assert current["digests"][1]["evidence"] == [str(pk) for pk in turns[:2]]
    every = caller.get(at(session, "digests"), versions="all").json()["digests"]
    first = Digest.objects.get(kind="summary", number=1)
    assert every[-1] == {
        "id": str(first.pk),
        "kind": "summary",
        "number": 1,
        "text": "Apples.",
        "until_ordinal": 1,
        "is_head": False,
        "run": str(first.run_id),
        "created_at": every[-1]["created_at"],
        "evidence": [str(turns[0])],
    }


DOORS = [
    ("get", ""),
    ("get", "turns"),
    ("post", "turns"),
    ("post", "compact"),
    ("post", "end"),
    ("get", "digests"),
]


def call(caller: Caller, method: str, path: str, door: str) -> Any:
    if method == "get":
        return caller.get(path)
    return caller.post(path, {"role": "user", "text": "x"} if door == "turns" else {})


@pytest.mark.parametrize(("method", "door"), DOORS)
def test_a_session_of_others_is_not_there(
    caller: Caller, alice: Entity, bob: Entity, session: Session, method: str, door: str
) -> None:
    hidden = open_session(workspace=bob.workspace, entity_name=bob.name).session
    other = open_session(workspace=alice.workspace, user_id="other").session
    callers = [(caller, at(hidden, door)), (bound(alice), at(other, door))]
    for asker, path in [*callers, (caller, f"{PATH}/{new_id()}{door and '/'}{door}")]:
        reply = call(asker, method, path, door)
        assert (reply.status_code, reply.json()) == (404, NO_SESSION)
    assert call(bound(alice), method, at(session, door), door).status_code in (200, 201, 202)


@pytest.mark.parametrize(("method", "door"), [*DOORS, ("post", None)])
def test_keys_and_scopes_are_asked_for(
    alice: Entity, session: Session, method: str, door: str | None
) -> None:
    path, asked = (PATH, "") if door is None else (at(session, door), door)
    assert call(Caller(), method, path, asked).status_code == 401
    reading = call(bound(alice, "read"), method, path, asked)
    assert reading.status_code == (403 if method == "post" else 200)


def test_a_bound_key_opens_sessions_of_its_entities_alone(alice: Entity) -> None:
    caller = bound(alice)
    assert caller.post(PATH, {"entity": "agent.alice"}).status_code == 201
    for asked in ({"entity": "agent.new"}, {"user_id": "new"}):
        assert caller.post(PATH, asked).status_code == 404
    assert Entity.objects.for_workspace(alice.workspace_id).count() == 1


@pytest.mark.parametrize(
    ("door", "query", "detail"),
    [
        ("", {"x": 1}, "Unknown parameter: x. None is taken here."),
        ("turns", {"x": 1}, "Unknown parameter: x. Known are after, limit, parent."),
        ("turns", {"limit": 0}, "limit: has to be greater than or equal to 1."),
        ("turns", {"after": "x"}, "after: is no cursor of this list."),
        ("digests", {"versions": "old"}, "versions: has to be 'current' or 'all'."),
    ],
)
def test_a_wrong_parameter_is_named(
    caller: Caller, session: Session, door: str, query: dict[str, Any], detail: str
) -> None:
    reply = caller.get(at(session, door), **query)
    assert (reply.status_code, reply.json()) == (400, {"error": "invalid", "detail": detail})


@pytest.mark.parametrize("door", ["compact", "end"])
def test_a_body_that_says_more_is_refused(caller: Caller, session: Session, door: str) -> None:
    reply = caller.post(at(session, door), {"hard": True})
    assert (reply.status_code, reply.json()["detail"]) == (
        400,
        "Unknown field: hard. None is taken here.",
    )
    # As `curl -X POST` sends it: no body, no type.
    assert caller.client.generic("POST", at(session, door)).status_code in (200, 202)


def test_statements_do_not_grow_with_a_session(caller: Caller, alice: Entity) -> None:
    counts = []
    caller.get(PATH, entity=alice.name)
    for size in (2, 90):
        session = open_session(workspace=alice.workspace, entity_name=alice.name).session
        talk_of(session, size)
        with CaptureQueriesContext(connection) as captured:
            for door in ("", "turns", "digests"):
                assert caller.get(at(session, door)).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_the_name_of_a_session_still_leads_to_its_messages(caller: Caller, session: Session) -> None:
    talk_of(session, 1)
    for name in ("chat", str(session.pk)):
        assert caller.get(f"{PATH}/{name}/messages", entity="agent.alice").json()["total"] == 1


def test_the_workspace_of_a_session_is_the_keys(alice: Entity, session: Session) -> None:
    other = Workspace.objects.create(name="initech")
    token = create_key(workspace=other, label="other").token
    assert Caller(token).get(at(session)).status_code == 404
