"""`/recall`, `/context`, `/answer`, `/trace`: what the rooms find, through the door."""

import hashlib
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.indexing.step import index_entity
from memory.models import Atom, Entity, Message, Run
from tests.api.conftest import Caller
from tests.factories import NewLine, make_atom, make_message, make_rule, make_scene, make_trait

NAME = "agent.alice"
NASTY = [
    "".join(map(chr, range(32, 127))),
    "' OR 1=1; --",
    '"quoted" AND (NOT x) & | ! <-> :* %s %(x)s \\',
    "billing " * 1_250,
    "",
    " \n\t",
    "你好 שלום مرحبا 👩‍👩‍👧 \u202e",
]


@pytest.fixture
def memory(alice: Entity) -> dict[str, Any]:
    """Billing in two sessions, a scene and a trait of it, and a message that no atom covers."""
    said = [
        make_message(alice, "Keep billing on Express until July 15.", metadata={"n": 1}),
        make_message(alice, "Never deploy without my approval.", session="second"),
    ]
    raw = make_message(alice, "The lamp in the corridor flickers.", session="second")
    deadline = make_atom(alice, "Billing stays on Express until July 15.", said[:1], topic="billing")
    rule = make_rule(alice, "Never deploy without Alice's approval.", said[1:], priority=95)
    scene = make_scene(alice, "Billing API", [NewLine("work_context", deadline.text, [deadline])])
    trait = make_trait(alice, "decision_pattern", "Asks for approval first.", list(scene.lines.all()))
    return {"said": said, "raw": raw, "deadline": deadline, "rule": rule, "scene": scene, "trait": trait}


def found(caller: Caller, query: str, **more: Any) -> list[dict[str, Any]]:
    reply = caller.post("/api/v1/recall", {"entity": NAME, "query": query, "meaning": False, **more})
    assert reply.status_code == 200, reply.content
    hits: list[dict[str, Any]] = reply.json()["hits"]
    return hits


def test_a_hit_says_why_it_is_there_and_what_it_rests_on(caller: Caller, memory: dict[str, Any]) -> None:
    hit, *_ = found(caller, "Express", layers=["atom"])
    assert hit["score"] == pytest.approx(sum(hit.pop("terms").values()))
    del hit["score"]
    assert hit == {
        "layer": "atom",
        "id": str(memory["deadline"].pk),
        "short_id": memory["deadline"].pk.hex[-8:],
        "text": "Billing stays on Express until July 15.",
        "is_raw": False,
        "section": "",
        "title": "",
        "kind": "episodic",
        "priority": 50,
        "topic": "billing",
        "subject": "",
        "authority": "user",
        "happened_from": None,
        "happened_until": None,
        "said_at": "2026-06-02T09:00:00Z",
        "lines": [],
        "assertion": None,
        "scope": "",
        "is_superseded": False,
        "outside": [],
        "citations": [
            {
                "id": str(memory["said"][0].pk),
                "session": "first",
                "ordinal": 0,
                "role": "user",
                "speaker": "Alice",
                "text": "Keep billing on Express until July 15.",
                "attachment_text": "",
                "said_at": "2026-06-02T09:00:00Z",
                "metadata": {"n": 1},
            }
        ],
    }


def test_words_that_no_atom_covers_are_marked_raw(caller: Caller, memory: dict[str, Any]) -> None:
    hit, *_ = found(caller, "corridor lamp")
    assert (hit["layer"], hit["id"], hit["is_raw"]) == ("message", str(memory["raw"].pk), True)


@pytest.mark.parametrize(
    ("more", "layers"),
    [
        ({"layers": ["section", "trait"]}, {"section", "trait"}),
        ({"layers": ["atom"], "kinds": ["instruction"]}, {"atom"}),
        ({"layers": ["atom"], "topics": ["nothing"]}, set()),
        ({"session": "second", "layers": ["message"]}, {"atom", "message"}),
        ({"since": "2026-06-03T00:00:00Z", "layers": ["message", "atom"]}, set()),
    ],
)
def test_filters_narrow_what_is_looked_at(
    caller: Caller, memory: dict[str, Any], more: dict[str, Any], layers: set[str]
) -> None:
    hits = found(caller, "approval deploy billing Express lamp", **more)
    assert {hit["layer"] for hit in hits} == layers


