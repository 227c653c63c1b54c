"""Opening, finding and ending sessions of turn loops."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.ingest.access import Access, UnknownEntityError
from memory.ingest.entities import ensure_entity
from memory.ingest.idle import end_idle_sessions
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestError
from memory.ingest.session_rows import NoSessionError
from memory.ingest.sessions import (
    SessionWanted,
    end_session,
    open_session,
    open_session_with,
    session_with,
)
from memory.ingest.workspaces import create_key
from memory.models import Entity, Session, Step, Work, Workspace
from memory.models.base import new_id
from tests.cascade.talks import folding, open_talk, take
from tests.ingest.words import said

UNCLEAR = "begins or ends with a space, or holds a character that cannot be seen"
ACME: dict[str, str] = {"group_id": "acme", "user_id": "customer-123"}


def access_to(*entities: Entity, workspace: Workspace) -> Access:
    key = create_key(workspace=workspace, label="test", entities=entities).key
    return Access(key, workspace, frozenset(entity.pk for entity in entities))


def due(entity: Entity) -> set[str]:
    return set(Work.objects.for_entity(entity).filter(due_at__isnull=False).values_list("step", flat=True))


def test_a_session_of_a_group_and_a_user_makes_their_entity_with_its_work(workspace: Workspace) -> None:
    opened = open_session(workspace=workspace, **ACME, title="Plans", time_zone="Europe/Oslo")
    entity = Entity.objects.get(workspace=workspace)
    assert (entity.name, entity.group_id, entity.user_id, entity.time_zone) == (
        "acme/customer-123",
        "acme",
        "customer-123",
        "Europe/Oslo",
    )
    assert Work.objects.for_entity(entity).count() == len(Step)
    session = Session.objects.get(entity=entity)
    assert (opened.session, opened.entity, opened.is_new) == (session, entity, True)
    assert (session.external_id, session.title, session.takes_turns) == (str(session.pk), "Plans", True)


def test_without_an_external_id_every_session_is_a_fresh_one(workspace: Workspace) -> None:
    first, second = (open_session(workspace=workspace, **ACME) for _ in range(2))
    assert first.session != second.session
    assert first.entity == second.entity
    assert second.is_new


def test_the_same_external_id_is_the_same_session_from_any_process(workspace: Workspace) -> None:
    first = open_session(workspace=workspace, **ACME, external_id="chat-7")
    again = open_session(workspace=workspace, **ACME, external_id="chat-7", title="Named later")
    by_name = open_session(workspace=workspace, entity_name="acme/customer-123", external_id="chat-7")
    assert (again.session, again.is_new, by_name.session) == (first.session, False, first.session)
    assert Session.objects.get().title == "Named later"
    assert open_session(workspace=workspace, **ACME, external_id="chat-7", title="x").session.title == (
        "Named later"
    )


def test_an_entity_that_is_there_keeps_its_zone(workspace: Workspace, alice: Entity) -> None:
    open_session(workspace=workspace, entity_name="agent.alice", time_zone="Asia/Tokyo")
    assert Entity.objects.get(pk=alice.pk).time_zone == "UTC"


@pytest.mark.parametrize(
    ("group_id", "user_id", "name"),
    [
        ("acme", "", "acme"),
        ("", "bob", "bob"),
        ("a/b", "c", "a/b/c"),
        ("團隊", "爱丽丝", "團隊/爱丽丝"),
        ("می\u200cخواهم", "u", "می\u200cخواهم/u"),
        ("g" * 128, "u" * 128, "g" * 115 + "~"),
    ],
)
def test_the_entity_is_named_readably_where_that_can_be_a_name(
    workspace: Workspace, group_id: str, user_id: str, name: str
) -> None:
    opened = open_session(workspace=workspace, group_id=group_id, user_id=user_id)
    assert opened.entity.name.startswith(name)
    assert (len(opened.entity.name) == len(name)) == (not name.endswith("~"))
    again = open_session(workspace=workspace, group_id=group_id, user_id=user_id)
    assert again.entity == opened.entity


def test_groups_and_users_that_would_share_a_name_have_entities_of_their_own(workspace: Workspace) -> None:
    taken = ensure_entity(workspace=workspace, name="a/b/c")
    owners = [("a/b", "c"), ("a", "b/c"), ("", "a/b/c"), ("a/b/c", "")]
    made = [open_session(workspace=workspace, group_id=g, user_id=u).entity for g, u in owners]
    again = [open_session(workspace=workspace, group_id=g, user_id=u).entity for g, u in owners]
    assert len({entity.pk for entity in (taken, *made)}) == 5
    assert made == again
    assert all(entity.name.startswith("a/b/c~") for entity in made)


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ({}, "entity: has to be named, by itself or by group_id and user_id"),
        ({"user_id": " "}, "entity: has to be named, by itself or by group_id and user_id"),
        ({"user_id": "u" * 129}, "user_id: is no text of at most 128 characters"),
        ({"group_id": "a\0"}, "group_id: is no text of at most 128 characters"),
        ({"group_id": "a\u202eb"}, f"group_id: {UNCLEAR}"),
        ({"group_id": "line\nbreak"}, f"group_id: {UNCLEAR}"),
        ({**ACME, "user_id": "a "}, f"user_id: {UNCLEAR}"),
        ({"entity_name": " x"}, "entity: begins or ends with a space, or holds a control character"),
        ({**ACME, "external_id": " "}, "external_id: is no text of 1 to 128 characters"),
        ({**ACME, "external_id": "x" * 129}, "external_id: is no text of 1 to 128 characters"),
        ({**ACME, "title": "x" * 201}, "title: is no text of at most 200 characters"),
        ({**ACME, "time_zone": "Mars"}, "time_zone: is not in the time zone database"),
        ({"entity_name": "agent.alice", **ACME}, "entity: has another group_id or user_id"),
    ],
)
def test_what_cannot_be_taken_is_named_and_nothing_is_made(
    workspace: Workspace, alice: Entity, wanted: dict[str, Any], problem: str
) -> None:
    with pytest.raises(IngestError) as refused:
        open_session(workspace=workspace, **wanted)
    assert (str(refused.value), Session.objects.count(), Entity.objects.count()) == (problem, 0, 1)


def test_a_name_with_group_and_user_makes_an_entity_that_both_find(workspace: Workspace) -> None:
    named = open_session(workspace=workspace, entity_name="agent.carol", **ACME)
    assert open_session(workspace=workspace, **ACME).entity == named.entity
    assert named.entity.name == "agent.carol"


def test_a_stored_session_that_is_opened_takes_turns_from_then_on(alice: Entity) -> None:
    append_messages(entity=alice, messages=[said(f"words {n}", session="old") for n in range(6)])
    with folding(kept=2, after=4):
        session = open_talk(alice, "old")
    assert (session.takes_turns, Session.objects.pending().count()) == (True, 1)


def test_a_bound_key_opens_its_entities_and_makes_no_others(alice: Entity, bob: Entity) -> None:
    access = access_to(alice, workspace=alice.workspace)
    opened = open_session_with(access, SessionWanted(entity_name="agent.alice"))
    assert session_with(access, opened.session.pk).entity == alice
    for wanted in (SessionWanted(entity_name="agent.new"), SessionWanted(user_id="new")):
        with pytest.raises(UnknownEntityError):
            open_session_with(access, wanted)
    other = open_session(workspace=alice.workspace, user_id="other").session
    hidden = open_session(workspace=bob.workspace, entity_name=bob.name).session
    for session_id in (other.pk, hidden.pk, new_id()):
        with pytest.raises(NoSessionError):
            session_with(access, session_id)


def test_a_key_of_the_workspace_finds_every_session_of_it_and_no_other(alice: Entity, bob: Entity) -> None:
    access = access_to(workspace=alice.workspace)
    made = open_session_with(access, SessionWanted(user_id="new")).session
    assert session_with(access, made.pk) == made
    hidden = open_session(workspace=bob.workspace, entity_name=bob.name).session
    with pytest.raises(NoSessionError):
        session_with(access, hidden.pk)


def test_ending_seals_once_and_queues_extraction_and_the_brief(alice: Entity) -> None:
    session = open_talk(alice)
    take(session, "Hello.", role="user")
    Work.objects.update(due_at=None)
    append_messages(entity=alice, messages=[said("x", session="other")])
    assert (end_session(session), end_session(session)) == (True, False)
    assert session.ended_at is not None
    assert due(alice) == {"l1_extract", "compaction"}
    assert Work.objects.for_entity(alice).filter(is_flushing=True).count() == len(Step)
    with pytest.raises(IngestError, match=r"turns\[0\]\.session: has ended and takes no more messages"):
        take(session, "One more.")


def test_what_was_parked_while_folding_is_no_hindrance_for_the_brief(alice: Entity) -> None:
    session = open_talk(alice)
    Session.objects.update(parked_at=timezone.now(), parked_by=new_id())
    end_session(session)
    assert Session.objects.pending().get() == session


def test_the_end_of_a_session_that_is_gone_is_told(alice: Entity) -> None:
    session = open_talk(alice)
    Session.objects.all().delete()
    with pytest.raises(NoSessionError):
        end_session(session)
    with pytest.raises(NoSessionError):
        take(session, "x")


def silent_for(session: Session, seconds: float) -> None:
    at = timezone.now() - timedelta(seconds=seconds)
    Session.objects.filter(pk=session.pk).update(last_message_at=at, created_at=at)


def test_silent_sessions_end_by_the_setting_and_others_stay(alice: Entity) -> None:
    talks = {name: open_talk(alice, name) for name in ("silent", "never spoken in", "fresh")}
    for name in ("silent", "fresh"):
        take(talks[name], "Hello.", role="user")
    append_messages(entity=alice, messages=[said("x", session="imported")])
    for session in Session.objects.exclude(external_id="fresh"):
        silent_for(session, 100)
    Session.objects.filter(external_id="never spoken in").update(last_message_at=None)
    assert end_idle_sessions() == 0
    with folding(idle_seconds=60):
        assert (end_idle_sessions(), end_idle_sessions()) == (2, 0)
    still_open = Session.objects.open().values_list("external_id", flat=True)
    assert set(still_open) == {"fresh", "imported"}
    assert "compaction" in due(alice)


def test_every_way_of_storing_moves_the_time_of_the_last_message(alice: Entity) -> None:
    session = open_talk(alice)
    assert session.last_message_at is None
    take(session, "Hello.", role="user")
    silent_for(session, 1_000)
    append_messages(entity=alice, messages=[said("again", session="talk")])
    session.refresh_from_db()
    assert session.last_message_at is not None
    assert timezone.now() - session.last_message_at < timedelta(seconds=100)
