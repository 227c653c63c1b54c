"""Records with their evidence, scenes with their history, runs, keys and forgetting over HTTP."""

from __future__ import annotations

import pytest

from memory.client import Memory, NewMessage, NotFoundError, RefusedError, UnauthorisedError, UnreachableError
from memory.ingest.workspaces import create_key
from memory.models import Atom, Entity, Key, Message, Run, Workspace
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_traits import set_trait
from tests.client.conftest import working
from tests.client.servers import losing_replies
from tests.factories import SAID_AT, make_pending_message, make_run

ENTITY = "agent.alice"
WORDS = (
    "Never deploy on a Friday.",
    "The payments migration has to be done before 10 September 2026.",
    "No: the payments migration has to be done before 24 September 2026.",
)


@pytest.fixture
def key(workspace: Workspace) -> str:
    return create_key(workspace=workspace, label="steward", scopes=[Key.Scope.ADMIN]).token


@pytest.fixture
def ids(memory: Memory, workspace: Workspace) -> list[str]:
    """The words are said one after the other, and worked on to the end; ids of the messages."""
    memory.create_entity(ENTITY)
    found = []
    with working(Entity.objects.select_related("workspace").get(name=ENTITY)):
        for text in WORDS:
            message = NewMessage(session="monday", role="user", speaker="Alice", content=text)
            [stored] = memory.records([message], entity=ENTITY)
            assert memory.settle(ENTITY, timeout_seconds=60).is_settled
            found.append(str(stored.id))
    return found


def test_messages_and_atoms_are_read_with_their_evidence(memory: Memory, ids: list[str]) -> None:
    listed = list(memory.messages(entity=ENTITY, session="monday", role="user"))
    assert ([str(message.id) for message in listed], [m.text for m in listed]) == (ids, list(WORDS))
    read = memory.message(ids[0])
    assert (read.record, read.rests_on) == (listed[0], ())
    [neighbour] = [one for one in read.used_by if one.kind == "atom"]
    assert neighbour.id is not None
    atom = memory.atom(neighbour.id)
    assert [(one.kind, str(one.id)) for one in atom.rests_on] == [("message", ids[0])]
    assert {one.kind for one in atom.used_by} == {"line"}
    assert (atom.atom.id, atom.atom.text) == (neighbour.id, WORDS[0])


def test_what_a_message_changed_is_read(memory: Memory, ids: list[str]) -> None:
    first, last = memory.changes(ids[0]), memory.changes(ids[2])
    assert ([atom.text for atom in first.stored], first.merged) == ([WORDS[0]], ())
    [merge] = last.merged
    assert ["10" in atom.text for atom in merge.old] == [True]
    assert "24" in merge.new.text
    assert (last.messages, last.parked, [scene.number for scene in last.scenes] != []) == (1, (), True)


def test_scenes_are_read_with_their_history(memory: Memory, ids: list[str]) -> None:
    scenes = list(memory.scenes(entity=ENTITY, status="live"))
    assert [scene.status for scene in scenes] == ["live"] * len(scenes)
    scene = max(scenes, key=lambda scene: scene.number)
    read = memory.scene(scene.id)
    assert (read.scene, read.version.number, read.version.is_head) == (scene, scene.number, True)
    assert read.version.lines[0].evidence[0].kind == "atom"
    assert read.version.lines[0].author.kind == "run"
    versions = list(memory.scene_versions(scene.id))
    assert [version.number for version in versions] == list(range(scene.number, 0, -1))
    assert memory.scene_version(scene.id, scene.number) == read.version
    assert memory.scene(scene.id, number=1).version == memory.scene_version(scene.id, 1)
    difference = memory.scene_difference(scene.id)
    assert (difference.from_number, difference.to_number) == (scene.number - 1, scene.number)
    counts = versions[0]
    assert len(difference.changes) == counts.added + counts.removed + counts.reworded > 0
    whole = memory.scene_difference(scene.id, from_number=0, to_number=1)
    assert {change.change for change in whole.changes} == {"added"}
    with pytest.raises(NotFoundError):
        memory.scene_version(scene.id, 99)


