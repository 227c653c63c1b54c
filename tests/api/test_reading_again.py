"""Entity tags: what a caller has already is not sent again, and nobody else may keep it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from memory.ingest.workspaces import create_key
from memory.models import Entity
from tests.api.conftest import Caller
from tests.factories import NewLine, make_atom, make_message, make_scene


def test_what_has_not_changed_is_not_sent_again(caller: Caller, alice: Entity) -> None:
    make_message(alice, "I like tea.")
    first = caller.get("/timeline", entity="agent.alice")
    tag = first.headers["ETag"]
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = caller.client.get("/timeline", {"entity": "agent.alice"}, headers={"If-None-Match": given})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        assert again.headers["Cache-Control"] == "private, no-cache"
        assert "X-Request-ID" in again.headers
    make_message(alice, "I like coffee.", session="s2")
    changed = caller.client.get("/timeline", {"entity": "agent.alice"}, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.headers["ETag"] != tag) == (200, True)


def test_memory_may_be_kept_by_its_caller_alone(caller: Caller, alice: Entity) -> None:
    reply = caller.get("/timeline", entity="agent.alice")
    assert reply.headers["Cache-Control"] == "private, no-cache"
    assert {"authorization", "origin"} <= set(reply.headers["Vary"].lower().split(", "))


@pytest.mark.parametrize(
    ("path", "status"), [("/timeline", 400), ("/api/v1/nothing", 404), ("/api/v1/atoms?entity=x", 404)]
)
def test_errors_are_kept_by_nobody(caller: Caller, path: str, status: int) -> None:
    reply = caller.client.get(path, headers={"If-None-Match": "*"})
    assert (reply.status_code, reply.headers["Cache-Control"]) == (status, "no-store")
    assert "ETag" not in reply.headers


def test_what_is_no_memory_is_kept_by_nobody(db: None) -> None:
    reply = Client().get("/health")
    assert (reply.headers["Cache-Control"], "ETag" in reply.headers) == ("no-store", False)


def test_writes_are_kept_by_nobody(caller: Caller, alice: Entity) -> None:
    body = {"entity": "agent.alice", "messages": [{"session": "s1", "role": "user", "text": "hi"}]}
    assert caller.post("/records", body).headers["Cache-Control"] == "no-store"


def test_an_edit_may_name_the_version_that_has_to_stand(alice: Entity) -> None:
    admin = Caller(create_key(workspace=alice.workspace, label="admin", scopes=["admin"]).token)
    with transaction.atomic():
        atom = make_atom(alice, "Deploys need approval.", [make_message(alice, "Deploys need approval.")])
        first = make_scene(alice, "Deploys", [NewLine("core_sop", "Ask for approval.", [atom])])
    path = f"/api/v1/scenes/{first.scene_id}"
    read: Any = admin.get(path)
    tag = read.headers["ETag"]
    assert tag.startswith('"1.')
    markdown = read.json()["version"]["markdown"]
    edited = {"base": 1, "markdown": markdown.replace("Ask for", "Wait for"), "reason": "so"}

    def edit(given: str) -> Any:
        return admin.client.patch(path, edited, content_type="application/json", headers={"If-Match": given})

    for other in ('"2.0"', f"W/{tag}", '"1"x'):
        refused = edit(other)
        assert (refused.status_code, refused.json()) == (
            412,
            {"error": "stale", "detail": "The scene is at version 1."},
        )
    assert edit(f'"9.9", {tag}').status_code == 200
    assert edit(tag).status_code == 412
    assert edit("*").json()["error"] == "stale"
