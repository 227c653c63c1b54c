"""Reviews: what a person decides about drafts, and what is refused because somebody was faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from memory.models import Correction, Entity, Evidence, ProcedureVersion, Review, SkillInput
from memory.skills.editing import preview_edit
from memory.skills.review import approve, edit_and_approve, reject, retire_procedure, rollback
from memory.skills.versions import active_version, difference_of, open_draft, rendered
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from tests.skills.skilled import (
    PERSON,
    an_entity,
    described,
    draft_of,
    feedback,
    learn,
    line,
    said,
    trace,
)

pytestmark = pytest.mark.django_db

FIRST = (
    described("Deploy a service", boundary="From the merge to the dashboard."),
    line("when", "A service is to be deployed.", "t1.s1"),
    line("procedure", "Run the tests.", "t1.s2"),
    line("procedure", "Deploy the canary.", "t1.s3"),
    line("validation", "The error rate stays flat.", "t1.s4"),
)


@pytest.fixture
def entity() -> Entity:
    return an_entity()


@pytest.fixture
def draft(entity: Entity) -> ProcedureVersion:
    trace(entity)
    learn(entity, {"items": list(FIRST)})
    return draft_of(entity)


def decided(version: ProcedureVersion) -> list[tuple[str, str, str]]:
    rows = Review.objects.filter(version__procedure=version.procedure).order_by("created_at", "pk")
    return list(rows.values_list("verdict", "reason", "by"))


def test_an_approved_draft_is_active(draft: ProcedureVersion) -> None:
    assert active_version(procedure=draft.procedure) is None
    approved = approve(draft=draft, actor=PERSON, base=None, reason="good")
    assert (approved.pk, approved.status) == (draft.pk, "active")
    assert (active_version(procedure=draft.procedure), open_draft(procedure=draft.procedure)) == (
        approved,
        None,
    )
    assert decided(draft) == [("approved", "good", "Robin")]


def test_the_next_version_takes_the_place_of_the_one_before(entity: Entity, draft: ProcedureVersion) -> None:
    first = approve(draft=draft, actor=PERSON, base=None)
    feedback(first, "attach a rollback plan")
    learn(entity, {"items": [line("procedure", "Attach a rollback plan.", "f1")]})
    second = draft_of(entity)
    assert (second.number, second.base_id) == (2, first.pk)
    approve(draft=second, actor=PERSON, base=1)
    first.refresh_from_db()
    assert (first.status, active_version(procedure=draft.procedure)) == ("superseded", second)


def test_a_signed_in_person_is_named_in_the_review(draft: ProcedureVersion) -> None:
    user = User.objects.create_user("robin")
    approve(draft=draft, actor=Actor(user=user), base=None)
    review = Review.objects.get(version=draft)
    assert (review.user, review.key, review.by) == (user, None, "")


def test_a_decision_on_another_base_is_stale(draft: ProcedureVersion) -> None:
    with pytest.raises(StaleChangeError, match="No version is active by now"):
        approve(draft=draft, actor=PERSON, base=3)
    approve(draft=draft, actor=PERSON, base=None)
    with pytest.raises(RefusedChangeError, match="Version 1 is no draft: it is active"):
        approve(draft=draft, actor=PERSON, base=None)


def test_an_older_draft_is_stale_once_a_newer_one_is_there(entity: Entity, draft: ProcedureVersion) -> None:
    trace(entity, "Deploy the search service to production")
    learn(entity, {"items": [described("Deploy"), line("procedure", "Run all tests.", "t1.s2", "t2.s2")]})
    assert draft_of(entity).number == 2
    for decide in (approve, edit_and_approve):
        values: dict[str, Any] = {"draft": draft, "actor": PERSON, "base": None}
        if decide is edit_and_approve:
            values["markdown"] = rendered(draft)
        with pytest.raises(StaleChangeError, match="A newer draft has taken its place"):
            decide(**values)
    with pytest.raises(StaleChangeError):
        reject(draft=draft, actor=PERSON, reason="no")


def test_a_rejection_needs_a_reason_and_keeps_it(draft: ProcedureVersion) -> None:
    with pytest.raises(RefusedChangeError, match="needs a reason"):
        reject(draft=draft, actor=PERSON, reason=" ")
    assert reject(draft=draft, actor=PERSON, reason="too thin").status == "rejected"
    assert decided(draft) == [("rejected", "too thin", "Robin")]
    with pytest.raises(RefusedChangeError, match="it is rejected"):
        approve(draft=draft, actor=PERSON, base=None)


def test_a_reason_longer_than_its_column_is_refused(draft: ProcedureVersion) -> None:
    with pytest.raises(RefusedChangeError, match="501 characters; at most 500"):
        reject(draft=draft, actor=PERSON, reason="x" * 501)


def edited(markdown: str) -> str:
    return markdown.replace("Deploy the canary.", "Deploy the canary to one host.").replace(
        "## Validation", "3. Tell the team.\n\n## validation:"
    )


def test_an_edit_is_a_version_of_its_own_whose_changes_rest_on_a_correction(draft: ProcedureVersion) -> None:
    version = edit_and_approve(
        draft=draft, markdown=edited(rendered(draft)), actor=PERSON, base=None, reason="one host first"
    )
    assert said(version) == [
        ("when", "A service is to be deployed."),
        ("procedure", "Run the tests."),
        ("procedure", "Deploy the canary to one host."),
        ("procedure", "Tell the team."),
        ("validation", "The error rate stays flat."),
    ]
    draft.refresh_from_db()
    assert (version.number, version.status, draft.status) == (2, "active", "superseded")
    assert decided(draft) == [("edited", "one host first", "Robin")]
    correction = Correction.objects.get()
    assert (correction.kind, correction.reason, correction.by) == (
        "procedure_edited",
        "one host first",
        "Robin",
    )
    assert correction.before["lines"] == [{"section": "procedure", "text": "Deploy the canary."}]
    assert [found["text"] for found in correction.after["lines"]] == [
        "Deploy the canary to one host.",
        "Tell the team.",
    ]
    kinds = [
        (change.change, [citation.kind for citation in change.citations])
        for change in difference_of(draft, version).lines
    ]
    assert kinds == [
        ("unchanged", ["trace_step"]),
        ("unchanged", ["trace_step"]),
        ("reworded", ["correction"]),
        ("added", ["correction"]),
        ("unchanged", ["trace_step"]),
    ]


def test_an_edit_that_changes_nothing_is_an_approval(draft: ProcedureVersion) -> None:
    version = edit_and_approve(draft=draft, markdown=rendered(draft), actor=PERSON, base=None)
    assert (version.pk, Correction.objects.count()) == (draft.pk, 0)
    assert decided(draft) == [("approved", "", "Robin")]


def test_a_preview_tells_repairs_and_writes_nothing(draft: ProcedureVersion) -> None:
    preview = preview_edit(draft=draft, markdown=edited(rendered(draft)))
    assert preview.repairs == ("The heading “validation:” was written as “Validation”.",)
    assert [pair[1].text for pair in preview.change.reworded] == ["Deploy the canary to one host."]
    assert (Correction.objects.count(), ProcedureVersion.objects.count()) == (0, 1)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: "# Deploy", "The section Procedure has no line"),
        (lambda text: text + f"- {'x' * 501}\n", "has 501 characters; at most 500 are stored"),
        (lambda text: text.replace("# Deploy a service", f"# {'x' * 81}"), "The title has 81 characters"),
        (lambda text: text + "- a\0b\n", "cannot be stored"),
        (lambda text: text + "".join(f"- line {n}\n" for n in range(200)), "has 204 lines; at most 200"),
    ],
)
def test_an_edit_that_cannot_be_stored_is_refused(
    draft: ProcedureVersion, change: Callable[[str], str], problem: str
) -> None:
    with pytest.raises(RefusedChangeError, match=problem):
        edit_and_approve(draft=draft, markdown=change(rendered(draft)), actor=PERSON, base=None)
    assert ProcedureVersion.objects.count() == 1


@pytest.fixture
def second(entity: Entity, draft: ProcedureVersion) -> ProcedureVersion:
    """A second active version, and a draft of a third."""
    approve(draft=draft, actor=PERSON, base=None)
    feedback(draft, "attach a rollback plan")
    learn(entity, {"items": [line("procedure", "Attach a rollback plan.", "f1")]})
    version = approve(draft=draft_of(entity), actor=PERSON, base=1)
    feedback(version, "tell the team")
    learn(entity, {"items": [line("procedure", "Tell the team.", "f1")]})
    return version


def test_a_rollback_makes_an_earlier_version_active_and_its_drafts_stale(
    entity: Entity, draft: ProcedureVersion, second: ProcedureVersion
) -> None:
    third = draft_of(entity)
    version = rollback(procedure=draft.procedure, number=1, actor=PERSON, reason="too slow")
    assert (version.pk, version.status) == (draft.pk, "active")
    second.refresh_from_db()
    third.refresh_from_db()
    assert (second.status, third.status) == ("superseded", "stale")
    assert decided(draft)[-1] == ("rolled_back", "too slow", "Robin")
    waiting = SkillInput.objects.for_entity(entity).pending()
    assert [row.feedback.comment for row in waiting if row.feedback] == ["tell the team"]
    learn(entity, {"items": [line("procedure", "Tell the team.", "f1")]})
    fourth = draft_of(entity)
    assert (fourth.base_id, ("procedure", "Attach a rollback plan.") in said(fourth)) == (draft.pk, False)
    assert rollback(procedure=draft.procedure, number=2, actor=PERSON, reason="").pk == second.pk


@pytest.mark.parametrize(
    ("number", "problem"), [(2, "Version 2 is active"), (3, "was never active"), (9, "There is no version 9")]
)
def test_only_what_was_active_once_comes_back(
    draft: ProcedureVersion, second: ProcedureVersion, number: int, problem: str
) -> None:
    with pytest.raises(RefusedChangeError, match=problem):
        rollback(procedure=draft.procedure, number=number, actor=PERSON, reason="")


def test_a_draft_that_became_an_edit_was_never_active(draft: ProcedureVersion) -> None:
    edit_and_approve(draft=draft, markdown=edited(rendered(draft)), actor=PERSON, base=None)
    with pytest.raises(RefusedChangeError, match="Version 1 was never active"):
        rollback(procedure=draft.procedure, number=1, actor=PERSON, reason="")


def test_a_retired_procedure_is_handed_out_no_more(
    entity: Entity, draft: ProcedureVersion, second: ProcedureVersion
) -> None:
    third = draft_of(entity)
    retire_procedure(procedure=draft.procedure, actor=PERSON, reason="done by a pipeline")
    assert list(ProcedureVersion.objects.for_entity(entity).active()) == []
    assert decided(draft)[-1] == ("retired", "done by a pipeline", "Robin")
    with pytest.raises(StaleChangeError):
        approve(draft=third, actor=PERSON, base=2)
    with pytest.raises(RefusedChangeError, match="The procedure is retired"):
        retire_procedure(procedure=draft.procedure, actor=PERSON, reason="")


def test_every_line_of_every_version_rests_on_something(
    draft: ProcedureVersion, second: ProcedureVersion
) -> None:
    lines = [
        pk for version in draft.procedure.versions.all() for pk in version.lines.values_list("pk", flat=True)
    ]
    cited = set(Evidence.objects.values_list("of_procedure_line", flat=True))
    assert [pk for pk in lines if pk not in cited] == []
