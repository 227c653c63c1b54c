"""Entities: listed, made, changed, and where the memory of one stands."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.cascade.work import ensure_work
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Process, Step, Work
from tests.api.conftest import Caller
from tests.factories import NewLine, make_atom, make_message, make_pending_message, make_scene, make_trait

NO_COUNTS = {
    "messages": 0,
    "atoms": 0,
    "atoms_all": 0,
    "scenes": 0,
    "scene_versions": 0,
    "traits": 0,
    "trait_versions": 0,
}
NEVER_SEEN = "no worker was ever seen here; start one: python manage.py serve, or make worker"
NOT_FOUND = {"error": "not_found", "detail": "There is no such entity for this key."}


def admin(entity: Entity, **values: Any) -> Caller:
    """A caller whose key may do everything."""
    key = create_key(workspace=entity.workspace, label="admin", scopes=[Key.Scope.ADMIN], **values)
    return Caller(key.token)


def make(entity: Entity, name: str, **values: Any) -> Entity:
    made = Entity.objects.create(workspace=entity.workspace, name=name, **values)
    ensure_work(made)
    return made


def told(entity: Entity, counts: dict[str, int] | None = None, **values: Any) -> dict[str, Any]:
    """The entity as the API tells it."""
    return {
        "id": str(entity.pk),
        "name": entity.name,
        "group_id": "",
        "user_id": "",
        "time_zone": "UTC",
        "paused_steps": [],
        "created_at": entity.created_at.isoformat().replace("+00:00", "Z"),
        "counts": NO_COUNTS | (counts or {}),
        **values,
    }


def fill(entity: Entity, number: int = 0) -> None:
    """A message, two atoms of one chain, a scene and a trait."""
    said = [make_message(entity, f"Word {number}.")]
    old = make_atom(entity, "Old.", said)
    new = make_atom(entity, "New.", said, replaces=old)
    version = make_scene(entity, "Scene", [NewLine("work_context", "New.", [new])])
    make_trait(entity, "archetype", "Careful.", list(version.lines.all()))


FILLED = {
    "messages": 1,
    "atoms": 1,
    "atoms_all": 2,
    "scenes": 1,
    "scene_versions": 1,
    "traits": 1,
    "trait_versions": 1,
}


def test_entities_are_listed_by_name_with_their_counts(caller: Caller, alice: Entity, bob: Entity) -> None:
    other = make(alice, "agent.zoe", group_id="g", user_id="u")
    fill(alice)
    other.refresh_from_db()
    alice.refresh_from_db()
    assert caller.get("/api/v1/entities").json() == {
        "entities": [told(alice, FILLED), told(other, group_id="g", user_id="u")],
        "next_after": None,
    }


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["agent.alice", "agent.zoe", "tool/one"]),
        ({"prefix": "agent."}, ["agent.alice", "agent.zoe"]),
        ({"prefix": "agent_"}, []),
        ({"name": "tool/one"}, ["tool/one"]),
        ({"group_id": "g"}, ["agent.zoe"]),
        ({"group_id": "g", "user_id": "other"}, []),
    ],
)
def test_a_filter_narrows_the_list(
    caller: Caller, alice: Entity, query: dict[str, str], names: list[str]
) -> None:
    make(alice, "agent.zoe", group_id="g", user_id="u")
    make(alice, "tool/one")
    found = caller.get("/api/v1/entities", **query).json()["entities"]
    assert [entity["name"] for entity in found] == names


def test_entities_are_paged(caller: Caller, alice: Entity) -> None:
    for number in range(4):
        make(alice, f"agent.b{number}")
    names: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = caller.get("/api/v1/entities", limit=2, **after).json()
        names += [entity["name"] for entity in page["entities"]]
        if page["next_after"] is None:
            break
        after = {"after": page["next_after"]}
    assert names == ["agent.alice", "agent.b0", "agent.b1", "agent.b2", "agent.b3"]


def test_a_bound_key_lists_its_own(alice: Entity) -> None:
    make(alice, "agent.zoe")
    bound = Caller(create_key(workspace=alice.workspace, label="bound", entities=[alice]).token)
    found = bound.get("/api/v1/entities").json()["entities"]
    assert [entity["name"] for entity in found] == ["agent.alice"]


def test_statements_do_not_grow_with_the_entities(caller: Caller, alice: Entity) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert caller.get("/api/v1/entities", limit=100).status_code == 200
        return len(captured)

    fill(alice)
    caller.get("/api/v1/entities")  # notes the key's use, once a minute
    few = statements()
    for number in range(10):
        fill(make(alice, f"agent.b{number}"), number)
    assert statements() == few


def test_an_entity_is_made_once(caller: Caller, alice: Entity) -> None:
    given = {"name": "agent.new/one", "time_zone": "Asia/Tokyo", "group_id": "g", "user_id": "u"}
    made, again = (caller.post("/api/v1/entities", given) for _ in range(2))
    entity = Entity.objects.get(name="agent.new/one")
    body = told(entity, time_zone="Asia/Tokyo", group_id="g", user_id="u")
    assert [(reply.status_code, reply.json()) for reply in (made, again)] == [(201, body), (200, body)]
    assert caller.get("/api/v1/entities/agent.new/one").json() == body
    assert Work.objects.for_entity(entity).count() == len(Step)


@pytest.mark.parametrize(
    ("given", "status", "detail"),
    [
        ({"name": "agent.alice", "time_zone": "Asia/Tokyo"}, 409, "time_zone: is another one for the entity"),
        ({"name": "agent.alice", "user_id": "u"}, 409, "user_id: is another one for the entity"),
        ({"name": "b", "time_zone": "Mars/Base"}, 400, "time_zone: is not in the time zone database"),
        ({"name": " b"}, 400, "entity: begins or ends with a space"),
        ({"name": "b", "colour": "red"}, 400, "Unknown field: colour."),
        ({}, 400, "name: is required."),
    ],
)
def test_what_cannot_be_made_is_told(
    caller: Caller, alice: Entity, given: dict[str, str], status: int, detail: str
) -> None:
    reply = caller.post("/api/v1/entities", given)
    assert (reply.status_code, reply.json()["detail"][: len(detail)]) == (status, detail)


def test_a_bound_key_makes_no_entity(alice: Entity) -> None:
    reply = admin(alice, entities=[alice]).post("/api/v1/entities", {"name": "b"})
    assert (reply.status_code, reply.json()) == (
        403,
        {
            "error": "permission_denied",
            "detail": "This key opens certain entities only; it makes no others.",
        },
    )


def test_zone_and_pauses_are_changed(alice: Entity) -> None:
    make_pending_message(alice, "Waits.")
    steward = admin(alice)
    reply = steward.patch(
        "/api/v1/entities/agent.alice",
        {"time_zone": "Europe/Rome", "paused_steps": ["persona", "l1_extract"]},
    )
    body = told(alice, {"messages": 1}, time_zone="Europe/Rome", paused_steps=["l1_extract", "persona"])
    assert (reply.status_code, reply.json()) == (200, body)
    assert not Work.objects.for_entity(alice).filter(due_at__isnull=False).exists()
    again = steward.patch("/api/v1/entities/agent.alice", {"paused_steps": ["persona"]}).json()
    assert again == body | {"paused_steps": ["persona"]}
    due = Work.objects.for_entity(alice).filter(due_at__isnull=False)
    assert list(due.values_list("step", flat=True)) == ["l1_extract"]


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({}, "body: time_zone or paused_steps is required."),
        ({"paused_steps": ["sleep"]}, "paused_steps.0: has to be 'l1_extract', 'scene_synthesis', "),
        ({"time_zone": "Mars/Base"}, "time_zone: is not in the time zone database"),
    ],
)
def test_a_wrong_change_is_named(alice: Entity, given: dict[str, Any], detail: str) -> None:
    reply = admin(alice).patch("/api/v1/entities/agent.alice", given)
    assert (reply.status_code, reply.json()["detail"][: len(detail)]) == (400, detail)


def test_changing_needs_scope_admin(caller: Caller, alice: Entity) -> None:
    reply = caller.patch("/api/v1/entities/agent.alice", {"paused_steps": []})
    assert (reply.status_code, reply.json()["detail"]) == (403, "This key has no admin scope.")


def test_the_status_of_a_settled_memory(caller: Caller, alice: Entity) -> None:
    fill(alice)
    Process.objects.create(kind="worker", name="host:1", configuration_hash="x")
    body = caller.get("/api/v1/entities/agent.alice/status").json()
    assert body == {
        "layers": {
            "entity": "agent.alice",
            "messages": 1,
            "atoms_live": 1,
            "atoms_all": 2,
            "scenes_live": 1,
            "scene_versions": 1,
            "traits": 1,
            "pending": dict.fromkeys(
                ("l1_extract", "scene_synthesis", "persona", "compaction", "skill_extract"), 0
            ),
            "parked": dict.fromkeys(map(str, Step), 0),
            "worker_seen_seconds": body["layers"]["worker_seen_seconds"],
        },
        "paused_steps": [],
        "is_settled": True,
        "waits_for": None,
        "reasons": [],
        "worker": "",
        "has_steps": True,
    }


def test_the_status_tells_why_something_waits(caller: Caller, alice: Entity) -> None:
    make_pending_message(alice, "Waits.")
    Entity.objects.filter(pk=alice.pk).update(paused_steps=["persona"])
    Work.objects.for_entity(alice).filter(step="l1_extract").update(
        last_error="The endpoint was silent.", last_error_kind="timeout"
    )
    body = caller.get("/api/v1/entities/agent.alice/status").json()
    del body["layers"]
    assert body == {
        "paused_steps": ["persona"],
        "is_settled": False,
        "waits_for": "l1_extract",
        "reasons": [
            NEVER_SEEN,
            "persona is paused for this entity",
            "1 waiting for l1_extract",
            "last error of l1_extract: timeout The endpoint was silent.",
        ],
        "worker": NEVER_SEEN,
        "has_steps": True,
    }


def test_a_flush_lets_no_step_wait(caller: Caller, alice: Entity) -> None:
    caller.post(
        "/api/v1/records",
        {"entity": "agent.alice", "messages": [{"session": "s", "role": "user", "text": "Hello."}]},
    )
    reply = caller.post("/api/v1/entities/agent.alice/flush", {})
    assert (reply.status_code, reply.json()["waits_for"]) == (202, "l1_extract")
    assert set(Work.objects.for_entity(alice).values_list("is_flushing", flat=True)) == {True}


@pytest.mark.parametrize("path", ["", "/status", "/shares"])
def test_an_entity_that_a_key_does_not_open_is_not_found(
    caller: Caller, alice: Entity, bob: Entity, path: str
) -> None:
    other = make(alice, "agent.zoe")
    elsewhere = make(bob, "agent.elsewhere")
    bound = Caller(create_key(workspace=alice.workspace, label="bound", entities=[other]).token)
    replies = [
        bound.get(f"/api/v1/entities/agent.alice{path}"),
        caller.get(f"/api/v1/entities/{elsewhere.name}{path}"),
    ]
    assert [(reply.status_code, reply.json()) for reply in replies] == [(404, NOT_FOUND)] * 2
    assert Caller().get(f"/api/v1/entities/agent.alice{path}").status_code == 401
