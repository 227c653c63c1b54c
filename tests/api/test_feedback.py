"""The doors of uses and feedback."""

import hashlib
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.ingest.entities import ensure_entity
from memory.ingest.sessions import open_session
from memory.ingest.workspaces import create_key
from memory.models import Entity, Feedback, Key, ProcedureVersion, SkillInput, Use, Work, Workspace
from memory.skills.uses import record_use
from memory.skills.versions import rendered
from tests.api.conftest import Caller
from tests.factories import make_message, make_rule
from tests.skills.procedures import make_procedure

TASK = "Deploy the billing service"
CONTEXT = {"entity": "agent.alice", "task": TASK, "meaning": False}
SAYS = {"entity": "agent.alice", "kind": "correction", "source": "end_user", "comment": "Attach a plan."}


@pytest.fixture
def version(alice: Entity) -> ProcedureVersion:
    return make_procedure(alice)


def told(reply: Any, status: int = 200) -> dict[str, Any]:
    assert reply.status_code == status, reply.content
    return dict(reply.json())


def use_of(caller: Caller, **more: Any) -> UUID:
    return UUID(told(caller.post("/api/v1/context", {**CONTEXT, "record_use": True, **more}))["use"])


def feedback(caller: Caller, status: int = 201, **more: Any) -> dict[str, Any]:
    given = {name: value for name, value in {**SAYS, **more}.items() if value is not None}
    return told(caller.post("/api/v1/feedback", given), status)


def expire(use: UUID) -> None:
    long_ago = timezone.now() - timedelta(days=100)
    Use.objects.filter(pk=use).update(created_at=long_ago, expires_at=long_ago + timedelta(days=90))


def a_use(entity: Entity, *versions: ProcedureVersion) -> Use:
    return record_use(
        entity=entity,
        kind="context",
        sha256="0" * 64,
        tokens=1,
        manifest={},
        procedure_versions=[version.pk for version in versions],
        records=[],
    )


def test_recall_writes_nothing_unless_it_is_asked_to(caller: Caller, version: ProcedureVersion) -> None:
    told(caller.post("/api/v1/context", CONTEXT))
    told(caller.get("/api/v1/context", **{**CONTEXT, "meaning": "false"}))
    assert not Use.objects.exists()


def test_a_use_is_bound_to_what_was_rendered(
    caller: Caller, alice: Entity, version: ProcedureVersion
) -> None:
    rule = make_rule(alice, "Never deploy unasked.", [make_message(alice, "Never deploy unasked.")])
    reply = told(caller.post("/api/v1/context", {**CONTEXT, "record_use": True}))
    use = Use.objects.get(pk=reply["use"])
    assert (use.kind, use.sha256, use.tokens) == ("context", reply["sha256"], reply["tokens"])
    assert use.procedure_versions == [version.pk]
    assert {version.pk, rule.pk} <= set(use.records)
    assert use.manifest == reply["manifest"]
    assert (use.text, use.request) == ("", "")
    assert use.expires_at - use.created_at == pytest.approx(timedelta(days=90), abs=timedelta(minutes=1))
    assert "deploy" not in json.dumps(use.manifest).lower()


def test_words_are_kept_on_request_only(caller: Caller, version: ProcedureVersion) -> None:
    use = Use.objects.get(pk=use_of(caller, keep_text=True))
    assert use.request == TASK
    assert hashlib.sha256(use.text.encode()).hexdigest() == use.sha256


def test_the_days_of_the_workspace_count(caller: Caller, alice: Entity) -> None:
    Workspace.objects.filter(pk=alice.workspace_id).update(use_days=7)
    use = Use.objects.get(pk=use_of(caller))
    assert (use.expires_at - use.created_at).days in (6, 7)


def test_the_context_of_a_turn_is_a_use_too(caller: Caller, alice: Entity, version: ProcedureVersion) -> None:
    session = open_session(workspace=alice.workspace, entity_name=alice.name).session
    make_message(alice, TASK, session=session.external_id)
    path = f"/api/v1/sessions/{session.pk}/context"
    assert "use" not in told(caller.post(path, {"strategy": "text"}))
    given = {"strategy": "text", "record_use": True, "keep_text": True}
    reply = told(caller.post(path, given))
    use = Use.objects.get(pk=reply["use"])
    assert (use.kind, use.sha256, use.session) == ("compiled", reply["sha256"], session)
    assert use.procedure_versions == [version.pk]
    assert json.loads(use.text) == reply["messages"]
    assert hashlib.sha256(use.text.encode()).hexdigest() == use.sha256


def test_what_was_erased_meanwhile_is_not_kept(alice: Entity) -> None:
    Entity.objects.filter(pk=alice.pk).update(erase_epoch=1)
    use = record_use(
        entity=alice,
        kind="context",
        sha256="0" * 64,
        tokens=1,
        manifest={"parts": [{"title": "the erased word"}]},
        procedure_versions=[],
        records=[],
        text="the erased word",
        request="the erased word",
    )
    assert (use.text, use.request, use.manifest) == ("", "", {})


