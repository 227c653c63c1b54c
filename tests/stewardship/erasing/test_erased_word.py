"""The promise: after an erase its words are nowhere, in no form, in no table and in no statistics."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from memory.claims.chains import settle_again
from memory.indexing.step import index_terms
from memory.models import (
    Atom,
    Chain,
    Correction,
    Entity,
    Erasure,
    Evidence,
    Feedback,
    GraphNode,
    Layer,
    Line,
    Message,
    Outbox,
    ProcedureLine,
    ProcedureVersion,
    SceneVersion,
    SearchUnit,
    Session,
    SkillInput,
    Trait,
    TraitVersion,
    Use,
)
from memory.stewardship.correcting_traits import set_trait
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.verify import verify
from tests.factories import make_atom, make_entity, make_message
from tests.stewardship.erasing.planting import BOSS, WORD, Planted, plant
from tests.stewardship.erasing.scanning import everything_of, places_of

pytestmark = pytest.mark.django_db(transaction=True)


def forget(entity: Entity, *messages: UUID, reason: str = "") -> Erasure:
    scope = Scope("messages", messages=messages)
    return erase(erasure=plan_erasure(entity=entity, scope=scope, actor=BOSS, reason=reason), actor=BOSS)


@pytest.fixture
def planted() -> Planted:
    return plant()


def test_an_erased_word_is_nowhere(planted: Planted) -> None:
    assert len(places_of(WORD)) > 20
    done = forget(planted.entity, planted.said.pk, reason=f"asked for {WORD}")
    assert places_of(WORD) == []
    assert places_of("zwolfquokka") == []
    assert (done.status, done.selection, done.reason, done.by) == ("done", {}, "", "boss")
    assert verify(planted.entity) == []


def test_what_the_preview_counts_is_what_goes(planted: Planted) -> None:
    scope = Scope("messages", messages=(planted.said.pk,))
    before = everything_of(planted.entity)
    plan = plan_erasure(entity=planted.entity, scope=scope, actor=BOSS)
    assert everything_of(planted.entity) == before
    assert WORD.lower() not in str(plan.__dict__).lower()
    counts = plan.counts
    assert erase(erasure=plan, actor=BOSS).counts == counts
    assert counts == {
        "messages": 1,
        "messages_again": 1,
        "digests": 1,
        "folded_sessions": 1,
        "renamed_sessions": 2,
        "atoms": 3,
        "edges": 2,
        "live_values": 1,
        "lines": 3,
        "scene_versions": 2,
        "trait_versions": 1,
        "corrections": 1,
        "trace_steps": 1,
        "traces": 1,
        "feedback": 1,
        "reviews": 1,
        "procedure_lines": 1,
        "procedure_versions": 1,
        "active_procedures": 1,
        "reviewed_versions": 1,
        "uses": 1,
        "runs": 2,
        "shares": 1,
        "log_entries": 1,
    }


def test_what_rests_on_other_words_stays_and_the_rest_is_read_again(planted: Planted) -> None:
    entity = planted.entity
    forget(entity, planted.said.pk)
    assert [atom.text for atom in Atom.objects.for_entity(entity)] == ["Alice likes tea in the morning."]
    assert Chain.objects.for_entity(entity).count() == 1
    assert [message.text for message in Message.objects.for_entity(entity).pending()] == [
        "I like tea in the morning."
    ]
    assert Entity.objects.get(pk=entity.pk).erase_epoch == 1
    assert list(Outbox.objects.for_entity(entity).values_list("event", flat=True)) == ["erased"]


def test_the_live_scene_goes_on_without_the_lines_and_history_keeps_its_frame(planted: Planted) -> None:
    entity = planted.entity
    before = {row["pk"]: row for row in versions(entity)}
    forget(entity, planted.said.pk)
    after = versions(entity)
    assert [(row["number"], row["title"], row["is_head"], row["erased_at"] is None) for row in after] == [
        (1, "Tea", False, True),
        (2, "", False, False),
        (3, "", False, False),
        (4, "Tea", True, True),
    ]
    kept = ("number", "run_id", "created_at", "seq")
    assert [[row[name] for name in kept] for row in after[:3]] == [
        [before[row["pk"]][name] for name in kept] for row in after[:3]
    ]
    head = SceneVersion.objects.for_entity(entity).live().get()
    assert [line.text for line in head.lines.all()] == ["Alice likes tea in the morning."]
    assert (head.summary, head.run_id, head.correction_id) == ("Alice likes tea in the morning.", None, None)
    erased = Line.objects.for_entity(entity).filter(erased_at__isnull=False)
    assert {line.text for line in erased} == {""}
    assert not Evidence.objects.filter(of_line__in=erased).exists()
    # A claim that stood under an erased line too waits to be placed again.
    assert list(Atom.objects.for_entity(entity).pending()) == [planted.kept]


def versions(entity: Entity) -> list[dict[str, Any]]:
    rows = SceneVersion.objects.for_entity(entity).order_by("number")
    names = ("pk", "number", "title", "is_head", "erased_at", "run_id", "created_at", "seq")
    return [{name: getattr(row, name) for name in names} for row in rows]


def test_a_trait_on_an_erased_line_is_retracted_and_others_stay(planted: Planted) -> None:
    forget(planted.entity, planted.said.pk)
    wordings = TraitVersion.objects.for_entity(planted.entity).order_by("trait__slot")
    assert [(row.trait.slot, row.trait.status, row.text, row.number) for row in wordings] == [
        ("archetype", Trait.Status.LIVE, "Likes tea.", 1),
        ("role", Trait.Status.RETRACTED, "", 1),
    ]


def test_a_trait_of_which_an_earlier_wording_went_is_found_as_before(planted: Planted) -> None:
    entity = planted.entity
    made = set_trait(entity=entity, slot="role", text="Bakes bread.", actor=BOSS, reason="She said so.")
    assert made.trait_id in found_traits(entity)
    forget(entity, planted.said.pk)
    assert made.trait_id in found_traits(entity)
    assert verify(entity) == []


def found_traits(entity: Entity) -> set[UUID | None]:
    """Traits that search finds, once all is indexed that waits."""
    index_terms(entity, wants_vectors=False)
    units = SearchUnit.objects.filter(entity=entity, layer=Layer.TRAIT)
    return set(units.values_list("trait_id", flat=True))


def test_skills_lose_the_line_and_wait_to_be_drafted_anew(planted: Planted) -> None:
    entity = planted.entity
    SkillInput.objects.for_entity(entity).update(consumed_by=planted.kept.pk)
    forget(entity, planted.said.pk)
    [version] = ProcedureVersion.objects.for_entity(entity)
    assert (version.status, version.title, version.incidental) == ("superseded", "", [])
    assert version.erased_at is not None
    assert [line.text for line in ProcedureLine.objects.filter(version=version)] == ["", "Look at the door."]
    assert [row.trace.task for row in SkillInput.objects.for_entity(entity).pending() if row.trace] == [
        "erased"
    ]
    assert not Feedback.objects.for_entity(entity).exists()


def test_uses_corrections_and_sessions_stay_as_rows(planted: Planted) -> None:
    entity = planted.entity
    forget(entity, planted.said.pk)
    [use] = Use.objects.for_entity(entity)
    assert (use.text, use.request, use.manifest, use.tokens, len(use.records)) == ("", "", {}, 9, 1)
    [correction] = Correction.objects.for_entity(entity)
    assert (correction.kind, correction.reason, correction.before, correction.after) == (
        *("lines_pinned", "", {}),
        {},
    )
    [talk] = Session.objects.filter(pk=planted.said.session_id)
    assert (talk.external_id, talk.title, talk.folded_until) == ("first", "", 0)
    assert talk.fold_asked_at is not None
    assert [node.identifier for node in GraphNode.objects.for_entity(entity)] == []


def test_the_same_words_of_somebody_else_stay(planted: Planted) -> None:
    other = plant("agent.bob", username="other-staff").entity
    before = everything_of(other)
    forget(planted.entity, planted.said.pk)
    assert everything_of(other) == before


def test_a_word_that_a_surviving_message_holds_stays_where_that_one_is_cited(planted: Planted) -> None:
    """`tea` was said by both: what rests on the other message keeps it."""
    forget(planted.entity, planted.said.pk)
    planted.kept.refresh_from_db()
    assert planted.kept.text == "Alice likes tea in the morning."


def test_what_an_erased_claim_had_replaced_stays_replaced() -> None:
    entity = make_entity()
    with transaction.atomic():
        old = make_atom(entity, "Alice lives in Graz.", [make_message(entity, "I live in Graz.")])
        said = make_message(entity, "I live in Linz.")
        make_atom(entity, "Alice lives in Linz.", [said], replaces=old)
    forget(entity, said.pk)
    with transaction.atomic():
        settle_again(entity, {old.chain_id})
    old.refresh_from_db()
    assert (old.status, old.superseded_by_id) == ("superseded", None)
