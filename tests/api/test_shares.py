"""Shares: what a share opens, what it never opens, and that nothing crosses an entity without one."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.workspaces import create_key
from memory.models import Atom, Entity, Key, Message, Scene, Share, Trait, Use
from memory.stewardship.actors import Actor
from memory.stewardship.sharing import share_memory
from tests.api.conftest import Caller
from tests.factories import NewLine, make_atom, make_message, make_rule, make_scene, make_trait

ENTITY_404 = {"error": "not_found", "detail": "There is no such entity for this key."}
SECRET = "The vault is under the maple tree."
OWN = "The ladder stands in the garden."
QUERY = "Where is the vault, and where the ladder?"


@pytest.fixture
def owner(alice: Entity) -> Entity:
    """Of the same workspace; has a secret."""
    entity = Entity.objects.create(workspace=alice.workspace, name="team/owner")
    said = [make_message(entity, SECRET, speaker="Olga")]
    atom = make_atom(entity, SECRET, said)
    make_rule(entity, "Never mention the vault.", said, priority=90)
    version = make_scene(entity, "The Vault", [NewLine("work_context", SECRET, [atom])])
    make_trait(entity, "archetype", "Guards vaults.", list(version.lines.all()))
    return entity


@pytest.fixture
def reader(alice: Entity) -> Caller:
    """A key that is bound to Alice, with every scope."""
    make_atom(alice, OWN, [make_message(alice, OWN)])
    key = create_key(workspace=alice.workspace, label="bound", scopes=[Key.Scope.ADMIN], entities=[alice])
    return Caller(key.token)


@pytest.fixture
def steward(alice: Entity) -> Caller:
    return Caller(create_key(workspace=alice.workspace, label="steward", scopes=[Key.Scope.ADMIN]).token)


def share(entity: Entity, reader: Entity) -> None:
    share_memory(entity=entity, reader=reader, actor=Actor(name="test"))


def test_a_memory_is_shared_once_and_listed_from_both_sides(
    steward: Caller, alice: Entity, owner: Entity
) -> None:
    given = {"reader": "agent.alice", "reason": "She looks after the garden."}
    made, again = (steward.post("/api/v1/entities/team/owner/shares", given) for _ in range(2))
    stored = Share.objects.get()
    told = {
        "id": str(stored.pk),
        "entity": "team/owner",
        "reader": "agent.alice",
        "reason": "She looks after the garden.",
        "by": "steward",
        "created_at": stored.created_at.isoformat().replace("+00:00", "Z"),
    }
    assert [(reply.status_code, reply.json()) for reply in (made, again)] == [(201, told), (200, told)]
    listed = {"shares": [told], "next_after": None}
    assert [
        steward.get("/api/v1/entities/team/owner/shares").json(),
        steward.get("/api/v1/entities/agent.alice/shares", direction="received").json(),
        steward.get("/api/v1/entities/agent.alice/shares").json(),
    ] == [
        {"entity": "team/owner", "direction": "given", **listed},
        {"entity": "agent.alice", "direction": "received", **listed},
        {"entity": "agent.alice", "direction": "given", "shares": [], "next_after": None},
    ]


def test_shares_are_paged(steward: Caller, alice: Entity) -> None:
    for number in range(3):
        share(alice, Entity.objects.create(workspace=alice.workspace, name=f"agent.b{number}"))
    first = steward.get("/api/v1/entities/agent.alice/shares", limit=2).json()
    rest = steward.get("/api/v1/entities/agent.alice/shares", limit=2, after=first["next_after"]).json()
    assert [row["reader"] for row in first["shares"] + rest["shares"]] == ["agent.b0", "agent.b1", "agent.b2"]
    assert rest["next_after"] is None


@pytest.mark.parametrize(
    ("name", "given", "status", "detail"),
    [
        ("agent.alice", {"reader": "agent.alice"}, 409, "An entity reads its own memory without a share."),
        ("agent.alice", {"reader": "nobody"}, 404, ENTITY_404["detail"]),
        ("agent.alice", {"reader": "agent.elsewhere"}, 404, ENTITY_404["detail"]),
        ("agent.elsewhere", {"reader": "agent.alice"}, 404, ENTITY_404["detail"]),
        ("agent.alice", {}, 400, "reader: is required."),
    ],
)
def test_what_cannot_be_shared_is_told(
    steward: Caller, alice: Entity, bob: Entity, name: str, given: dict[str, str], status: int, detail: str
) -> None:
    Entity.objects.create(workspace=bob.workspace, name="agent.elsewhere")
    reply = steward.post(f"/api/v1/entities/{name}/shares", given)
    assert (reply.status_code, reply.json()["detail"]) == (status, detail)
    assert not Share.objects.exists()


def test_sharing_needs_scope_admin_and_a_key_that_opens_both(
    caller: Caller, reader: Caller, alice: Entity, owner: Entity
) -> None:
    given = {"reader": "team/owner"}
    assert [
        caller.post("/api/v1/entities/agent.alice/shares", given).status_code,
        caller.delete("/api/v1/entities/agent.alice/shares/team/owner").status_code,
        reader.post("/api/v1/entities/agent.alice/shares", given).status_code,
        caller.get("/api/v1/entities/agent.alice/shares").status_code,
    ] == [403, 403, 404, 200]


def test_a_share_is_taken_back_at_once(steward: Caller, reader: Caller, alice: Entity, owner: Entity) -> None:
    share(owner, alice)
    assert reader.get("/api/v1/rules", entity="team/owner").status_code == 200
    reply = steward.delete("/api/v1/entities/team/owner/shares/agent.alice")
    assert (reply.status_code, reply.content) == (204, b"")
    assert reader.get("/api/v1/rules", entity="team/owner").status_code == 404
    again = steward.delete("/api/v1/entities/team/owner/shares/agent.alice")
    assert (again.status_code, again.json()) == (
        404,
        {"error": "not_found", "detail": "The entity shares its memory with no such reader."},
    )


def reads(owner: Entity) -> list[tuple[str, dict[str, str]]]:
    """Every door that reads a memory, by address and query."""
    named = {"entity": owner.name}
    message, atom = Message.objects.get(entity=owner), Atom.objects.get(entity=owner, text=SECRET)
    scene, trait = Scene.objects.get(entity=owner).pk, Trait.objects.get(entity=owner).pk
    session = message.session_id
    return [
        *((name, named) for name in ("timeline", "records", "rules", "sessions", "atoms", "scenes")),
        *((name, named) for name in ("traits", "persona", "claims", "graph")),
        *((name, named) for name in ("traces", "procedures", "drafts")),
        ("trace", {**named, "id": str(atom.pk)}),
        ("recall", {**named, "query": "vault"}),
        ("context", {**named, "task": "vault"}),
        (f"sessions/{session}", {}),
        (f"sessions/{session}/turns", {}),
        (f"sessions/{session}/digests", {}),
        (f"sessions/{message.session.external_id}/messages", named),
        (f"records/{message.pk}", {}),
        (f"records/{message.pk}/changes", {}),
        (f"atoms/{atom.pk}", {}),
        (f"scenes/{scene}", {}),
        (f"scenes/{scene}/versions", {}),
        (f"scenes/{scene}/versions/1", {}),
        (f"scenes/{scene}/difference", {"from_number": "0"}),
        (f"persona/{trait}/versions", {}),
        (f"entities/{owner.name}", {}),
    ]


def asked_graph(query: dict[str, str], path: str) -> dict[str, str]:
    return {**query, "query": "vault"} if path == "graph" else query


def test_a_share_opens_every_door_that_reads(reader: Caller, alice: Entity, owner: Entity) -> None:
    def statuses() -> dict[str, int]:
        return {
            path: reader.get(f"/api/v1/{path}", **asked_graph(query, path)).status_code
            for path, query in reads(owner)
        }

    assert set(statuses().values()) == {404}
    share(owner, alice)
    assert statuses() == {path: 200 for path, _ in reads(owner)}


def test_a_share_opens_no_other_direction(alice: Entity, owner: Entity) -> None:
    """Whoever is read does not read the reader."""
    make_atom(alice, OWN, [make_message(alice, OWN)])
    share(owner, alice)
    key = create_key(workspace=alice.workspace, label="owner's", entities=[owner])
    assert Caller(key.token).get("/api/v1/atoms", entity="agent.alice").status_code == 404


def test_a_share_never_opens_what_writes_corrects_forgets_or_carries_out(
    reader: Caller, alice: Entity, owner: Entity
) -> None:
    share(owner, alice)
    named = {"entity": owner.name}
    atom = Atom.objects.get(entity=owner, text=SECRET)
    session = Message.objects.get(entity=owner).session_id
    scene = Scene.objects.get(entity=owner).pk
    message = {"session": "s", "role": "user", "text": "Hello."}
    claim = {
        "subject": {"kind": "a", "identifier": "b"},
        "predicate": "c.d",
        "value": 1,
        "authority": "tool",
        "evidence": [{"kind": "event", "reference": "r"}],
    }
    posts: list[tuple[str, Any]] = [
        ("records", {**named, "messages": [message]}),
        ("sessions", {**named, "external_id": "new"}),
        (f"sessions/{session}/turns", {"role": "user", "text": "Hello."}),
        (f"sessions/{session}/end", {}),
        (f"sessions/{session}/compact", {}),
        (f"sessions/{session}/claims", claim),
        ("claims", {**named, **claim}),
        ("traces", {**named, "task": "t", "steps": [{"kind": "note", "text": "x"}]}),
        ("graph/refresh", named),
        ("context", {**named, "task": "x", "record_use": True}),
        (f"sessions/{session}/context", {"record_use": True}),
        (f"atoms/{atom.pk}/retract", {}),
        (f"scenes/{scene}/retire", {}),
        ("traits", {**named, "slot": "role", "text": "x"}),
        ("forget", {**named, "text": "forget the vault"}),
        ("erase", {**named, "scope": {"kind": "entity"}}),
        ("parked/retry", {**named, "step": "persona"}),
        (f"entities/{owner.name}/flush", {}),
        (f"entities/{owner.name}/shares", {"reader": "agent.alice"}),
    ]
    found = {path: reader.post(f"/api/v1/{path}", body).status_code for path, body in posts}
    assert found == {path: 404 for path, _ in posts}
    others = [
        reader.patch(f"/api/v1/atoms/{atom.pk}", {"text": "x"}),
        reader.patch(f"/api/v1/entities/{owner.name}", {"paused_steps": []}),
        reader.get(f"/api/v1/entities/{owner.name}/export"),
        reader.get(f"/api/v1/entities/{owner.name}/status"),
        reader.get("/api/v1/runs", **named),
        reader.get("/api/v1/work", **named),
        reader.get("/api/v1/parked", **named),
        reader.get("/api/v1/uses", **named),
        reader.get("/api/v1/feedback", **named),
        reader.get("/api/v1/erasures", **named),
    ]
    assert [reply.status_code for reply in others] == [404] * len(others)


def test_recall_gives_each_shared_memory_as_a_group_of_its_own(
    reader: Caller, alice: Entity, owner: Entity
) -> None:
    share(owner, alice)
    asked = {"entity": "agent.alice", "query": QUERY, "meaning": False, "layers": ["atom"]}
    alone = reader.post("/api/v1/recall", asked).json()
    body = reader.post("/api/v1/recall", {**asked, "shared": "all"}).json()
    [group] = body.pop("shared")
    assert body == alone
    by_itself = reader.post("/api/v1/recall", {**asked, "entity": "team/owner"}).json()
    assert group == by_itself
    assert [hit["text"] for hit in alone["hits"]] == [OWN]
    found = [(hit["text"], hit["citations"][0]["speaker"]) for hit in group["hits"]]
    assert found[0] == (SECRET, "Olga")


def test_names_choose_among_what_is_shared(reader: Caller, alice: Entity, owner: Entity) -> None:
    other = Entity.objects.create(workspace=alice.workspace, name="team/other")
    share(owner, alice)
    share(other, alice)
    hidden = Entity.objects.create(workspace=alice.workspace, name="team/hidden")
    asked: dict[str, Any] = {"entity": "agent.alice", "query": "vault"}

    def groups(**shared: Any) -> list[str]:
        body = reader.get("/api/v1/recall", **asked, **shared).json()
        return [group["entity"] for group in body["shared"]]

    assert groups(shared="team/owner") == ["team/owner"]
    assert groups(shared=["team/owner", "team/other"]) == ["team/other", "team/owner"]
    assert groups(shared="all") == ["team/other", "team/owner"]
    for name in (hidden.name, "nobody", "agent.alice"):
        reply = reader.get("/api/v1/recall", **asked, shared=["team/owner", name])
        assert (reply.status_code, reply.json()) == (404, ENTITY_404)


def test_a_context_has_a_block_of_shared_memory(reader: Caller, alice: Entity, owner: Entity) -> None:
    asked = {"entity": "agent.alice", "task": QUERY, "meaning": False, "as_of": "2026-07-01T10:00:00Z"}
    alone = reader.post("/api/v1/context", asked).json()
    share(owner, alice)
    assert reader.post("/api/v1/context", asked).json() == alone
    body = reader.post("/api/v1/context", {**asked, "shared": ["team/owner"]}).json()
    names = [block["name"] for block in body["manifest"]["blocks"]]
    assert names == ["persona", "rules", "scenes", "memory", "shared", "procedure", "request"]
    text = body["text"]
    assert text.index(OWN) < text.index("## Shared memory") < text.index(SECRET) < text.index(QUERY)
    assert "### From team/owner\n" in text
    assert SECRET not in alone["text"]
    [part] = body["manifest"]["shared"]
    atom = Atom.objects.get(entity=owner, text=SECRET)
    assert part["name"] == "team/owner"
    assert {"kind": "atom", "id": str(atom.pk)} in part["shown"]
    assert "shared" not in alone["manifest"]
    rules = next(block for block in body["manifest"]["blocks"] if block["name"] == "rules")
    assert str(Atom.objects.get(entity=owner, priority=90).pk) not in json.dumps(rules)


def test_shared_memory_keeps_to_its_budget(reader: Caller, alice: Entity, owner: Entity) -> None:
    share(owner, alice)
    for number in range(60):
        text = f"The vault has the drawer {number}, which is full of old maps of the harbour."
        make_atom(owner, text, [make_message(owner, text)])
    asked = {"entity": "agent.alice", "task": QUERY, "meaning": False, "shared": "all"}

    def block(**more: Any) -> dict[str, Any]:
        body = reader.post("/api/v1/context", {**asked, **more}).json()
        assert more.get("total") is None or body["tokens"] <= more["total"]
        return next(one for one in body["manifest"]["blocks"] if one["name"] == "shared")

    assert block()["budget"] == 800
    assert 0 < block(budgets={"shared": 200})["tokens"] <= 200
    assert block(budgets={"shared": 0})["tokens"] == 0
    assert 0 < block(total=1_000)["tokens"] <= 250


def test_a_use_holds_no_row_and_no_word_of_others(reader: Caller, alice: Entity, owner: Entity) -> None:
    share(owner, alice)
    asked = {"entity": "agent.alice", "task": QUERY, "shared": "all", "record_use": True}
    refused = reader.post("/api/v1/context", {**asked, "keep_text": True})
    assert (refused.status_code, refused.json()["detail"]) == (
        400,
        "body: keep_text: keeps no words of others; leave it or shared out.",
    )
    reader.post("/api/v1/context", asked)
    use = Use.objects.get()
    assert (use.text, use.request) == ("", "")
    owned = set(Atom.objects.filter(entity=owner).values_list("pk", flat=True))
    assert owned.isdisjoint(use.records)
    assert SECRET not in json.dumps(use.manifest)


def test_an_answer_tells_apart_what_each_memory_says(reader: Caller, alice: Entity, owner: Entity) -> None:
    share(owner, alice)
    asked = {"entity": "agent.alice", "question": "Where is the vault?"}
    alone = reader.post("/api/v1/answer", asked).json()
    body = reader.post("/api/v1/answer", {**asked, "shared": "all"}).json()
    [other] = body.pop("shared")
    assert body == alone
    assert (alone["citations"], other["entity"]) == ([], "team/owner")
    assert SECRET in [cited["text"] for cited in other["citations"]]


@pytest.mark.parametrize(
    ("path", "body"),
    [("recall", {"query": "vault"}), ("context", {"task": "vault"}), ("answer", {"question": "vault?"})],
)
def test_what_is_shared_with_an_entity_is_not_handed_on(
    alice: Entity, owner: Entity, path: str, body: dict[str, str]
) -> None:
    """Alice reads the owner, and Carol reads Alice: Carol reads nothing of the owner."""
    carol = Entity.objects.create(workspace=alice.workspace, name="agent.carol")
    share(owner, alice)
    share(alice, carol)
    key = create_key(workspace=alice.workspace, label="carol's", entities=[carol])
    caller = Caller(key.token)
    own = caller.post(f"/api/v1/{path}", {"entity": "agent.alice", **body})
    assert own.status_code == 200
    for shared in ("all", ["team/owner"]):
        reply = caller.post(f"/api/v1/{path}", {"entity": "agent.alice", **body, "shared": shared})
        assert (reply.status_code, reply.json()) == (404, ENTITY_404)
    through = caller.post(f"/api/v1/{path}", {"entity": "agent.carol", **body, "shared": "all"}).json()
    assert "maple" not in json.dumps(through)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("recall", {"query": QUERY}),
        ("context", {"task": QUERY}),
        ("answer", {"question": "Where is the vault?"}),
    ],
)
def test_nothing_crosses_an_entity_unshared(
    reader: Caller, alice: Entity, owner: Entity, path: str, body: dict[str, str]
) -> None:
    own = {"entity": "agent.alice", **body}
    for shared in ({}, {"shared": "all"}):
        assert "maple" not in reader.post(f"/api/v1/{path}", {**own, **shared}).content.decode()
    named = reader.post(f"/api/v1/{path}", {**own, "shared": ["team/owner"]})
    assert (named.status_code, named.json()) == (404, ENTITY_404)
    share(owner, alice)
    assert "maple" in reader.post(f"/api/v1/{path}", {**own, "shared": "all"}).content.decode()
    Share.objects.all().delete()
    assert "maple" not in reader.post(f"/api/v1/{path}", {**own, "shared": "all"}).content.decode()


def test_what_is_erased_is_not_shared_any_more(
    steward: Caller, reader: Caller, alice: Entity, owner: Entity
) -> None:
    share(owner, alice)
    plan = steward.post("/api/v1/erase", {"entity": "team/owner", "scope": {"kind": "entity"}}).json()
    done = steward.post("/api/v1/erase/confirm", {"entity": "team/owner", "token": plan["token"]})
    assert done.status_code == 200
    body = reader.post("/api/v1/recall", {"entity": "agent.alice", "query": QUERY, "shared": "all"}).json()
    assert body["shared"] == []
    assert not Share.objects.exists()


def test_too_many_memories_are_refused_by_number(reader: Caller, alice: Entity) -> None:
    for number in range(17):
        share(Entity.objects.create(workspace=alice.workspace, name=f"team/{number}"), alice)
    reply = reader.get("/api/v1/recall", entity="agent.alice", query="x", shared="all")
    assert (reply.status_code, reply.json()["detail"]) == (
        400,
        "shared: 17 memories are meant, and a call reads at most 16: name some of them.",
    )


def test_a_session_narrows_no_memory_of_others(reader: Caller, alice: Entity) -> None:
    reply = reader.get("/api/v1/recall", entity="agent.alice", query="x", shared="all", session="first")
    assert (reply.status_code, reply.json()["detail"]) == (
        400,
        "body: shared: a session is of one entity; leave one of the two out.",
    )


def test_statements_do_not_grow_with_the_shared_memory(reader: Caller, alice: Entity, owner: Entity) -> None:
    share(owner, alice)

    def statements(path: str, **query: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            reply = reader.get(f"/api/v1/{path}", entity="agent.alice", shared="all", **query)
            assert reply.status_code == 200
        return len(captured)

    def counted() -> tuple[int, int]:
        return statements("recall", query=QUERY), statements("context", task=QUERY)

    counted()
    few = counted()
    for number in range(10):
        text = f"The vault has the drawer {number}."
        make_atom(owner, text, [make_message(owner, text)])
    assert counted() == few
