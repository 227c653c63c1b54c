"""The doors of traces, procedures, drafts and their reviews."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.entities import ensure_entity
from memory.ingest.sessions import open_session
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, ProcedureVersion, SkillInput, TaskTrace, Work
from tests.api.conftest import Caller
from tests.factories import make_message
from tests.skills.procedures import DEPLOY, make_procedure, make_procedure_version, make_trace

STEPS = [
    {"kind": "instruction", "text": "Deploy the billing service."},
    {"kind": "action", "text": "deploy billing", "tool_name": "deploy"},
    {"kind": "check", "text": "telemetry is calm"},
]
TRACE = {
    "entity": "agent.alice",
    "task": "Deploy the billing service",
    "outcome": "success",
    "external_id": "task-1",
    "occurred_at": "2026-06-02T12:00:00Z",
    "steps": STEPS,
}
EDITED = "# Deploying\n## Procedure\n1. Ask for a written approval.\n2. Attach a rollback plan.\n"


@pytest.fixture
def admin(alice: Entity) -> Caller:
    return Caller(create_key(workspace=alice.workspace, label="Olivia's", scopes=[Key.Scope.ADMIN]).token)


def draft_of(entity: Entity) -> ProcedureVersion:
    """The first wording of a procedure, waiting."""
    return make_procedure(entity, status="draft", by=None)


def told(reply: Any, status: int = 200) -> dict[str, Any]:
    assert reply.status_code == status, reply.content
    return dict(reply.json())


def test_a_trace_is_stored_once_and_waits_for_a_worker(caller: Caller, alice: Entity) -> None:
    first = told(caller.post("/api/v1/traces", TRACE), 201)
    again = told(caller.post("/api/v1/traces", TRACE), 201)
    trace = TaskTrace.objects.get()
    assert first == again
    assert first == {
        "entity": "agent.alice",
        "id": str(trace.pk),
        "external_id": "task-1",
        "task": "Deploy the billing service",
        "outcome": "success",
        "note": "",
        "session": None,
        "state": "waiting",
        "occurred_at": "2026-06-02T12:00:00Z",
        "created_at": first["created_at"],
        "steps": [
            {
                "id": str(step.pk),
                "kind": step.kind,
                "tool_name": step.tool_name,
                "text": step.text,
                "message": None,
            }
            for step in trace.steps.order_by("position")
        ],
        "redacted": {},
    }
    assert SkillInput.objects.get().trace == trace
    assert Work.objects.for_entity(alice).get(step="skill_extract").due_at is not None
    assert told(caller.get(f"/api/v1/traces/{trace.pk}"))["steps"] == first["steps"]
    assert told(caller.post("/api/v1/traces", {**TRACE, "task": "Other"}), 409)["error"] == "conflict"


def test_the_turns_of_a_session_are_a_trace(caller: Caller, alice: Entity) -> None:
    session = open_session(workspace=alice.workspace, entity_name=alice.name, external_id="talk").session
    make_message(alice, "Deploy the billing service.", session="talk")
    make_message(alice, "Checked the telemetry: all calm.", session="talk", role="assistant")
    given = {"session": str(session.pk), "task": "Deploy billing", "outcome": "success"}
    value = told(caller.post("/api/v1/traces", given), 201)
    assert value["session"] == str(session.pk)
    assert [(step["kind"], step["text"]) for step in value["steps"]] == [
        ("instruction", "Deploy the billing service."),
        ("check", "Checked the telemetry: all calm."),
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"entity": None}, "entity: is required."),
        ({"steps": None}, "steps: is required, or a session whose turns show them."),
        ({"steps": []}, "steps: holds 0 steps, 1 to 200 are taken"),
        ({"steps": [{"kind": "dance", "text": "x"}]}, "steps[0].kind: "),
        ({"steps": [{"kind": "action", "text": " "}]}, "steps[0].text: "),
        ({"steps": [{**STEPS[0], "message": str(UUID(int=1))}]}, "steps[0].message: is no stored message"),
        ({"task": " "}, "task: is blank"),
        ({"task": "x" * 501}, "task: has 501 characters"),
        ({"outcome": "fine"}, "outcome: "),
        ({"surprise": 1}, "Unknown field: surprise."),
    ],
)
def test_what_cannot_be_a_trace_is_refused_by_its_place(
    caller: Caller, change: dict[str, Any], words: str
) -> None:
    given = {name: value for name, value in {**TRACE, **change}.items() if value is not None}
    error = told(caller.post("/api/v1/traces", given), 400)
    assert error["error"] == "invalid"
    assert words in error["detail"]
    assert not TaskTrace.objects.exists()


def test_a_session_of_another_entity_makes_no_trace(caller: Caller, alice: Entity) -> None:
    other = open_session(workspace=alice.workspace, entity_name="agent.carol").session
    error = told(caller.post("/api/v1/traces", {**TRACE, "session": str(other.pk)}), 400)
    assert error["detail"] == "session: is no session of this entity."


def test_procedures_are_told_by_their_active_version_and_their_draft(caller: Caller, alice: Entity) -> None:
    active = make_procedure(alice)
    draft = make_procedure_version(active.procedure, base=active)
    retired = make_procedure(alice, "Old").procedure
    type(retired).objects.filter(pk=retired.pk).update(status="retired")
    [value] = told(caller.get("/api/v1/procedures", entity="agent.alice"))["procedures"]
    assert (value["id"], value["active"]["id"], value["draft"]["id"]) == (
        str(active.procedure_id),
        str(active.pk),
        str(draft.pk),
    )
    assert (value["active"]["number"], value["draft"]["number"], value["draft"]["base"]) == (1, 2, 1)
    assert [(row["verdict"], row["by"]) for row in value["active"]["reviews"]] == [("approved", "Olivia")]
    assert value == {
        name: found
        for name, found in told(caller.get(f"/api/v1/procedures/{active.procedure_id}")).items()
        if name != "entity"
    }
    every = told(caller.get("/api/v1/procedures", entity="agent.alice", status="all"))["procedures"]
    assert [row["status"] for row in every] == ["retired", "live"]
    listed = told(caller.get(f"/api/v1/procedures/{active.procedure_id}/versions", limit=1))
    assert [row["id"] for row in listed["versions"]] == [str(draft.pk)]
    rest = caller.get(f"/api/v1/procedures/{active.procedure_id}/versions", after=listed["next_after"])
    assert [row["id"] for row in told(rest)["versions"]] == [str(active.pk)]
    [waiting] = told(caller.get("/api/v1/drafts", entity="agent.alice"))["drafts"]
    assert waiting == listed["versions"][0]


def test_a_version_shows_what_each_line_rests_on_and_what_it_changes(caller: Caller, alice: Entity) -> None:
    active = make_procedure(alice)
    steps = [*DEPLOY["procedure"], "Attach a rollback plan."]
    draft = make_procedure_version(active.procedure, sections={**DEPLOY, "procedure": steps}, base=active)
    value = told(caller.get(f"/api/v1/drafts/{draft.pk}"))
    assert (value["status"], value["base"], value["title"]) == ("draft", 1, "Deploying a service")
    assert [line["text"] for line in value["lines"] if line["section"] == "procedure"] == steps
    changed = [line for line in value["difference"]["lines"] if line["change"] != "unchanged"]
    [step] = TaskTrace.objects.order_by("-pk")[0].steps.all()
    assert changed == [
        {
            "change": "added",
            "section": "procedure",
            "before": "",
            "after": "Attach a rollback plan.",
            "citations": [
                {
                    "kind": "trace_step",
                    "id": str(step.pk),
                    "says": "Ran the checklist.",
                    "of": "Deploy the billing service",
                    "trace": str(step.trace_id),
                }
            ],
        }
    ]
    assert "4. Attach a rollback plan.\n" in value["markdown"]


def test_a_draft_is_approved_under_the_key_that_did_it(admin: Caller, alice: Entity) -> None:
    draft = draft_of(alice)
    value = told(admin.post(f"/api/v1/drafts/{draft.pk}/approve", {"base": None, "reason": "Fits."}))
    [review] = value["reviews"]
    assert (value["status"], review["verdict"], review["by"], review["reason"]) == (
        *("active", "approved", "Olivia's"),
        "Fits.",
    )


def test_a_draft_is_edited_rejected_rolled_back_and_retired(admin: Caller, alice: Entity) -> None:
    first = make_procedure(alice)
    second = make_procedure_version(first.procedure, base=first)
    edited = told(admin.post(f"/api/v1/drafts/{second.pk}/edit", {"base": 1, "markdown": EDITED}))
    assert [line["text"] for line in edited["lines"]] == [
        "Ask for a written approval.",
        "Attach a rollback plan.",
    ]
    third = make_procedure_version(first.procedure, base=ProcedureVersion.objects.get(pk=edited["id"]))
    rejected = told(admin.post(f"/api/v1/drafts/{third.pk}/reject", {"reason": "Too long."}))
    assert rejected["status"] == "rejected"
    back = {"number": 1, "reason": "It was better."}
    rolled = told(admin.post(f"/api/v1/procedures/{first.procedure_id}/rollback", back))
    assert (rolled["number"], rolled["status"]) == (1, "active")
    ended = told(admin.post(f"/api/v1/procedures/{first.procedure_id}/retire", {"reason": "Not needed."}))
    assert (ended["status"], ended["draft"]) == ("retired", None)
    again = admin.post(f"/api/v1/procedures/{first.procedure_id}/retire", {})
    assert told(again, 409) == {"error": "refused", "detail": "The procedure is retired."}


def test_a_decision_on_what_has_changed_is_stale(admin: Caller, alice: Entity) -> None:
    draft = draft_of(alice)
    error = told(admin.post(f"/api/v1/drafts/{draft.pk}/approve", {"base": 4}), 409)
    assert error == {
        "error": "stale",
        "detail": "No version is active by now: look at the difference again.",
    }
    missing = told(admin.post(f"/api/v1/drafts/{draft.pk}/approve", {}), 400)
    assert missing["detail"] == "base: is required."
    reasonless = told(admin.post(f"/api/v1/drafts/{draft.pk}/reject", {}), 409)
    assert reasonless["error"] == "refused"
    assert ProcedureVersion.objects.get(pk=draft.pk).status == "draft"


def test_only_an_admin_decides(caller: Caller, alice: Entity) -> None:
    draft = draft_of(alice)
    for path in (
        *(f"drafts/{draft.pk}/{word}" for word in ("approve", "edit", "reject")),
        *(f"procedures/{draft.procedure_id}/{word}" for word in ("rollback", "retire")),
    ):
        assert told(caller.post(f"/api/v1/{path}", {"base": None}), 403)["detail"] == (
            "This key has no admin scope."
        )
    assert ProcedureVersion.objects.get(pk=draft.pk).status == "draft"


def test_a_reader_writes_no_trace(alice: Entity) -> None:
    reader = Caller(create_key(workspace=alice.workspace, label="r", scopes=[Key.Scope.READ]).token)
    assert told(reader.post("/api/v1/traces", TRACE), 403)["error"] == "permission_denied"
    assert told(reader.get("/api/v1/traces", entity="agent.alice"))["traces"] == []


PATHS = (
    *("traces/{trace}", "procedures/{procedure}", "procedures/{procedure}/versions"),
    *("versions/{version}", "drafts/{version}"),
)
DECISIONS = ("drafts/{version}/approve", "procedures/{procedure}/retire")


def test_what_belongs_to_others_is_not_there(caller: Caller, admin: Caller, bob: Entity) -> None:
    version = make_procedure(bob)
    ids = {"trace": make_trace(bob).pk, "procedure": version.procedure_id, "version": version.pk}
    for path in PATHS:
        assert told(caller.get(f"/api/v1/{path.format(**ids)}"), 404)["error"] == "not_found"
        unknown = path.format(**dict.fromkeys(ids, uuid4()))
        assert told(caller.get(f"/api/v1/{unknown}"), 404)["error"] == "not_found"
    for path in DECISIONS:
        reply = admin.post(f"/api/v1/{path.format(**ids)}", {"base": None} if "drafts" in path else {})
        assert told(reply, 404)["error"] == "not_found"


def test_a_bound_key_opens_its_entity_alone(alice: Entity) -> None:
    carol = ensure_entity(workspace=alice.workspace, name="agent.carol")
    version = make_procedure(carol)
    bound = Caller(create_key(workspace=alice.workspace, label="b", entities=[alice]).token)
    assert told(bound.get(f"/api/v1/versions/{version.pk}"), 404)["error"] == "not_found"


@pytest.mark.parametrize("path", ["traces", "procedures", "drafts"])
def test_lists_take_the_same_number_of_statements_for_any_length(
    caller: Caller, alice: Entity, path: str
) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as seen:
            told(caller.get(f"/api/v1/{path}", entity="agent.alice"))
        return len(seen)

    caller.get("/api/v1/traces", entity="agent.alice")
    make_procedure_version(make_procedure(alice).procedure)
    few = statements()
    for number in range(10):
        make_procedure_version(make_procedure(alice, f"Task {number}").procedure)
    assert statements() == few


def test_what_a_setting_takes_out_is_never_stored(caller: Caller, alice: Entity, settings: Any) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, redact=frozenset({"secrets"}))
    steps = [{"kind": "note", "text": "My password is hunter22."}]
    given = {**TRACE, "note": "My password is hunter22.", "steps": steps}
    value = told(caller.post("/api/v1/traces", given), 201)
    assert value["note"] == value["steps"][0]["text"] == "My password is [redacted: password]."
    assert value["redacted"] == {"password": 2}


def test_an_entity_is_made_with_its_first_trace_or_not_at_all(caller: Caller, alice: Entity) -> None:
    told(caller.post("/api/v1/traces", {**TRACE, "entity": "agent.new", "task": " "}), 400)
    assert not Entity.objects.filter(name="agent.new").exists()
    told(caller.post("/api/v1/traces", {**TRACE, "entity": "agent.new"}), 201)
    assert Entity.objects.filter(name="agent.new").exists()
    bound = Caller(create_key(workspace=alice.workspace, label="b", entities=[alice]).token)
    refused = told(bound.post("/api/v1/traces", {**TRACE, "entity": "agent.newer"}), 404)
    assert refused["error"] == "not_found"
