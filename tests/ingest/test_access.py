"""Keys: what they open, until when, and how their use is noted."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import queries
from memory.ingest.access import UnknownEntityError, open_access
from memory.ingest.entities import ensure_entity
from memory.ingest.messages import record_messages
from memory.ingest.problems import IngestConflict, IngestError, Problem
from memory.ingest.workspaces import create_key, create_workspace
from memory.models import Entity, Key, Step, Work, Workspace
from tests.ingest.words import said


def test_a_new_workspace_has_one_key_that_opens_it(db: None) -> None:
    workspace, key, token = create_workspace(name="acme")
    access = open_access(token)
    assert access is not None
    assert (access.key, access.workspace, access.is_bound) == (key, workspace, False)
    assert [access.allows(scope) for scope in ("read", "write", "admin")] == [True, True, False]
    assert token not in str(Key.objects.values().get())


@pytest.mark.parametrize("name", ["", " acme", "a\nb", "a" * 65, "a\0", "\ud800"])
def test_a_bad_name_makes_no_workspace(db: None, name: str) -> None:
    with pytest.raises(IngestError) as refusal:
        create_workspace(name=name)
    assert [problem.field for problem in refusal.value.problems] == ["name"]


def test_a_taken_name_is_refused(workspace: Workspace) -> None:
    with pytest.raises(IngestError) as refusal:
        create_workspace(name="acme")
    assert refusal.value.problems == (Problem(None, "name", "a workspace named acme is there already"),)


@pytest.mark.parametrize("scopes", [[], ["root"], ["read", "root"]])
def test_unknown_scopes_are_refused(workspace: Workspace, scopes: list[str]) -> None:
    with pytest.raises(IngestError):
        create_key(workspace=workspace, label="x", scopes=scopes)


def test_revoked_expired_and_unknown_keys_open_nothing(workspace: Workspace) -> None:
    now = datetime.now(UTC)
    revoked, expired = (create_key(workspace=workspace, label="x") for _ in range(2))
    Key.objects.filter(pk=revoked.key.pk).update(revoked_at=now)
    Key.objects.filter(pk=expired.key.pk).update(expires_at=now - timedelta(seconds=1))
    assert [open_access(token) for token in (revoked.token, expired.token, "msk_unknown", "ключ")] == [
        None
    ] * 4


def test_a_bound_key_opens_its_entities_only(alice: Entity, bob: Entity) -> None:
    other = ensure_entity(workspace=alice.workspace, name="agent.other")
    access = open_access(create_key(workspace=alice.workspace, label="x", entities=[alice]).token)
    assert access is not None
    assert access.entity("agent.alice") == alice
    for name in (other.name, "agent.new", "", "a\0"):
        with pytest.raises(UnknownEntityError):
            access.entity(name)
        with pytest.raises(UnknownEntityError):
            record_messages(access=access, entity_name=name, messages=[said("a")])
    assert Entity.objects.for_workspace(alice.workspace_id).count() == 2


def test_a_key_is_not_bound_to_entities_of_another_workspace(alice: Entity, bob: Entity) -> None:
    with pytest.raises(IngestError):
        create_key(workspace=alice.workspace, label="x", entities=[bob])


def test_use_is_noted_at_most_once_a_minute(workspace: Workspace) -> None:
    issued = create_key(workspace=workspace, label="x")
    counts = []
    for _ in range(3):
        with CaptureQueriesContext(connection) as captured:
            open_access(issued.token)
        counts.append(len(captured))
    assert counts == [2, 1, 1]
    before = datetime.now(UTC) - timedelta(seconds=61)
    Key.objects.update(last_used_at=before)
    open_access(issued.token)
    assert Key.objects.get(pk=issued.key.pk).last_used_at > before + timedelta(seconds=60)


def test_a_session_is_looked_for_once_whether_it_is_there_or_not(
    workspace: Workspace, alice: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = open_access(create_key(workspace=workspace, label="x").token)
    assert access is not None
    exchanges: list[list[str]] = []

    def told(*asked: tuple[str, Any]) -> Any:
        exchanges.append([name for name, _ in asked])
        return kept_rows(*asked)

    kept_rows = queries.kept_rows
    monkeypatch.setattr(queries, "kept_rows", told)
    for _ in ("its first message", "its second"):
        record_messages(access=access, entity_name=alice.name, messages=[said("a", session="new")])
    assert exchanges == [
        ["entity_of_name", "session_lock"],
        ["session_make", "session_lock"],
        ["message_add"],
        ["entity_of_name", "session_lock"],
        ["message_add"],
    ]


def test_an_entity_is_made_with_its_first_messages_or_not_at_all(workspace: Workspace) -> None:
    access = open_access(create_key(workspace=workspace, label="x").token)
    assert access is not None
    clash = [said("a", dedupe_key="k"), said("b", dedupe_key="k")]
    with pytest.raises(IngestConflict):
        record_messages(access=access, entity_name="agent.new", messages=clash)
    assert not Entity.objects.for_workspace(workspace.pk).exists()
    appended = record_messages(access=access, entity_name="agent.new", messages=[said("a")])
    assert appended.entity.name == "agent.new"
    assert Work.objects.for_entity(appended.entity).count() == len(Step)


@pytest.mark.parametrize(
    ("details", "field"),
    [
        ({"name": ""}, "entity"),
        ({"name": "a" * 129}, "entity"),
        ({"name": " a"}, "entity"),
        ({"name": "a\tb"}, "entity"),
        ({"name": "a", "time_zone": "Mars/Olympus"}, "time_zone"),
        ({"name": "a", "user_id": "u" * 129}, "user_id"),
        ({"name": "a", "group_id": "g", "user_id": "u"}, "user_id"),
    ],
)
def test_an_entity_that_cannot_be_is_refused(
    workspace: Workspace, details: dict[str, str], field: str
) -> None:
    ensure_entity(workspace=workspace, name="first", group_id="g", user_id="u")
    with pytest.raises(IngestError) as refusal:
        ensure_entity(workspace=workspace, **details)
    assert [problem.field for problem in refusal.value.problems] == [field]
    assert Entity.objects.for_workspace(workspace.pk).count() == 1


def test_an_entity_that_is_there_stays_as_it_is(workspace: Workspace) -> None:
    made = ensure_entity(workspace=workspace, name="a", time_zone="Europe/Berlin", group_id="g", user_id="u")
    again = ensure_entity(workspace=workspace, name="a", time_zone="UTC")
    assert (again.pk, again.time_zone, again.group_id) == (made.pk, "Europe/Berlin", "g")


def test_what_a_key_opens_is_read_whole(alice: Entity) -> None:
    """A column that a model gets and its named query does not is read later, by a statement of its own."""
    access = open_access(create_key(workspace=alice.workspace, label="x").token)
    assert access is not None
    read = (access.key, access.workspace, access.entity(alice.name))
    assert [row.get_deferred_fields() for row in read] == [set(), set(), set()]
    assert access.key == Key.objects.get(pk=access.key.pk)
    assert read[2] == alice