def test_a_procedure_is_handed_out_by_itself(
    caller: Caller, alice: Entity, version: ProcedureVersion
) -> None:
    reply = told(caller.post("/api/v1/uses", {"procedure": str(version.procedure_id)}), 201)
    assert reply["markdown"] == rendered(version)
    assert reply["sha256"] == hashlib.sha256(reply["markdown"].encode()).hexdigest()
    assert (reply["kind"], reply["procedure_versions"]) == ("procedure", [str(version.pk)])
    assert told(caller.get(f"/api/v1/uses/{reply['id']}"))["sha256"] == reply["sha256"]
    waiting = make_procedure(alice, status="draft")
    error = told(caller.post("/api/v1/uses", {"procedure": str(waiting.procedure_id)}), 409)
    assert error == {"error": "refused", "detail": "The procedure has no version that may be handed out."}


def test_recording_needs_the_scope_to_write(alice: Entity) -> None:
    reader = Caller(create_key(workspace=alice.workspace, label="r", scopes=[Key.Scope.READ]).token)
    session = open_session(workspace=alice.workspace, entity_name=alice.name).session
    for reply in (
        reader.post("/api/v1/context", {**CONTEXT, "record_use": True}),
        reader.post(f"/api/v1/sessions/{session.pk}/context", {"query": TASK, "record_use": True}),
        reader.post("/api/v1/feedback", SAYS),
    ):
        assert told(reply, 403)["detail"] == "This key has no write scope."
    told(reader.post("/api/v1/context", CONTEXT))
    assert not Use.objects.exists()


@pytest.mark.parametrize(
    ("method", "given", "words"),
    [
        ("get", {"record_use": "true"}, "record_use: is taken by POST alone."),
        ("post", {"keep_text": True}, "keep_text: belongs to record_use"),
    ],
)
def test_what_cannot_be_recorded_is_refused(
    caller: Caller, method: str, given: dict[str, Any], words: str
) -> None:
    asked = {"entity": "agent.alice", "task": TASK, **given}
    reply = (
        caller.get("/api/v1/context", **asked) if method == "get" else caller.post("/api/v1/context", asked)
    )
    assert words in told(reply, 400)["detail"]


def test_uses_are_listed_newest_first_and_paged(caller: Caller, alice: Entity) -> None:
    uses = [str(a_use(alice).pk) for _ in range(3)]
    first = told(caller.get("/api/v1/uses", entity="agent.alice", limit=2))
    assert [row["id"] for row in first["uses"]] == [uses[2], uses[1]]
    rest = told(caller.get("/api/v1/uses", entity="agent.alice", after=first["next_after"]))
    assert ([row["id"] for row in rest["uses"]], rest["next_after"]) == ([uses[0]], None)
    wrong = told(caller.get("/api/v1/feedback", entity="agent.alice", after=first["next_after"]), 400)
    assert wrong["detail"] == "after: is no cursor of this list."


def test_feedback_on_a_use_is_about_the_version_in_it(
    caller: Caller, alice: Entity, version: ProcedureVersion
) -> None:
    use = use_of(caller)
    Work.objects.for_entity(alice).update(due_at=None)
    value = feedback(caller, use=str(use), expected="A rollback plan.", score=0.25, label="plan")
    stored = Feedback.objects.get()
    assert value == {
        "entity": "agent.alice",
        "id": str(stored.pk),
        "use": str(use),
        "procedure_version": str(version.pk),
        "kind": "correction",
        "source": "end_user",
        "score": 0.25,
        "label": "plan",
        "comment": "Attach a plan.",
        "expected": "A rollback plan.",
        "actual": "",
        "by": "test",
        "state": "waiting",
        "created_at": value["created_at"],
        "redacted": {},
    }
    assert SkillInput.objects.filter(feedback=stored).exists()
    assert Work.objects.for_entity(alice).get(step="skill_extract").due_at is not None
    for query in ({}, {"use": use}, {"procedure": version.procedure_id}):
        [listed] = told(caller.get("/api/v1/feedback", entity="agent.alice", **query))["feedback"]
        assert listed["id"] == str(stored.pk)
    assert told(caller.get("/api/v1/feedback", entity="agent.alice", use=uuid4()))["feedback"] == []


def test_feedback_may_be_about_a_version_directly(caller: Caller, version: ProcedureVersion) -> None:
    value = feedback(caller, procedure_version=str(version.pk), kind="thumbs_up", comment=None)
    assert (value["use"], value["procedure_version"]) == (None, str(version.pk))


def test_of_several_procedures_in_a_use_the_caller_names_one(caller: Caller, alice: Entity) -> None:
    versions = [make_procedure(alice, f"Deploying {name}") for name in ("billing", "search")]
    other = make_procedure(alice, "Refunds")
    use = str(a_use(alice, *versions).pk)
    error = feedback(caller, 400, use=use)
    assert error["detail"].startswith("procedure_version: is missing: the use handed out several (")
    assert all(str(version.pk) in error["detail"] for version in versions)
    wrong = feedback(caller, 400, use=use, procedure_version=str(other.pk))
    assert wrong["detail"] == "procedure_version: was not handed out by this use"
    named = feedback(caller, use=use, procedure_version=str(versions[1].pk))
    assert named["procedure_version"] == str(versions[1].pk)