def test_a_query_string_asks_the_same_as_a_body(caller: Caller, memory: dict[str, Any]) -> None:
    asked = {"query": "billing approval", "layers": "atom,trait", "limit": 3, "meaning": "false"}
    by_query = caller.get("/api/v1/recall", entity=NAME, **asked).json()
    body = {"entity": NAME, **asked, "layers": ["atom", "trait"], "meaning": False}
    by_body = caller.post("/api/v1/recall", body).json()
    assert by_query == by_body
    assert by_query["arms"] == {
        "words": "answered",
        "meaning": "off",
        "related": "answered",
        "unindexed": "answered",
    }
    assert by_query["unindexed"] > 0


@pytest.mark.parametrize("query", NASTY)
def test_the_words_of_a_query_are_data(caller: Caller, memory: dict[str, Any], query: str) -> None:
    asked = {"entity": NAME, "meaning": "0"}
    for reply in (
        caller.get("/api/v1/recall", **asked, query=query),
        caller.get("/api/v1/context", **asked, task=query),
    ):
        assert reply.status_code == 200


def test_a_context_is_told_with_its_account(caller: Caller, memory: dict[str, Any]) -> None:
    asked = {"entity": NAME, "task": "Deploy billing tonight", "as_of": "2026-07-01T10:30:00Z"}
    body = caller.post("/api/v1/context", asked | {"meaning": False}).json()
    assert body["sha256"] == hashlib.sha256(body["text"].encode()).hexdigest()
    assert "Never deploy without Alice's approval." in body["text"]
    assert [block["name"] for block in body["manifest"]["blocks"]] == [
        "persona",
        "rules",
        "scenes",
        "memory",
        "procedure",
        "request",
    ]
    assert set(body) == {"entity", "text", "sha256", "tokens", "stable_prefix_bytes", "manifest"}
    assert caller.get("/api/v1/context", **asked, meaning=False).json() == body


def test_budgets_can_be_given_both_ways(caller: Caller, memory: dict[str, Any]) -> None:
    asked = {"entity": NAME, "task": "Deploy", "as_of": "2026-07-01T10:00:00Z", "meaning": False}
    by_body = caller.post("/api/v1/context", asked | {"budgets": {"rules": 0, "memory": 90}}).json()
    by_query = caller.get("/api/v1/context", **asked, budgets=["rules:0", "memory:90"]).json()
    budgets = {block["name"]: block["budget"] for block in by_body["manifest"]["blocks"]}
    assert by_query == by_body
    assert (budgets["rules"], budgets["memory"]) == (0, 90)


def test_an_answer_is_cited_and_says_what_it_does_not_know(caller: Caller, memory: dict[str, Any]) -> None:
    known = caller.post(
        "/api/v1/answer", {"entity": NAME, "question": "Until when does billing stay on Express?"}
    ).json()
    unknown = caller.post(
        "/api/v1/answer", {"entity": NAME, "question": "Which penguin won the regatta?"}
    ).json()
    assert "July 15" in known["text"]
    assert str(memory["deadline"].pk) in {citation["id"] for citation in known["citations"]}
    assert (known["entity"], known["model"]) == (NAME, "extractive")
    assert (unknown["citations"], len(unknown["gaps"])) == ([], 1)


def test_a_trace_is_two_trees(caller: Caller, memory: dict[str, Any]) -> None:
    body = caller.get("/api/v1/trace", entity=NAME, id=str(memory["deadline"].pk)).json()
    (word,) = body["down"]["children"]
    (line,) = body["up"]["children"]
    (trait,) = line["children"]
    assert (body["entity"], body["down"]["layer"], body["down"]["text"]) == (
        NAME,
        "L1",
        memory["deadline"].text,
    )
    assert (word["layer"], word["text"], word["children"]) == ("L0", memory["said"][0].text, [])
    assert (line["kind"], trait["text"]) == ("line", "Asks for approval first.")


