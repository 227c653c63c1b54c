"""Corrections over HTTP: scope admin alone, what moved meanwhile is stale, nobody else is in reach."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from memory.ingest.workspaces import create_key
from memory.models import Atom, Correction, Entity, Key, SceneVersion, Trait
from tests.api.conftest import Caller
from tests.factories import NewLine, make_atom, make_message, make_scene, make_trait

GO = "The gateway is written in Go."
RUST = "The gateway is written in Rust."
RULE = "Never deploy on Fridays."


@pytest.fixture
def admin(alice: Entity) -> Caller:
    key = create_key(workspace=alice.workspace, label="steward", scopes=[Key.Scope.ADMIN])
    return Caller(key.token)


@pytest.fixture
def release(alice: Entity) -> SceneVersion:
    return a_scene(alice)


def a_scene(entity: Entity, title: str = "Release") -> SceneVersion:
    atoms = [make_atom(entity, f"{text} ({title})", [make_message(entity, text)]) for text in (GO, RULE)]
    lines = [NewLine("work_context", GO, atoms[:1]), NewLine("prohibitions", RULE, atoms[1:])]
    return make_scene(entity, title, lines)


def told(reply: Any, status: int = 200) -> Any:
    assert reply.status_code == status, reply.content
    return reply.json()


def test_a_claim_is_corrected_taken_back_and_restored(admin: Caller, alice: Entity) -> None:
    atom = make_atom(alice, GO, [make_message(alice, GO)])
    body = told(
        admin.patch(f"/api/v1/atoms/{atom.pk}", {"text": RUST, "priority": 80, "reason": "moved"}), 201
    )
    assert (body["entity"], body["atom"]["text"], body["atom"]["priority"]) == ("agent.alice", RUST, 80)
    assert body["atom"]["status"] == "live"
    correction = body["correction"]
    assert (correction["kind"], correction["reason"]) == ("atom_superseded", "moved")
    assert correction["by"].startswith("steward (")
    assert (correction["before"]["text"], correction["after"]["text"]) == (GO, RUST)
    made = body["atom"]["id"]
    back = told(admin.post(f"/api/v1/atoms/{made}/retract", {"reason": "no"}))
    assert (back["atom"]["status"], back["correction"]["kind"]) == ("retracted", "atom_retracted")
    again = told(admin.post(f"/api/v1/atoms/{atom.pk}/restore", {}))
    assert (again["atom"]["status"], again["atom"]["receipts"]) == ("live", 2)
    assert [row.key.label for row in Correction.objects.all() if row.key] == ["steward"] * 3


def test_a_scene_is_read_shown_edited_and_pinned(admin: Caller, release: SceneVersion) -> None:
    door = f"/api/v1/scenes/{release.scene_id}"
    body = told(admin.get(door))
    assert (body["version"]["number"], body["correction"]) == (1, None)
    assert told(admin.get("/api/v1/scenes", entity="agent.alice"))["scenes"] == [body["scene"]]
    markdown = body["version"]["markdown"]
    assert (
        markdown
        == f"# Release\n\n## Work Context\n\n- {GO}\n\n## Prohibitions and Failure Modes\n\n- {RULE}\n"
    )
    edited = {"markdown": markdown.replace("Go", "Rust").replace("## Work", "### work"), "base": 1}
    preview = told(admin.post(f"{door}/preview", edited))
    assert preview["changes"] == [
        {"change": "reworded", "section": "work_context", "before": GO, "after": RUST}
    ]
    assert (len(preview["repairs"]), preview["problems"]) == (2, [])
    saved = told(admin.patch(door, {**edited, "reason": "rewritten"}))
    assert [line["text"] for line in saved["version"]["lines"]] == [RUST, RULE]
    assert (saved["version"]["number"], saved["correction"]["kind"]) == (2, "scene_edited")
    rule = saved["version"]["lines"][1]["id"]
    pinned = told(admin.post(f"{door}/pins", {"lines": [rule], "is_pinned": True, "base": 2}))
    assert [line["is_pinned"] for line in pinned["version"]["lines"]] == [False, True]
    assert told(admin.get(door, number=1))["version"]["lines"][0]["text"] == GO
    assert told(admin.get(door, number=9), 404)["error"] == "not_found"


def test_scenes_are_merged_retired_and_restored(admin: Caller, alice: Entity, release: SceneVersion) -> None:
    other = a_scene(alice, "Other")
    door = f"/api/v1/scenes/{release.scene_id}"
    merged = told(admin.post(f"{door}/merge", {"other": str(other.scene_id), "reason": "the same"}))
    assert (merged["version"]["number"], merged["correction"]["kind"]) == (2, "scenes_merged")
    assert told(admin.post(f"{door}/retire", {}))["correction"]["kind"] == "scene_retired"
    restored = told(admin.post(f"{door}/restore", {"number": 1}))
    assert (restored["scene"]["status"], restored["version"]["number"]) == ("live", 3)


def test_a_trait_is_worded_taken_back_and_restored(admin: Caller, alice: Entity) -> None:
    body = told(
        admin.post("/api/v1/traits", {"entity": "agent.alice", "slot": "role", "text": "Engineer."}), 201
    )
    door = f"/api/v1/traits/{body['trait']['id']}"
    assert (body["trait"]["number"], body["trait"]["status"]) == (1, "live")
    assert told(admin.post(f"{door}/retract", {}))["correction"]["kind"] == "trait_retracted"
    assert Trait.objects.get().status == "retracted"
    restored = told(admin.post(f"{door}/restore", {}))["trait"]
    assert restored == {
        "id": str(Trait.objects.get().pk),
        "slot": "role",
        "status": "live",
        "text": "Engineer.",
        "number": 2,
    }
    assert told(admin.get("/api/v1/traits", entity="agent.alice"))["traits"] == [restored]


def test_what_moved_and_what_may_not_be_are_told(admin: Caller, release: SceneVersion) -> None:
    door = f"/api/v1/scenes/{release.scene_id}"
    body = {"markdown": "# Release\n\n- One.\n", "base": 1, "reason": ""}
    told(admin.patch(door, body))
    assert told(admin.patch(door, body), 409) == {
        "error": "stale",
        "detail": "Version 1 of the scene is not the current one, 2 is: look at it again.",
    }
    refused = told(admin.patch(door, {**body, "markdown": "# Release\n", "base": 2}), 409)
    assert refused == {"error": "refused", "detail": "A scene has at least one line: retire it instead."}
    unknown = told(admin.patch(door, {**body, "lines": []}), 400)
    assert unknown["detail"].startswith("Unknown field: lines.")


def doors(entity: Entity) -> list[tuple[str, str, dict[str, Any]]]:
    """Every door, on rows of an entity."""
    version = a_scene(entity, "Theirs")
    atom = Atom.objects.for_entity(entity).live().order_by("seq").first()
    trait = make_trait(entity, "role", "Engineer.", list(version.lines.all())).trait
    assert atom is not None
    scene = f"/api/v1/scenes/{version.scene_id}"
    line = version.lines.first()
    assert line is not None
    draft = {"markdown": "# R\n\n- One.\n", "base": 1}
    return [
        ("patch", f"/api/v1/atoms/{atom.pk}", {"text": RUST}),
        ("post", f"/api/v1/atoms/{atom.pk}/retract", {}),
        ("post", f"/api/v1/atoms/{atom.pk}/restore", {}),
        ("patch", scene, draft),
        ("post", f"{scene}/preview", draft),
        ("post", f"{scene}/pins", {"lines": [str(line.pk)], "is_pinned": True, "base": 1}),
        ("post", f"{scene}/merge", {"other": str(uuid4())}),
        ("post", f"{scene}/retire", {}),
        ("post", f"{scene}/restore", {}),
        ("post", f"/api/v1/traits/{trait.pk}/retract", {}),
        ("post", f"/api/v1/traits/{trait.pk}/restore", {}),
    ]


def test_nobody_corrects_what_another_workspace_owns(admin: Caller, bob: Entity) -> None:
    for method, path, body in doors(bob):
        assert told(getattr(admin, method)(path, body), 404)["error"] == "not_found", path
    told(admin.post("/api/v1/traits", {"entity": "agent.bob", "slot": "role", "text": "x"}), 404)
    assert told(admin.get(doors_scene(bob)), 404)["error"] == "not_found"
    assert not Correction.objects.exists()


def doors_scene(entity: Entity) -> str:
    return f"/api/v1/scenes/{SceneVersion.objects.for_entity(entity).live().get().scene_id}"


def test_a_scene_of_another_workspace_is_not_merged_in(
    admin: Caller, release: SceneVersion, bob: Entity
) -> None:
    other = a_scene(bob)
    path = f"/api/v1/scenes/{release.scene_id}/merge"
    assert told(admin.post(path, {"other": str(other.scene_id)}), 404)["error"] == "not_found"


def test_a_key_that_may_write_may_not_correct(alice: Entity) -> None:
    scopes = [Key.Scope.READ, Key.Scope.WRITE]
    agent = Caller(create_key(workspace=alice.workspace, label="agent", scopes=scopes).token)
    for method, path, body in doors(alice):
        reply = told(getattr(agent, method)(path, body), 403)
        assert reply["detail"] == "This key has no admin scope.", path
    assert told(agent.get(doors_scene(alice)))["version"]["number"] == 1
    assert not Correction.objects.exists()


def test_a_bound_key_corrects_its_own_entities_alone(alice: Entity, release: SceneVersion) -> None:
    from memory.ingest.entities import ensure_entity

    other = ensure_entity(workspace=alice.workspace, name="agent.other")
    key = create_key(workspace=alice.workspace, label="bound", scopes=[Key.Scope.ADMIN], entities=[other])
    path = f"/api/v1/scenes/{release.scene_id}/retire"
    assert Caller(key.token).post(path, {}).status_code == 404