def test_the_persona_is_read_with_its_history(memory: Memory, ids: list[str]) -> None:
    entity = Entity.objects.get(name=ENTITY)
    for text in ("Careful.", "Very careful."):
        set_trait(entity=entity, slot="archetype", text=text, actor=Actor(name="Olga"), reason="")
    trait = next(trait for trait in memory.persona(entity=ENTITY) if trait.slot == "archetype")
    newest, before, *_ = memory.wordings(trait.id)
    assert (trait.text, newest.text, before.text) == ("Very careful.", "Very careful.", "Careful.")
    assert (newest.is_head, newest.author.name, newest.evidence[0].kind) == (True, "Olga", "correction")


def test_runs_and_work_are_read(memory: Memory, ids: list[str]) -> None:
    runs = list(memory.runs(entity=ENTITY, step="l1_extract", state=["succeeded"]))
    assert len(runs) == Run.objects.filter(step="l1_extract", status="succeeded").count() >= 3
    run = memory.run(runs[0].id)
    assert (run.step, run.entity, bool(run.inputs)) == ("l1_extract", ENTITY, True)
    assert {work.step: work.pending for work in memory.work(entity=ENTITY)}["l1_extract"] == 0
    assert list(memory.work(state="failing")) == []


def test_what_was_parked_is_tried_again(memory: Memory, workspace: Workspace) -> None:
    memory.create_entity(ENTITY)
    entity = Entity.objects.get(name=ENTITY)
    runs = [
        make_run(entity, status=Run.Status.FAILED, error_kind="cut_off", error_text="Ends.") for _ in range(2)
    ]
    for run in runs:
        make_pending_message(entity, "Hm.", session=f"s{run.pk}", parked_at=SAID_AT, parked_by_id=run.pk)
    parked = list(memory.parked(entity=ENTITY, step="l1_extract"))
    assert [(batch.run, batch.error_kind, len(batch.inputs)) for batch in parked] == [
        (run.pk, "cut_off", 1) for run in runs
    ]
    assert memory.retry_batch(runs[0].pk).retried == 1
    with pytest.raises(NotFoundError):
        memory.retry_batch(runs[0].pk)
    assert [memory.retry_parked(entity=ENTITY, step="l1_extract").retried for _ in range(2)] == [1, 0]


def test_keys_are_issued_once_and_revoked(memory: Memory, url: str, key: str) -> None:
    memory.create_entity(ENTITY)
    issued = memory.issue_key("agent's", scopes="read", entities=ENTITY, lifetime_seconds=600)
    assert (issued.key.scopes, issued.key.entities, issued.key.is_usable) == (("read",), (ENTITY,), True)
    assert issued.token not in repr(issued)
    with Memory(url, issued.token) as theirs:
        assert list(theirs.messages(entity=ENTITY)) == []
        with pytest.raises(UnauthorisedError):
            theirs.issue_key("more")
        listed = list(memory.keys())
        assert [row.label for row in listed] == ["agent's", "steward"]
        revoked = memory.revoke_key(issued.key.id)
        assert (revoked.is_usable, memory.revoke_key(issued.key.id)) == (False, revoked)
        with pytest.raises(UnauthorisedError):
            theirs.entity(ENTITY)
    with (
        losing_replies(url, "/keys") as server,
        Memory(server.url, key) as through,
        pytest.raises(UnreachableError),
    ):
        through.issue_key("lost")
    assert Key.objects.filter(label="lost").count() == 1
    with pytest.raises(RefusedError):
        memory.issue_key("", scopes="read")


def test_forgetting_takes_two_steps(memory: Memory, ids: list[str]) -> None:
    proposal = memory.forget("forget the payments migration", entity=ENTITY)
    chosen = [match for match in proposal.matches if match.is_chosen]
    assert (chosen != [], proposal.token is not None) == (True, True)
    assert Message.objects.count() == 3
    kept = [match.id for match in chosen]
    again = memory.forget("forget the payments migration", entity=ENTITY, keep=kept)
    assert (again.token, again.erasure) == (None, None)
    assert proposal.token is not None
    erased = memory.confirm_forget(proposal.token, entity=ENTITY)
    assert (erased.status, erased.counts["messages"] > 0) == ("done", True)
    assert not Atom.objects.filter(text__contains="payments").exists()
