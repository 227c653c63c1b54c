"""`GET /timeline`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import Atom, Entity, Message, Scene, SceneVersion, Trait, TraitVersion
from tests.admin.conftest import make_correction
from tests.api.conftest import Caller
from tests.factories import (
    NewLine,
    make_atom,
    make_claim,
    make_message,
    make_next_version,
    make_rule,
    make_scene,
    make_trait,
    repeat,
)

SAID = datetime(2023, 5, 8, 9, 0, tzinfo=UTC)


@dataclass
class Ladder:
    """A little of every layer, old and new."""

    first: Message
    second: Message
    old: Atom
    new: Atom
    rule: Atom
    version_1: SceneVersion
    version_2: SceneVersion
    trait: TraitVersion


@pytest.fixture
def ladder(alice: Entity) -> Ladder:
    first = make_message(alice, "Ship on 1 June.", occurred_at=SAID, metadata={"a": 1})
    second = make_message(alice, "No: 9 June. Use blue.", occurred_at=None)
    old = make_atom(alice, "Ships on 1 June", [first])
    rule = make_rule(alice, "Use blue", [second], priority=90)
    version_1 = make_scene(alice, "Release", [NewLine("work_context", "Ships on 1 June", [old])])
    new = make_atom(alice, "Ships on 9 June", [second, first], replaces=old)
    repeat(new, make_message(alice, "9 June, as said."))
    version_2 = make_next_version(
        version_1,
        added=[
            NewLine("work_context", "Ships on 9 June", [new]),
            NewLine("core_sop", "Use blue", [rule, new]),
        ],
        removed=list(version_1.lines.all()),
    )
    trait = make_trait(alice, "archetype", "Plans ahead", list(version_2.lines.order_by("places__position")))
    return Ladder(first, second, old, new, rule, version_1, version_2, trait)


def ids(rows: Sequence[Any]) -> list[str]:
    return [str(row.pk) for row in rows]


def shown(caller: Caller, **query: Any) -> list[str]:
    return [
        record["id"] for record in caller.get("/timeline", entity="agent.alice", **query).json()["records"]
    ]


@pytest.mark.parametrize("path", ["/timeline", "/api/v1/timeline"])
def test_all_layers_come_newest_first(caller: Caller, ladder: Ladder, path: str) -> None:
    page = caller.get(path, entity="agent.alice", status="all").json()
    seqs = [record["seq"] for record in page["records"]]
    assert seqs == sorted(seqs, reverse=True)
    assert [(record["collection"], record["status"]) for record in page["records"]] == [
        ("persona", "active"),
        ("scenes", "active"),
        ("messages", "active"),
        ("memories", "active"),
        ("scenes", "superseded"),
        ("memories", "active"),
        ("memories", "superseded"),
        ("messages", "active"),
        ("messages", "active"),
    ]
    assert page["next_before"] is None
    assert page["counts"] == {
        "messages": {"heads": 3, "versions": 3},
        "memories": {"heads": 2, "versions": 3},
        "scenes": {"heads": 1, "versions": 2},
        "persona": {"heads": 1, "versions": 1},
    }


def test_active_shows_heads_only(caller: Caller, ladder: Ladder) -> None:
    assert shown(caller, status="active") == shown(caller)
    assert not set(shown(caller)) & set(ids([ladder.old, ladder.version_1]))
    assert len(shown(caller)) == 7


def test_a_message_is_shown_with_its_place(caller: Caller, ladder: Ladder) -> None:
    record = caller.get("/timeline", entity="agent.alice").json()["records"][-1]
    assert record == {
        "id": str(ladder.first.pk),
        "seq": ladder.first.seq,
        "collection": "messages",
        "type": "user",
        "key": "first#0",
        "status": "active",
        "text": "Ship on 1 June.",
        "content": {
            "role": "user",
            "speaker": "Alice",
            "session_id": "first",
            "ordinal": 0,
            "attachment_text": "",
            "parent": None,
            "tool_name": "",
            "tool_calls": [],
            "tool_call_id": "",
            "metadata": {"a": 1},
        },
        "occurred_at": "2023-05-08T09:00:00Z",
        "created_at": record["created_at"],
        "citations": [],
    }


def test_a_memory_is_shown_with_its_receipts(caller: Caller, ladder: Ladder) -> None:
    page = caller.get("/timeline", entity="agent.alice", collections="memories", status="all").json()
    new, _, old = page["records"]
    assert new["citations"][:2] == ids([ladder.second, ladder.first])
    assert len(new["citations"]) == 3
    assert (new["key"], new["content"]["decision"], new["content"]["merge_reason"]) == (
        str(ladder.old.chain_id),
        "merge",
        "value",
    )
    assert {
        name: old[name] for name in ("id", "type", "key", "status", "text", "occurred_at", "citations")
    } == {
        "id": str(ladder.old.pk),
        "type": "episodic",
        "key": str(ladder.old.chain_id),
        "status": "superseded",
        "text": "Ships on 1 June",
        "occurred_at": "2023-05-08T09:00:00Z",
        "citations": ids([ladder.first]),
    }
    assert (old["content"]["memory_kind"], old["content"]["priority"]) == ("episodic", 50)
    assert old["content"]["superseded_by"] == str(ladder.new.pk)


def test_a_scene_is_shown_as_markdown_and_cites_what_its_lines_rest_on(
    caller: Caller, ladder: Ladder
) -> None:
    page = caller.get("/timeline", entity="agent.alice", collections="scenes", status="all").json()
    new, old = page["records"]
    assert (new["text"], new["citations"]) == (
        "# Release\n\n## Work Context\n\n- Ships on 9 June\n\n## Core SOP\n\n- Use blue\n",
        ids([ladder.new, ladder.rule]),
    )
    assert (new["type"], new["key"]) == ("scene", ladder.version_1.scene.slug)
    assert new["content"] == {
        "title": "Release",
        "summary": "",
        "version": 2,
        "heat": 0,
        "slot": 1,
        "scene_status": "live",
    }
    assert (old["citations"], old["occurred_at"]) == (ids([ladder.old]), "2023-05-08T09:00:00Z")


def test_a_trait_cites_lines(caller: Caller, ladder: Ladder) -> None:
    (record,) = caller.get("/timeline", entity="agent.alice", collections="persona").json()["records"]
    assert (record["type"], record["key"], record["text"]) == ("trait", "archetype", "Plans ahead")
    assert record["content"] == {"slot": "archetype", "version": 1}
    assert record["citations"] == ids(list(ladder.version_2.lines.order_by("places__position")))
    assert record["occurred_at"] == "2023-05-08T09:00:00Z"


def test_a_memory_cites_people_and_what_lies_outside(caller: Caller, alice: Entity) -> None:
    claim = make_claim(alice, "plan", "pro", valid_from=SAID)
    correction = make_correction(alice, claim)
    (record,) = caller.get("/timeline", entity="agent.alice").json()["records"]
    assert record["citations"] == ["tool_event:plan.observed", str(correction.pk)]
    assert record["content"]["assertion"] == {
        "subject_kind": "customer",
        "subject_id": "customer-123",
        "predicate": "plan",
        "value": "pro",
        "live_source": "",
        "valid_from": "2023-05-08T09:00:00Z",
        "valid_until": None,
    }


def test_times_within_a_second_are_kept(caller: Caller, alice: Entity) -> None:
    for fraction in (0, 500_000, 123_456):
        make_message(alice, "Tick.", occurred_at=SAID.replace(microsecond=fraction))
    records = caller.get("/timeline", entity="agent.alice").json()["records"]
    assert [record["occurred_at"] for record in records] == [
        "2023-05-08T09:00:00.123456Z",
        "2023-05-08T09:00:00.500000Z",
        "2023-05-08T09:00:00Z",
    ]


def test_lines_that_several_versions_share_are_in_each(caller: Caller, ladder: Ladder) -> None:
    make_next_version(ladder.version_2, added=[NewLine("prohibitions", "No green", [ladder.rule])])
    page = caller.get("/timeline", entity="agent.alice", collections="scenes", status="all").json()
    newest, before, _ = page["records"]
    assert newest["text"] == before["text"] + "\n## Prohibitions and Failure Modes\n\n- No green\n"
    assert newest["citations"] == before["citations"] == ids([ladder.new, ladder.rule])


def test_retired_scenes_and_retracted_traits_are_history(caller: Caller, ladder: Ladder) -> None:
    Scene.objects.update(status="retired", slot=None)
    Trait.objects.update(status="retracted")
    assert shown(caller, collections="scenes,persona") == []
    page = caller.get("/timeline", entity="agent.alice", collections="scenes,persona", status="all").json()
    assert [record["status"] for record in page["records"]] == ["retracted", "retired", "superseded"]
    assert page["counts"]["scenes"] == {"heads": 0, "versions": 2}


def test_pages_follow_each_other_without_gap_or_double(caller: Caller, ladder: Ladder) -> None:
    everything = shown(caller, status="all", limit=100)
    found: list[str] = []
    before: dict[str, int] = {}
    while True:
        page = caller.get("/timeline", entity="agent.alice", status="all", limit=2, **before).json()
        found += [record["id"] for record in page["records"]]
        if page["next_before"] is None:
            break
        before = {"before": page["next_before"]}
    assert found == everything
    assert len(found) == 9


@pytest.mark.parametrize(
    ("query", "collections"),
    [
        ({"collections": "messages"}, {"messages"}),
        ({"collections": "messages,scenes"}, {"messages", "scenes"}),
        ({"collections": ["messages", "scenes"]}, {"messages", "scenes"}),
        ({"types": "instruction"}, {"memories"}),
        ({"types": ["scene", "trait"]}, {"scenes", "persona"}),
        ({"types": "assistant"}, set()),
        ({"types": "scene", "collections": "messages"}, set()),
    ],
)
def test_collections_and_types_choose(
    caller: Caller, ladder: Ladder, query: dict[str, Any], collections: set[str]
) -> None:
    page = caller.get("/timeline", entity="agent.alice", **query).json()
    assert {record["collection"] for record in page["records"]} == collections


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        (
            {"entity": "agent.alice", "mood": "good", "x": "1"},
            "Unknown parameter: mood, x. Known are entity, status, collections, types, limit, before.",
        ),
        ({}, "entity: is required."),
        ({"entity": ""}, "entity: is required."),
        ({"entity": ["a", "b"]}, "entity: is given 2 times."),
        ({"entity": "a", "status": "dead"}, "status: has to be one of active, all."),
        (
            {"entity": "a", "collections": "messages,atoms"},
            "collections: has to be some of messages, memories, scenes, persona.",
        ),
        (
            {"entity": "a", "types": "atom"},
            "types: has to be some of user, assistant, tool, system, "
            "persona, episodic, instruction, scene, trait.",
        ),
        ({"entity": "a", "limit": "0"}, "limit: has to be a number from 1 to 100."),
        ({"entity": "a", "limit": "101"}, "limit: has to be a number from 1 to 100."),
        ({"entity": "a", "limit": "٣"}, "limit: has to be a number from 1 to 100."),
        ({"entity": "a", "limit": ""}, "limit: has to be a number from 1 to 100."),
        ({"entity": "a", "before": "-1"}, f"before: has to be a number from 1 to {2**63 - 1}."),
        ({"entity": "a", "before": str(2**63)}, f"before: has to be a number from 1 to {2**63 - 1}."),
        ({"entity": "a", "before": "1" * 5_000}, f"before: has to be a number from 1 to {2**63 - 1}."),
    ],
)
def test_a_wrong_parameter_is_named(caller: Caller, query: dict[str, Any], detail: str) -> None:
    reply = caller.get("/timeline", **query)
    assert (reply.status_code, reply.json()) == (400, {"error": "invalid", "detail": detail})


@pytest.mark.parametrize("name", ["agent.nobody", "a\0", " "])
def test_an_unknown_entity_is_not_found(caller: Caller, name: str) -> None:
    reply = caller.get("/timeline", entity=name)
    assert (reply.status_code, reply.json()) == (
        404,
        {"error": "not_found", "detail": "There is no such entity for this key."},
    )


def test_nothing_of_another_workspace_is_shown(caller: Caller, alice: Entity, bob: Entity) -> None:
    make_message(bob, "his secret")
    page = caller.get("/timeline", entity="agent.alice", status="all").json()
    assert page["records"] == []
    assert page["counts"]["messages"] == {"heads": 0, "versions": 0}


def test_an_empty_memory_is_an_empty_page(caller: Caller, alice: Entity) -> None:
    nothing = {"heads": 0, "versions": 0}
    assert caller.get("/timeline", entity="agent.alice").json() == {
        "entity": "agent.alice",
        "records": [],
        "next_before": None,
        "counts": dict.fromkeys(("messages", "memories", "scenes", "persona"), nothing),
    }


def test_statements_do_not_grow_with_the_memory(caller: Caller, alice: Entity, ladder: Ladder) -> None:
    counts = [statements(caller)]
    for number in range(10):
        message = make_message(alice, f"word {number}")
        atom = make_atom(alice, f"claim {number}", [message])
        make_scene(alice, f"scene {number}", [NewLine("work_context", f"line {number}", [atom])])
    counts.append(statements(caller))
    assert counts[0] == counts[1] <= 8


def statements(caller: Caller) -> int:
    caller.get("/timeline", entity="agent.alice")  # notes the key's use, once a minute
    with CaptureQueriesContext(connection) as captured:
        assert caller.get("/timeline", entity="agent.alice", status="all", limit=100).status_code == 200
    return len(captured)
