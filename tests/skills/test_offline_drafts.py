"""What the offline model makes of traces and feedback, and that the cut into runs does not matter."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.llm.offline.commands import actions_in, command
from memory.llm.offline.model import OfflineModel
from memory.llm.offline.procedure_asks import Asked, asked_by
from memory.llm.offline.procedure_rules import section_of_rule
from memory.llm.offline.procedure_trust import ADDRESSED, own_words_of
from memory.models import Entity, Procedure, ProcedureVersion, Run
from memory.skills.contract import OfferedFeedback, OfferedProcedureLine
from memory.skills.document import render_procedure
from memory.skills.review import approve, edit_and_approve
from memory.skills.versions import difference_of, rendered, text_of
from tests.skills.skilled import PERSON, an_entity, draft_of, feedback, last_run, run, said, trace

TABLE = tomllib.loads((Path(__file__).parent / "offline.toml").read_text(encoding="utf-8"))
RELEASES: tuple[dict[str, Any], ...] = tuple(TABLE["trace"])


@pytest.fixture
def entity(db: None) -> Entity:
    return an_entity()


def record(entity: Entity, *places: int) -> None:
    for place in places:
        told = RELEASES[place]
        steps = [tuple(step) for step in told["steps"]]
        trace(entity, told["task"], steps, outcome=told.get("outcome", "success"))


def learn(entity: Entity) -> ProcedureVersion:
    assert "failed" not in run(entity, OfflineModel())
    return draft_of(entity)


@pytest.mark.parametrize("row", TABLE["draft"], ids=lambda row: row["name"])
def test_traces_become_the_procedure_that_a_person_would_expect(entity: Entity, row: dict[str, Any]) -> None:
    record(entity, *row["traces"])
    assert rendered(learn(entity)) == row["says"]


def test_nothing_of_the_offline_draft_is_refused(entity: Entity) -> None:
    record(entity, 0, 1, 2)
    learn(entity)
    refused = [note for note in last_run(entity).decisions if note["outcome"] in ("sent back", "dropped")]
    assert refused == []


@pytest.mark.parametrize("row", TABLE["command"], ids=lambda row: row["said"])
def test_reports_become_commands(row: dict[str, str]) -> None:
    assert command(row["said"]) == row["is"]


@pytest.mark.parametrize("row", TABLE["action"], ids=lambda row: row["said"])
def test_every_verb_of_a_step_is_a_command_and_guesses_and_findings_are_left_out(row: dict[str, str]) -> None:
    assert actions_in(row["said"]) == row["is"]


@pytest.mark.parametrize("row", TABLE["rule"], ids=lambda row: row["said"])
def test_rules_are_found_in_five_languages(row: dict[str, str]) -> None:
    assert section_of_rule(row["said"]) == row.get("section")


@pytest.mark.parametrize("row", TABLE["own_words"], ids=lambda row: row["said"])
def test_what_speaks_to_the_agent_is_cut_from_its_line(row: dict[str, str]) -> None:
    assert own_words_of(row["said"]) == row["is"]


def test_a_run_says_which_steps_spoke_to_the_agent(entity: Entity) -> None:
    record(entity, 9)
    learn(entity)
    told = [note for note in last_run(entity).decisions if note.get("reason") == ADDRESSED]
    assert [(note["outcome"], len(note["steps"])) for note in told] == [("left out", 1)] * 3


@pytest.mark.parametrize(
    ("said", "section"),
    [
        ("Never refund twice.", "procedure"),
        ("Refund her, but never refund more than 200 euros without asking Dana first.", "escalation"),
        ("The disk is full: free some of it, don't delete the log!", "procedure"),
        ("Refund the order, and do not close it while the parcel is on its way.", "when_not"),
        ("Refund the order.", None),
        ("He would never have asked.", None),
    ],
)
def test_what_a_person_forbids_is_a_rule_wherever_it_stands(said: str, section: str | None) -> None:
    assert section_of_rule(said) == section


STANDING = tuple(
    OfferedProcedureLine(f"v.l{place}", section, text)
    for place, (section, text) in enumerate(TABLE["standing"], 1)
)


@pytest.mark.parametrize("row", TABLE["feedback"], ids=lambda row: row.get("comment") or row.get("expected"))
def test_feedback_becomes_a_line_or_says_why_not(row: dict[str, Any]) -> None:
    told = {key: row[key] for key in ("comment", "expected", "actual") if key in row}
    given = OfferedFeedback("f1", row.get("kind", "correction"), "end_user", **told)
    asked = asked_by(given, STANDING)
    if "declined" in row:
        assert asked == row["declined"]
    else:
        assert isinstance(asked, Asked)
        assert (asked.section, asked.text, asked.replaces) == (
            row["section"],
            row["is"],
            row.get("replaces", ""),
        )


def test_a_rollback_plan_that_feedback_asks_for_stands_in_the_next_draft(entity: Entity) -> None:
    record(entity, 0, 1)
    active = approve(draft=learn(entity), actor=PERSON, base=None)
    row = feedback(active, "Attach a rollback plan", kind="thumbs_down")
    draft = learn(entity)
    added = [one for one in difference_of(active, draft).lines if one.change == "added"]
    assert [(one.section, one.after) for one in added] == [("procedure", "Attach a rollback plan.")]
    assert [(one.kind, one.id, one.says) for one in added[0].citations] == [
        ("feedback", row.pk, "Attach a rollback plan")
    ]
    assert draft.base_id == active.pk


def test_a_persons_line_outlives_ten_traces(entity: Entity) -> None:
    record(entity, 0, 1)
    first = learn(entity)
    own = "Canary to ONE host — and wait."
    markdown = rendered(first).replace("## Validation", f"9. {own}\n\n## Validation")
    edit_and_approve(draft=first, markdown=markdown, actor=PERSON, base=None)
    for number in range(10):
        record(entity, number % 3)
        run(entity, OfflineModel())
    versions = ProcedureVersion.objects.filter(status__in=["active", "draft"])
    assert all(("procedure", own) in said(version) for version in versions)
    assert Procedure.objects.count() == 1


def test_more_traces_of_what_the_version_says_lead_to_no_draft(entity: Entity) -> None:
    record(entity, 0, 1)
    approve(draft=learn(entity), actor=PERSON, base=None)
    record(entity, 1)
    run(entity, OfflineModel())
    assert not ProcedureVersion.objects.drafts().exists()
    assert last_run(entity).noop_reason == "the procedure holds what these traces and this feedback show"


def drafts(entity: Entity) -> list[str]:
    versions = ProcedureVersion.objects.for_entity(entity).drafts()
    return sorted(render_procedure(text_of(version)) for version in versions)


@pytest.mark.django_db
@settings(deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.sets(st.integers(1, 5)), places=st.permutations((0, 2, 7, 8, 9, 10, 11)))
def test_any_cut_into_runs_gives_the_same_drafts(cuts: set[int], places: list[int]) -> None:
    """The same traces, in any order of arrival within one moment, read at once or run by run."""
    at_once, in_parts = an_entity("agent.whole"), an_entity("agent.parts")
    for entity in (at_once, in_parts):
        Procedure.objects.for_entity(entity).delete()
    record(at_once, *places)
    run(at_once, OfflineModel())
    for number, place in enumerate(places):
        record(in_parts, place)
        if number in cuts:
            run(in_parts, OfflineModel())
    run(in_parts, OfflineModel())
    assert Run.objects.failed().count() == 0
    assert drafts(in_parts) == drafts(at_once)
    for entity in (at_once, in_parts):
        entity.delete()


def test_a_secret_stays_where_it_was_said(entity: Entity) -> None:
    steps = [
        ("instruction", "Deploy the mail service. The password is hunter2-Orchid."),
        ("action", '{"token": "sk-live-aaaabbbbcccc1111"}', "log_in"),
        ("action", "Ran the tests"),
        ("action", "Logged in with the password: hunter2-Orchid"),
    ]
    for _ in range(2):
        trace(entity, "Deploy the mail service", steps)
    active = approve(draft=learn(entity), actor=PERSON, base=None)
    assert [text for section, text in said(active) if section == "procedure"] == [
        "Call `log_in` with token.",
        "Run the tests.",
    ]
    feedback(active, "Add that the password is hunter2-Orchid")
    run(entity, OfflineModel())
    assert "hunter2" not in f"{rendered(active)} {active.incidental}"
    assert "holds a secret" in str(last_run(entity).decisions)
