"""Keys in the hands of a key: never more granted than it has, and the token told once."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.ingest.workspaces import create_key
from memory.models import Entity, IdempotentReply, Key
from memory.models.base import new_id
from tests.api.conftest import Caller

NO_RECORD = {"error": "not_found", "detail": "The entity has no record with such an id."}
BOUND = {
    "error": "permission_denied",
    "detail": "This key is bound to entities; it neither sees nor makes keys.",
}


@pytest.fixture
def steward(alice: Entity) -> Caller:
    return Caller(create_key(workspace=alice.workspace, label="steward", scopes=[Key.Scope.ADMIN]).token)


def told(key: Key, **values: Any) -> dict[str, Any]:
    """The key as the API tells it."""
    key.refresh_from_db()

    def moment(when: datetime | None) -> str | None:
        return when and when.isoformat().replace("+00:00", "Z")

    return {
        "id": str(key.pk),
        "label": key.label,
        "prefix": key.prefix,
        "scopes": key.scopes,
        "entities": [],
        "is_bound": False,
        "is_usable": True,
        "created_at": moment(key.created_at),
        "expires_at": moment(key.expires_at),
        "revoked_at": moment(key.revoked_at),
        "last_used_at": moment(key.last_used_at),
        **values,
    }


def test_a_key_is_issued_and_opens_what_it_was_issued_for(steward: Caller, alice: Entity) -> None:
    Entity.objects.create(workspace=alice.workspace, name="agent.other")
    given = {"label": "Alice's", "scopes": ["write", "read"], "entities": ["agent.alice"]}
    reply = steward.post("/api/v1/keys", {**given, "lifetime_seconds": 3600})
    key = Key.objects.get(label="Alice's")
    body = reply.json()
    token = body.pop("token")
    assert (reply.status_code, reply["Cache-Control"], body) == (
        201,
        "no-store",
        {"key": told(key, entities=["agent.alice"], is_bound=True)},
    )
    assert (key.digest, key.scopes) == (Key.digest_of(token), ["read", "write"])
    assert key.expires_at is not None
    assert timedelta(minutes=59) < key.expires_at - timezone.now() <= timedelta(hours=1)
    caller = Caller(token)
    assert [
        caller.get("/api/v1/atoms", entity=name).status_code for name in ("agent.alice", "agent.other")
    ] == [200, 404]


def test_a_key_that_is_asked_for_twice_is_made_once_and_told_once(steward: Caller, alice: Entity) -> None:
    headers = {"Idempotency-Key": "once"}
    given = {"label": "agent's", "scopes": ["read"]}
    first, second = (
        steward.client.post("/api/v1/keys", given, content_type="application/json", headers=headers)
        for _ in range(2)
    )
    token = first.json()["token"]
    assert (first.status_code, second.status_code, second["Idempotency-Replayed"]) == (201, 201, "true")
    assert Key.objects.filter(label="agent's").count() == 1
    assert (token in second.content.decode(), token in str(IdempotentReply.objects.get().ids)) == (
        False,
        False,
    )


def test_keys_are_listed_without_their_tokens(steward: Caller, alice: Entity, bob: Entity) -> None:
    create_key(workspace=bob.workspace, label="elsewhere")
    gone = create_key(workspace=alice.workspace, label="gone", entities=[alice]).key
    Key.objects.filter(pk=gone.pk).update(revoked_at=timezone.now())
    first = steward.get("/api/v1/keys", limit=1).json()
    rest = steward.get("/api/v1/keys", limit=1, after=first["next_after"]).json()
    own = Key.objects.get(label="steward")
    assert first["keys"] == [told(gone, entities=["agent.alice"], is_bound=True, is_usable=False)]
    assert rest == {"keys": [told(own)], "next_after": None}


def test_a_key_is_revoked_at_once_and_once(steward: Caller, alice: Entity) -> None:
    issued = create_key(workspace=alice.workspace, label="gone")
    caller = Caller(issued.token)
    assert caller.get("/api/v1/entities").status_code == 200
    first, second = (steward.post(f"/api/v1/keys/{issued.key.pk}/revoke", {}) for _ in range(2))
    body = told(issued.key, is_usable=False)
    assert [(reply.status_code, reply.json()) for reply in (first, second)] == [(200, body)] * 2
    assert caller.get("/api/v1/entities").status_code == 401


@pytest.mark.parametrize(
    ("given", "status", "detail"),
    [
        ({"scopes": ["read"]}, 400, "label: is required."),
        ({"label": "x", "scopes": []}, 400, "scopes: "),
        ({"label": "x", "scopes": ["root"]}, 400, "scopes.0: has to be 'read', 'write' or 'admin'"),
        ({"label": "x" * 65, "scopes": ["read"]}, 400, "label: "),
        ({"label": "x", "scopes": ["read"], "entities": ["nobody"]}, 404, "There is no such entity for this"),
        (
            {"label": "x", "scopes": ["read"], "entities": ["agent.elsewhere"]},
            404,
            "There is no such entity for this key.",
        ),
        (
            {"label": "x", "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z"},
            400,
            "expires_at: has passed already",
        ),
        (
            {
                "label": "x",
                "scopes": ["read"],
                "expires_at": "2099-01-01T00:00:00Z",
                "lifetime_seconds": 5,
            },
            400,
            "body: lifetime_seconds: takes the place of expires_at.",
        ),
        ({"label": "x", "scopes": ["read"], "lifetime_seconds": 0}, 400, "lifetime_seconds: has to be"),
    ],
)
def test_what_cannot_be_issued_is_told(
    steward: Caller, bob: Entity, given: dict[str, Any], status: int, detail: str
) -> None:
    Entity.objects.create(workspace=bob.workspace, name="agent.elsewhere")
    before = Key.objects.count()
    reply = steward.post("/api/v1/keys", given)
    assert (reply.status_code, reply.json()["detail"][: len(detail)]) == (status, detail)
    assert Key.objects.count() == before


@pytest.mark.parametrize("end", [{}, {"lifetime_seconds": 7200}, {"expires_at": "2099-01-01T00:00:00Z"}])
def test_a_key_makes_none_that_outlives_it(alice: Entity, end: dict[str, Any]) -> None:
    soon = timezone.now() + timedelta(hours=1)
    short = create_key(
        workspace=alice.workspace, label="short", scopes=[Key.Scope.ADMIN], expires_at=soon
    ).token
    reply = Caller(short).post("/api/v1/keys", {"label": "x", "scopes": ["read"], **end})
    assert (reply.status_code, reply.json()) == (
        409,
        {
            "error": "refused",
            "detail": "A key makes none that outlives it: give an end that comes before its own.",
        },
    )
    fine = Caller(short).post("/api/v1/keys", {"label": "x", "scopes": ["read"], "lifetime_seconds": 60})
    assert fine.status_code == 201


@pytest.mark.parametrize("scopes", [["read"], ["write"], ["read", "write"]])
def test_keys_need_scope_admin(alice: Entity, scopes: list[str]) -> None:
    caller = Caller(create_key(workspace=alice.workspace, label="x", scopes=scopes).token)
    replies = [
        caller.get("/api/v1/keys"),
        caller.post("/api/v1/keys", {"label": "y", "scopes": ["read"]}),
        caller.post(f"/api/v1/keys/{new_id()}/revoke", {}),
    ]
    assert [(reply.status_code, reply.json()["detail"]) for reply in replies] == [
        (403, "This key has no admin scope.")
    ] * 3


def test_a_bound_key_neither_sees_nor_makes_keys(alice: Entity) -> None:
    bound = create_key(workspace=alice.workspace, label="bound", scopes=[Key.Scope.ADMIN], entities=[alice])
    caller = Caller(bound.token)
    replies = [
        caller.get("/api/v1/keys"),
        caller.post("/api/v1/keys", {"label": "y", "scopes": ["read"], "entities": ["agent.alice"]}),
        caller.post(f"/api/v1/keys/{bound.key.pk}/revoke", {}),
    ]
    assert [(reply.status_code, reply.json()) for reply in replies] == [(403, BOUND)] * 3
    assert Key.objects.count() == 1


def test_a_key_of_another_workspace_is_not_there(steward: Caller, bob: Entity) -> None:
    theirs = create_key(workspace=bob.workspace, label="theirs").key
    reply = steward.post(f"/api/v1/keys/{theirs.pk}/revoke", {})
    assert (reply.status_code, reply.json()) == (404, NO_RECORD)
    assert Key.objects.get(pk=theirs.pk).revoked_at is None


def test_statements_do_not_grow_with_the_keys(steward: Caller, alice: Entity) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert steward.get("/api/v1/keys", limit=100).status_code == 200
        return len(captured)

    create_key(workspace=alice.workspace, label="x", entities=[alice])
    statements()
    few = statements()
    for number in range(10):
        create_key(workspace=alice.workspace, label=f"x{number}", entities=[alice])
    assert statements() == few