def test_a_trace_that_leads_nowhere_says_why(caller: Caller, memory: dict[str, Any]) -> None:
    shared = memory["deadline"].pk.hex[:6]
    replies = [caller.get("/api/v1/trace", entity=NAME, id=word) for word in ("xyz!", "ffffffffffff", shared)]
    assert [(reply.status_code, reply.json()["error"]) for reply in replies] == [
        (400, "invalid"),
        (404, "not_found"),
        (409, "ambiguous"),
    ]
    candidates = replies[2].json()["candidates"]
    assert {"kind": "atom", "id": str(memory["deadline"].pk), "text": memory["deadline"].text} in candidates


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        (
            "answer",
            {"question": "?", "mood": 1},
            "Unknown field: mood. Known are entity, shared, question.",
        ),
        ("answer", {}, "question: is required."),
        ("answer", {"question": " "}, "question: has no words."),
        ("answer", {"question": 5}, "question: has to be a valid string."),
        ("recall", {}, "query: is required."),
        ("recall", {"query": "a\0"}, "query: holds the character U+0000."),
        ("recall", {"query": "x", "limit": "5"}, "limit: has to be a valid integer."),
        ("recall", {"query": "x", "limit": 101}, "limit: has to be less than or equal to 100."),
        (
            "recall",
            {"query": "x", "layers": ["L1"]},
            "layers.0: has to be 'message', 'atom', 'section' or 'trait'.",
        ),
        ("recall", {"query": "x", "words_milliseconds": 0}, "words_milliseconds: has to be greater"),
        ("context", {"task": "x", "budgets": {"mood": 1}}, "There is no block mood; there are persona"),
        ("context", {"task": "x", "total": 5}, "A context needs a total of"),
        ("context", {"task": "x", "as_of": "2026-07-01T10:00:00"}, "as_of: has to have timezone info."),
        ("context", {"task": "x", "as_of": "9999-12-31T23:59:59Z"}, "as_of: has to lie between the years"),
        ("context", {"task": "x", "rules_floor": -1}, "rules_floor: has to be greater than or equal to 0."),
    ],
)
def test_a_wrong_field_is_named(
    caller: Caller, alice: Entity, path: str, body: dict[str, Any], detail: str
) -> None:
    reply = caller.post(f"/api/v1/{path}", {"entity": NAME, **body})
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid")
    assert reply.json()["detail"].startswith(detail)


def test_half_a_surrogate_is_refused(caller: Caller, alice: Entity) -> None:
    body = '{"entity": "agent.alice", "query": "\\ud800"}'
    reply = caller.client.post("/api/v1/recall", body, content_type="application/json")
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid")


def test_an_unknown_session_is_not_found(caller: Caller, alice: Entity) -> None:
    reply = caller.post("/api/v1/recall", {"entity": NAME, "query": "x", "session": "nothing"})
    assert (reply.status_code, reply.json()["detail"]) == (404, "The entity has no such session.")


@pytest.mark.parametrize(
    ("path", "body"),
    [("recall", {"query": "x"}), ("context", {"task": "x"}), ("answer", {"question": "x"})],
)
def test_a_key_opens_its_own_entities_alone(
    caller: Caller, alice: Entity, bob: Entity, path: str, body: dict[str, Any]
) -> None:
    make_rule(bob, "His rule about x.", [make_message(bob, "His secret x.")], priority=99)
    address = f"/api/v1/{path}"
    assert Caller().post(address, {"entity": NAME, **body}).status_code == 401
    assert caller.post(address, {"entity": "agent.nobody", **body}).status_code == 404
    assert "His" not in json.dumps(caller.post(address, {"entity": NAME, **body}).json())


def test_reading_writes_nothing(caller: Caller, memory: dict[str, Any]) -> None:
    before = [rows.objects.count() for rows in (Message, Atom, Run)]
    found(caller, "billing")
    caller.post("/api/v1/context", {"entity": NAME, "task": "Deploy billing", "meaning": False})
    caller.post("/api/v1/answer", {"entity": NAME, "question": "Where does billing stay?"})
    assert [rows.objects.count() for rows in (Message, Atom, Run)] == before


def test_statements_do_not_grow_with_the_memory(
    caller: Caller, alice: Entity, memory: dict[str, Any]
) -> None:
    recalled, rendered = (statements(caller, alice, path) for path in ("recall", "context"))
    for number in range(20):
        said = [make_message(alice, f"Deploy of billing, part {number}.", session=f"s{number % 3}")]
        atom = make_atom(alice, f"Billing is deployed in part {number}.", said)
        make_rule(alice, f"Deploy billing by rule {number}.", said)
        if number < 10:
            make_scene(alice, f"Deploy {number}", [NewLine("core_sop", f"Billing, step {number}.", [atom])])
    # A layer of which nothing is among the results is not read.
    assert statements(caller, alice, "recall") <= recalled <= 20
    assert statements(caller, alice, "context") <= rendered <= 28


def statements(caller: Caller, alice: Entity, path: str) -> int:
    index_entity(entity_id=alice.pk)
    asked = {"query": "Deploy billing", "limit": 100} if path == "recall" else {"task": "Deploy billing"}
    body = {"entity": NAME, "meaning": False, **asked}
    with CaptureQueriesContext(connection) as captured:
        assert caller.post(f"/api/v1/{path}", body).status_code == 200
    return len(captured)