def test_a_use_without_procedures_takes_feedback_of_its_own(caller: Caller, alice: Entity) -> None:
    value = feedback(caller, use=str(a_use(alice).pk))
    assert value["procedure_version"] is None


def test_the_same_feedback_twice_is_one(caller: Caller, version: ProcedureVersion) -> None:
    own: dict[str, Any] = {"id": str(uuid4()), "procedure_version": str(version.pk)}
    assert feedback(caller, **own) == feedback(caller, **own)
    assert Feedback.objects.count() == 1
    assert feedback(caller, 409, **own, score=1)["error"] == "conflict"


def test_an_expired_use_is_told_apart_from_none(caller: Caller, version: ProcedureVersion) -> None:
    use = use_of(caller)
    expire(use)
    error = feedback(caller, 410, use=str(use))
    assert error["error"] == "expired"
    assert error["detail"].startswith("The use expired at ")
    assert told(caller.get(f"/api/v1/uses/{use}"), 410)["error"] == "expired"
    assert feedback(caller, 404, use=str(uuid4())) == {
        "error": "not_found",
        "detail": "The entity has no such use.",
    }


def test_uses_and_versions_of_others_are_not_there(caller: Caller, alice: Entity, bob: Entity) -> None:
    carol = ensure_entity(workspace=alice.workspace, name="agent.carol")
    for other in (bob, carol):
        version = make_procedure(other)
        assert feedback(caller, 404, use=str(a_use(other).pk))["error"] == "not_found"
        assert feedback(caller, 404, procedure_version=str(version.pk))["error"] == "not_found"
    assert told(caller.get(f"/api/v1/uses/{a_use(bob).pk}"), 404)["error"] == "not_found"
    asked = {"procedure": str(make_procedure(bob).procedure_id)}
    assert told(caller.post("/api/v1/uses", asked), 404)["error"] == "not_found"


def test_no_score_may_be_told_as_null(caller: Caller, version: ProcedureVersion) -> None:
    reply = caller.post("/api/v1/feedback", {**SAYS, "procedure_version": str(version.pk), "score": None})
    assert told(reply, 201)["score"] is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "applause"}, "kind: "),
        ({"source": "nobody"}, "source: "),
        ({"score": 1.5}, "score: "),
        ({"score": True}, "score: "),
        ({"comment": None}, "comment: is missing: correction needs comment or expected"),
        ({"comment": " "}, "comment: is missing: correction needs comment or expected"),
        ({"kind": "exception", "comment": None}, "comment: is missing: exception needs comment or actual"),
        ({"kind": "evaluation", "comment": None}, "evaluation needs score or label or comment"),
        ({"comment": "x" * 4001}, "comment: has 4001 characters, at most 4000 are stored"),
        ({"label": "x" * 65}, "label: has 65 characters, at most 64 are stored"),
        ({"comment": "a\x00b"}, "comment: holds the character U+0000"),
        ({"use": None}, "use: is missing: feedback is about a use, or about a version of a procedure"),
        ({"use": "12"}, "use: "),
    ],
)
def test_what_says_nothing_or_cannot_be_kept_is_refused(
    caller: Caller, alice: Entity, change: dict[str, Any], words: str
) -> None:
    given = {"use": str(a_use(alice).pk), **change}
    error = feedback(caller, 400, **given)
    assert error["error"] == "invalid"
    assert words in error["detail"]
    assert not Feedback.objects.exists()


def test_what_a_setting_takes_out_is_never_stored(
    caller: Caller, version: ProcedureVersion, settings: Any
) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, redact=frozenset({"secrets"}))
    value = feedback(caller, procedure_version=str(version.pk), comment="My password is hunter22.")
    assert (value["comment"], value["redacted"]) == ("My password is [redacted: password].", {"password": 1})
    use = use_of(caller, task=f"{TASK}. My password is hunter22.", keep_text=True)
    kept = Use.objects.get(pk=use)
    assert kept.request == f"{TASK}. My password is [redacted: password]."
    assert kept.text.endswith(f"{kept.request}\n")
    session = open_session(workspace=version.workspace, entity_name="agent.alice").session
    asked = {"query": kept.request.replace("[redacted: password]", "hunter22"), "strategy": "text"}
    path = f"/api/v1/sessions/{session.pk}/context"
    reply = told(caller.post(path, {**asked, "record_use": True, "keep_text": True}))
    assert "hunter22" in json.dumps(reply["messages"])
    assert "hunter22" not in Use.objects.get(pk=reply["use"]).text


@pytest.mark.parametrize("path", ["uses", "feedback"])
def test_lists_take_the_same_number_of_statements_for_any_length(
    caller: Caller, alice: Entity, version: ProcedureVersion, path: str
) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as seen:
            told(caller.get(f"/api/v1/{path}", entity="agent.alice"))
        return len(seen)

    caller.get("/api/v1/uses", entity="agent.alice")
    feedback(caller, use=str(a_use(alice, version).pk))
    few = statements()
    for _ in range(5):
        feedback(caller, use=str(a_use(alice, version).pk))
    assert statements() == few
